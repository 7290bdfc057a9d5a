#!/usr/bin/env python3
"""Writes small models with random weights and a real tokenizer, for tests.

    make_gguf.py --tokenizer SmolLM2.gguf --arch qwen3 --n-layer 4 --out toy.gguf

Their output is noise; their shapes are those of the architecture: grouped heads (all), layers with a sliding
window (gemma3, every second one), layers without attention (lfm2, every second one). The same arguments give
the same bytes. Needs the package `gguf`.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy as np

ARCHITECTURES = ("llama", "qwen3", "gemma3", "lfm2")
CONV_WIDTH = 3  # lfm2's short convolution


@dataclass(frozen=True)
class Shape:
    arch: str
    n_layer: int = 4
    n_embd: int = 64
    n_head: int = 4
    n_head_kv: int = 2
    n_ctx: int = 2048
    window: int = 64
    seed: int = 1

    def __post_init__(self) -> None:
        if self.arch not in ARCHITECTURES:
            raise ValueError(f"arch {self.arch} is none of {', '.join(ARCHITECTURES)}")
        if self.n_embd % self.n_head or self.n_head % self.n_head_kv or self.head_size % 2:
            raise ValueError("n_head must divide n_embd into even heads, and n_head_kv must divide n_head")

    @property
    def head_size(self) -> int:
        return self.n_embd // self.n_head

    def has_attention(self, layer: int) -> bool:
        return self.arch != "lfm2" or layer % 2 == 1


def copy_tokenizer(reader: gguf.GGUFReader, writer: gguf.GGUFWriter) -> int:
    """Copies every tokenizer key as it is; returns the number of tokens."""
    for field in reader.fields.values():
        if not field.name.startswith("tokenizer."):
            continue
        element = field.types[1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, field.contents(), field.types[0], element)
    return len(reader.fields["tokenizer.ggml.tokens"].data)


def add_shape(writer: gguf.GGUFWriter, shape: Shape) -> None:
    writer.add_name(f"toy-{shape.arch}")
    writer.add_block_count(shape.n_layer)
    writer.add_context_length(shape.n_ctx)
    writer.add_embedding_length(shape.n_embd)
    writer.add_feed_forward_length(2 * shape.n_embd)
    writer.add_head_count(shape.n_head)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(10000.0)
    writer.add_key_length(shape.head_size)
    writer.add_value_length(shape.head_size)
    writer.add_rope_dimension_count(shape.head_size)
    if shape.arch == "lfm2":
        writer.add_shortconv_l_cache(CONV_WIDTH)
        heads = [shape.n_head_kv if shape.has_attention(i) else 0 for i in range(shape.n_layer)]
        writer.add_head_count_kv(heads)
    else:
        writer.add_head_count_kv(shape.n_head_kv)
    if shape.arch == "gemma3":
        writer.add_sliding_window(shape.window)
        writer.add_sliding_window_pattern(2)


def add_weights(writer: gguf.GGUFWriter, shape: Shape, n_vocab: int) -> None:
    random = np.random.default_rng(shape.seed)
    n_embd, n_ff, n_kv = shape.n_embd, 2 * shape.n_embd, shape.n_head_kv * shape.head_size

    def matrix(name: str, n_out: int, n_in: int, scale: float = 1.0) -> None:
        weights = random.standard_normal((n_out, n_in), dtype=np.float32) * (scale / n_in**0.5)
        writer.add_tensor(name, weights.astype(np.float16))

    def norm(name: str, n: int) -> None:
        writer.add_tensor(name, 1 + 0.1 * random.standard_normal(n, dtype=np.float32))

    matrix("token_embd.weight", n_vocab, n_embd, scale=n_embd**0.5)
    norm("token_embd_norm.weight" if shape.arch == "lfm2" else "output_norm.weight", n_embd)
    for i in range(shape.n_layer):
        block = f"blk.{i}."
        norm(block + "attn_norm.weight", n_embd)
        if shape.has_attention(i):
            # Larger queries and keys than a trained model's start: the attention is peaked, not flat.
            matrix(block + "attn_q.weight", n_embd, n_embd, scale=2)
            matrix(block + "attn_k.weight", n_kv, n_embd, scale=2)
            matrix(block + "attn_v.weight", n_kv, n_embd)
            matrix(block + "attn_output.weight", n_embd, n_embd)
            if shape.arch != "llama":
                norm(block + "attn_q_norm.weight", shape.head_size)
                norm(block + "attn_k_norm.weight", shape.head_size)
        else:
            kernel = random.standard_normal((n_embd, CONV_WIDTH), dtype=np.float32)
            writer.add_tensor(block + "shortconv.conv.weight", kernel)
            matrix(block + "shortconv.in_proj.weight", 3 * n_embd, n_embd)
            matrix(block + "shortconv.out_proj.weight", n_embd, n_embd)
        norm(block + "ffn_norm.weight", n_embd)
        matrix(block + "ffn_gate.weight", n_ff, n_embd)
        matrix(block + "ffn_up.weight", n_ff, n_embd)
        matrix(block + "ffn_down.weight", n_embd, n_ff)
        if shape.arch == "gemma3":
            norm(block + "post_attention_norm.weight", n_embd)
            norm(block + "post_ffw_norm.weight", n_embd)


def make_gguf(tokenizer: Path, shape: Shape, out: Path) -> Path:
    """tokenizer: a GGUF whose vocabulary is copied, such as SmolLM2's."""
    writer = gguf.GGUFWriter(out, shape.arch)
    n_vocab = copy_tokenizer(gguf.GGUFReader(tokenizer), writer)
    add_shape(writer, shape)
    add_weights(writer, shape, n_vocab)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return out


def main() -> None:
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    parser.add_argument("--tokenizer", type=Path, required=True, help="the GGUF whose vocabulary is copied")
    parser.add_argument("--arch", choices=ARCHITECTURES, required=True)
    for name in ("n_layer", "n_embd", "n_head", "n_head_kv", "n_ctx", "window", "seed"):
        parser.add_argument("--" + name.replace("_", "-"), type=int, default=getattr(Shape, name))
    parser.add_argument("--out", type=Path, required=True)
    arguments = vars(parser.parse_args())
    tokenizer, out = arguments.pop("tokenizer"), arguments.pop("out")
    make_gguf(tokenizer, Shape(**arguments), out)


if __name__ == "__main__":
    main()
