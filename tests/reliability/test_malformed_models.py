"""H19: model files that are cut, wrap around, or lie. Each as drafter and as target.

Tensors beyond the end of a file and every value type, beside src/model/model_file.cpp; weights that are not finite, in
tests/cli/test_drafters.py.
"""

from __future__ import annotations

import os
import struct
import subprocess
import time
from pathlib import Path

import gguf
import pytest

from built import PROGRAM

U32, I32, F32, TEXT, ARRAY = 4, 5, 6, 8, 9  # GGUF's value types


def s(data: bytes) -> bytes:
    return struct.pack("<Q", len(data)) + data


def head(tensors: int, keys: int, magic: bytes = b"GGUF", version: int = 3) -> bytes:
    return magic + struct.pack("<IQQ", version, tensors, keys)


def key(name: bytes, kind: int, payload: bytes) -> bytes:
    return s(name) + struct.pack("<I", kind) + payload


def tensor(name: bytes, shape: list[int], kind: int, offset: int) -> bytes:
    sizes = b"".join(struct.pack("<Q", size % 2**64) for size in shape)
    return s(name) + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", kind, offset)


def padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 32)


def u32(value: int) -> bytes:
    return struct.pack("<I", value)


def array(kind: int, count: int, payload: bytes = b"") -> bytes:
    return struct.pack("<IQ", kind, count) + payload


ARCH = key(b"general.architecture", TEXT, s(b"llama"))
RAW: dict[str, bytes] = {
    "empty": b"",
    "magic only": b"GGUF",
    "another magic": head(0, 0, b"GGML"),
    "version 99": head(0, 0, version=99),
    "big-endian version": b"GGUF" + struct.pack(">I", 3) + bytes(16),
    "2^60 tensors": head(2**60, 0),
    "2^60 keys": head(0, 2**60),
    "key of 2^63 bytes": head(0, 1) + struct.pack("<Q", 2**63),
    "empty key": head(0, 1) + key(b"", U32, u32(1)),
    "same key twice": head(0, 3) + ARCH + 2 * key(b"a", U32, u32(1)),
    "value type 99": head(0, 1) + key(b"a", 99, u32(1)),
    "string of 10^12": head(0, 1) + key(b"a", TEXT, struct.pack("<Q", 10**12)),
    "2^61 tokens": head(0, 1) + key(b"tokenizer.ggml.tokens", ARRAY, array(TEXT, 2**61)),
    "array of arrays": head(0, 1) + key(b"a", ARRAY, array(ARRAY, 1, array(U32, 1, u32(1)))),
    "alignment 0": head(0, 1) + key(b"general.alignment", U32, u32(0)),
    "alignment 3": head(0, 1) + key(b"general.alignment", U32, u32(3)),
    "alignment '32'": head(0, 1) + key(b"general.alignment", TEXT, s(b"32")),
    "architecture as number": head(0, 1) + key(b"general.architecture", U32, u32(1)),
    "block count as text": head(0, 2) + ARCH + key(b"llama.block_count", TEXT, s(b"2")),
    "tokens as numbers": head(0, 2) + ARCH + key(b"tokenizer.ggml.tokens", ARRAY, array(U32, 2, u32(1) * 2)),
    "no keys": head(0, 0),
    "size [4, 0]": padded(head(1, 0) + tensor(b"t", [4, 0], 0, 0)),
    "size [0]": padded(head(1, 0) + tensor(b"t", [0], 0, 0)),
    "size [-1]": padded(head(1, 0) + tensor(b"t", [-1], 0, 0)),
    "size []": padded(head(1, 0) + tensor(b"t", [], 0, 0)),
    "nine sizes": padded(head(1, 0) + tensor(b"t", [1] * 9, 0, 0)),
    "tensor type 999": padded(head(1, 0) + tensor(b"t", [32], 999, 0)) + bytes(128),
    "33 columns of q8_0": padded(head(1, 0) + tensor(b"t", [33], 8, 0)) + bytes(128),
    "offset 2^40": padded(head(1, 0) + tensor(b"t", [32], 0, 2**40)) + bytes(128),
    "offset 7": padded(head(1, 0) + tensor(b"t", [32], 0, 7)) + bytes(256),
    "size that wraps": padded(head(2, 0) + tensor(b"a", [32], 0, 0) + tensor(b"b", [4, 2**30 - 1, 2**30 + 1], 0, 256))
    + bytes(512),
    "same tensor twice": padded(head(2, 0) + 2 * tensor(b"t", [32], 0, 0)) + bytes(256),
}


def refused(result: subprocess.CompletedProcess[bytes], seconds: float, file: Path) -> None:
    assert result.returncode in (1, 2), (result.returncode, result.stderr)
    text = result.stderr.decode(errors="replace")
    assert text.splitlines()[-1].startswith("skimfill: "), text
    assert file.name in text.splitlines()[-1], text
    assert seconds < 30  # it is far under one; more would be gigabytes asked for


