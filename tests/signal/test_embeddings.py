"""Our vectors against a forward pass in numpy, from the files that the embedder's GGUF was made of.

Only cosines come out of skimfill; those of all pairs say the same of the vectors as the vectors do, up to a rotation.
"""

from __future__ import annotations

import json
import math
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from built import BUILD, EMBEDDER, EMBEDDER_SOURCE, LIMIT_S

N_LAYER, N_HEAD, N_TOKEN = 6, 12, 512
TOLERANCE = 2e-3  # weights are f16 in one and f32 in the other; 5e-4 was measured

# Not here, because libllama's WordPiece differs from the Hugging Face one: words of more than 100 characters (it does
# not give them up), Hangul (it does not take syllables apart) and scripts with spacing marks, such as Devanagari (it
# drops these).
TEXTS = [
    "Who pays for repairs?",
    "The tenant shall bear the cost of all repairs to the premises.",
    "",
    "   \n\t ",
    "Die Mieterin trägt die Kosten für Reparaturen.",
    "naïve café résumé coöperate ÅNGSTRÖM",
    "猫はソファの上で眠っている。",
    "租户承担所有维修费用。",
    "Кошка спит на диване.",
    "العربية من اليمين إلى اليسار",
    "αβγ ΔΕΖ Σίσυφος",
    "Tiếng Việt có dấu",
    "ไทยไม่มีช่องว่าง",
    "İstanbul ĞÜŞ",
    "🙂🚀 emoji 👩‍👩‍👧 family",
    "a rare 𠮷 and a 𝒜",
    "def f(x):\n    return x ** 2  # square",
    "antidisestablishmentarianism " * 3,
    "1,234.56 USD — “quoted” … ‘single’",
    "tab\there\x00nul\x7fdel\u200bzero\ufeffmark",
    "combining e\u0301 and \u00e9",
    "\u3000wide\u00a0hard\u2028line",
    "[CLS] [SEP] [MASK] are words here",
    "The cat sat on the mat. " * 200,
]

Weights = dict[str, np.ndarray]


def read_safetensors(path: Path) -> Weights:
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    weights = {}
    for name, entry in json.loads(content[8:start]).items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            values = np.frombuffer(content[start + begin : start + end], dtype=np.float32)
            weights[name] = values.reshape(entry["shape"])
    return weights


def embed(weights: Weights, tokens: list[int]) -> np.ndarray:
    """BERT as in https://arxiv.org/abs/1810.04805, then the mean over the tokens, of length 1."""

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * weights[name + ".weight"] + weights[name + ".bias"]

    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    gelu = np.vectorize(lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))), otypes=[np.float32])
    n_token = len(tokens)
    x = weights["embeddings.word_embeddings.weight"][tokens]  # [n_token, n_embd]
    x = x + weights["embeddings.position_embeddings.weight"][:n_token]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for i in range(N_LAYER):
        layer = f"encoder.layer.{i}."
        q, k, v = (  # [n_head, n_token, d]
            dense(x, f"{layer}attention.self.{name}").reshape(n_token, N_HEAD, -1).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        shares = np.exp(q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[-1]))
        shares /= shares.sum(-1, keepdims=True)
        mixed = (shares @ v).transpose(1, 0, 2).reshape(n_token, -1)
        x = norm(x + dense(mixed, layer + "attention.output.dense"), layer + "attention.output.LayerNorm")
        hidden = gelu(dense(x, layer + "intermediate.dense"))
        x = norm(x + dense(hidden, layer + "output.dense"), layer + "output.LayerNorm")
    mean = x.mean(0)
    return mean / np.linalg.norm(mean)


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    assert EMBEDDER_SOURCE.exists(), f"{EMBEDDER_SOURCE} is missing; scripts/fetch-models embedder-source fetches it"
    tokenizer = Tokenizer.from_file(str(EMBEDDER_SOURCE / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(N_TOKEN)
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text
    weights = read_safetensors(EMBEDDER_SOURCE / "model.safetensors")
    vectors = np.array([embed(weights, tokenizer.encode(text).ids) for text in TEXTS])
    return vectors @ vectors.T


def cosines(texts: list[str]) -> np.ndarray:
    """[n_text, n_text]: row i has the cosines of all texts with text i."""
    assert EMBEDDER.exists(), f"{EMBEDDER} is missing; scripts/fetch-models embedder makes it"
    lines = "".join(text.encode().hex() + "\n" for text in texts)
    command = [BUILD / "tests" / "embed_texts", EMBEDDER]
    run = subprocess.run(command, input=lines, capture_output=True, text=True, timeout=LIMIT_S)
    assert run.returncode == 0, run.stderr
    return np.array([[float(value) for value in line.split()] for line in run.stdout.splitlines()])


def test_cosines_equal_an_independent_forward_pass(expected: np.ndarray) -> None:
    ours = cosines(TEXTS)
    assert ours.shape == expected.shape
    wrong = np.argwhere(np.abs(ours - expected) > TOLERANCE)
    assert not len(wrong), [(TEXTS[i][:40], TEXTS[j][:40], ours[i, j], expected[i, j]) for i, j in wrong]


def test_order_of_the_texts_does_not_matter(expected: np.ndarray) -> None:
    order = np.random.default_rng(1).permutation(len(TEXTS))
    ours = cosines([TEXTS[i] for i in order])
    assert np.abs(ours - expected[np.ix_(order, order)]).max() < TOLERANCE