def run(*arguments: str | Path) -> tuple[subprocess.CompletedProcess[bytes], float]:
    start = time.monotonic()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LLAMA_ARG_", "SKIMFILL_DRAFTER"))}
    command = ["prlimit", "--as=4294967296", str(PROGRAM), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, env=kept, timeout=60)
    return result, time.monotonic() - start


def as_drafter(file: Path, tmp_path: Path) -> tuple[subprocess.CompletedProcess[bytes], float]:
    text = tmp_path / "text"
    text.write_text("A line.\n" * 100)
    return run("skim", text, "--question", "Which line?", "--keep", "0.2", "--drafter", file)


@pytest.mark.parametrize("name", RAW)
def test_broken_files(tmp_path: Path, name: str) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(RAW[name])
    refused(*as_drafter(file, tmp_path), file)
    refused(*run("serve", "--port", "0", "-m", file), file)


class Parts:
    """A model file taken apart: its keys may be changed, its tensors stay."""

    def __init__(self, file: Path) -> None:
        reader = gguf.GGUFReader(file)
        whole = file.read_bytes()

        def piece(field: gguf.ReaderField) -> bytes:
            return whole[field.offset : field.offset + sum(int(part.nbytes) for part in field.parts)]

        self.keys = {f.name: piece(f) for f in reader.fields.values() if not f.name.startswith("GGUF.")}
        self.tensors = [piece(entry.field) for entry in reader.tensors]
        self.data = whole[reader.data_offset :]

    def written(self, out: Path, changes: dict[str, bytes]) -> Path:
        """`changes`: the value of a key with its type before it; nothing leaves the key out."""
        keys = dict(self.keys)
        for name, value in changes.items():
            assert name in keys
            keys[name] = s(name.encode()) + value if value else b""
        kept = [piece for piece in keys.values() if piece]
        out.write_bytes(padded(head(len(self.tensors), len(kept)) + b"".join(kept + self.tensors)) + self.data)
        return out


@pytest.fixture(scope="module")
def toy_parts(toy: Path) -> Parts:
    return Parts(toy)


def as_u32(value: int) -> bytes:
    return u32(U32) + u32(value)


def as_f32(value: float) -> bytes:
    return u32(F32) + struct.pack("<f", value)


LIES: dict[str, dict[str, bytes]] = {
    "no heads": {"llama.attention.head_count": as_u32(0)},
    "heads that do not divide": {"llama.attention.head_count_kv": as_u32(3)},
    "2^31 blocks": {"llama.block_count": as_u32(2**31)},
    "no width": {"llama.embedding_length": as_u32(0)},
    "another width": {"llama.embedding_length": as_u32(128)},
    "RoPE base NaN": {"llama.rope.freq_base": as_f32(float("nan"))},
    "norm eps 0": {"llama.attention.layer_norm_rms_epsilon": as_f32(0.0)},
    "norm eps NaN": {"llama.attention.layer_norm_rms_epsilon": as_f32(float("nan"))},
    "no tokenizer": {"tokenizer.ggml.model": b""},
    "no tokens": {"tokenizer.ggml.tokens": b""},
    "no merges": {"tokenizer.ggml.merges": b""},
    "types of another length": {"tokenizer.ggml.token_type": u32(ARRAY) + array(I32, 3, u32(1) * 3)},
    "fewer tokens than rows": {"tokenizer.ggml.tokens": u32(ARRAY) + array(TEXT, 3, s(b"a") + s(b"b") + s(b"c"))},
    "end of text past the end": {"tokenizer.ggml.eos_token_id": as_u32(10**6)},
}


@pytest.mark.parametrize("name", LIES)
def test_well_formed_files_that_lie(toy_parts: Parts, tmp_path: Path, name: str) -> None:
    file = toy_parts.written(tmp_path / "lying.gguf", LIES[name])
    refused(*as_drafter(file, tmp_path), file)
    refused(*run("serve", "--port", "0", "-m", file), file)


def test_the_copy_itself_is_a_model(toy_parts: Parts, tmp_path: Path) -> None:
    """Or the cases above would be refused for another reason."""
    result, _ = as_drafter(toy_parts.written(tmp_path / "same.gguf", {}), tmp_path)
    assert result.returncode == 0, result.stderr


def test_a_broken_draft_model_is_refused_at_start(toy: Path, tmp_path: Path) -> None:
    file = tmp_path / "broken.gguf"
    file.write_bytes(RAW["size [4, 0]"])
    refused(*run("serve", "--port", "0", "-m", toy, "--draft", file), file)
