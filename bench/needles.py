#!/usr/bin/env python3
"""Asks a running `skimfill serve` about single needles in real text, with skimming off and on.

    bench/needles.py --url http://127.0.0.1:8080 --csv bench/results/NAME.csv

Each prompt is a piece of real text (the licences that Debian ships) with one sentence that holds a number, on a line
of its own at a depth that differs from prompt to prompt, and a question about it at the end. Every prompt is asked
three times through the `openai` client: skimming off, on, and on as a stream. Tells whether the needle's line was
kept, whether the answer has the number, and how far the reply's times are from this client's own clock.
"""

import argparse
import csv
import json
import pathlib
import statistics
import sys
import time
from collections.abc import Iterator

import openai

LICENCES = pathlib.Path("/usr/share/common-licenses")
TEXTS = ["GPL-3", "MPL-2.0", "LGPL-2.1", "GFDL-1.3", "Apache-2.0", "GPL-2", "Artistic", "CC0-1.0"]
PARTS = ["queue_ms", "skim_ms", "prefill_ms", "other_ms", "predicted_ms"]
BYTES_PER_TOKEN = 4.6  # of these texts in SmolLM2's tokens

# (sentence, question); {n} is the number to be found.
NEEDLES = [
    ("Locker 88 opens with the combination {n}.", "Which combination opens locker 88?"),
    ("The ferry to Harrow Island costs {n} crowns.", "How many crowns does the ferry to Harrow Island cost?"),
    ("Mrs Oduya keeps {n} bees in her garden.", "How many bees does Mrs Oduya keep in her garden?"),
    ("The reservoir above Kettle was built for {n} families.", "For how many families was the reservoir built?"),
    ("Bus number {n} is the only one that stops at the observatory.", "Which bus stops at the observatory?"),
]


def prompts(n_prompt: int, n_token: int) -> Iterator[tuple[str, str, str]]:
    """Yields (prompt, needle line, number)."""
    corpus = "\n".join((LICENCES / name).read_text(encoding="utf-8") for name in TEXTS)
    n_byte = int(n_token * BYTES_PER_TOKEN)
    for i in range(n_prompt):
        start = (i * (len(corpus) - n_byte)) // n_prompt
        lines = corpus[start : start + n_byte].split("\n")
        sentence, question = NEEDLES[i % len(NEEDLES)]
        number = str(1000 + (i * 7919) % 8999)
        needle = sentence.format(n=number)
        lines.insert(1 + (i * (len(lines) - 2)) // n_prompt, needle)
        yield "\n".join(lines) + f"\n\n{question} Reply with the number only.", needle, number


def ask(client: openai.OpenAI, prompt: str, arm: str, keep: float) -> dict:
    skim = {"mode": "off"} if arm == "off" else {"mode": "always", "keep_ratio": keep, "spans": True}
    request = {
        "model": "default",
        "messages": [{"role": "user", "content": prompt}],
        "temperature": 0,
        "max_tokens": 24,
        "extra_body": {"skim": skim, "cache_prompt": False},
    }
    start = time.monotonic()
    if arm == "streamed":
        extra: dict = {}
        text = ""
        for chunk in client.chat.completions.create(stream=True, **request):
            if chunk.choices and chunk.choices[0].delta.content:
                text += chunk.choices[0].delta.content
            extra |= chunk.model_extra or {}
    else:
        reply = client.chat.completions.create(**request)
        text = reply.choices[0].message.content or ""
        extra = reply.model_extra or {}
    client_ms = (time.monotonic() - start) * 1000
    return {"text": text, "client_ms": client_ms, "skim": extra.get("skim"), "timings": extra.get("timings", {})}


def row_of(i: int, arm: str, prompt: str, needle: str, number: str, reply: dict) -> dict:
    timings, skim = reply["timings"], reply["skim"]
    row = {"prompt": i, "arm": arm, "right": int(number in reply["text"]), "client_ms": round(reply["client_ms"], 1)}
    if skim is None:
        return row | {"target_prompt_n": timings.get("prompt_n"), "prefill_ms": timings.get("prompt_ms")}
    place = len(prompt[: prompt.index(needle)].encode())
    end = place + len(needle.encode())
    row["kept"] = int(any(span["begin"] <= place and end <= span["end"] for span in skim["spans"]))
    row |= {"tokens": skim["tokens"], "kept_tokens": skim["kept_tokens"], "target_prompt_n": timings["prompt_n"]}
    row |= {part: timings[part] for part in PARTS} | {"ttft_ms": timings["ttft_ms"]}
    total = sum(timings[part] for part in PARTS)
    return row | {"gap_percent": round(100 * abs(reply["client_ms"] - total) / reply["client_ms"], 3)}


def summary(rows: list[dict]) -> None:
    for arm in ("off", "on", "streamed"):
        mine = [row for row in rows if row["arm"] == arm]
        line = f"{arm:<9} right {sum(row['right'] for row in mine)}/{len(mine)}"
        line += f", median client clock {statistics.median(row['client_ms'] for row in mine) / 1000:.2f} s"
        if arm != "off":
            line += f", needle kept {sum(row['kept'] for row in mine)}/{len(mine)}"
            line += f", median kept {statistics.median(row['kept_tokens'] for row in mine):.0f}"
            line += f" of {statistics.median(row['tokens'] for row in mine):.0f} tokens"
            gaps = [row["gap_percent"] for row in mine]
            line += f", times off the client's clock: median {statistics.median(gaps):.2f} %, worst {max(gaps):.2f} %"
        print(line)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--tokens", type=int, default=6000)
    parser.add_argument("--keep", type=float, default=0.1)
    parser.add_argument("--arms", default="off,on,streamed")
    parser.add_argument("--csv", type=pathlib.Path)
    arguments = parser.parse_args()

    client = openai.OpenAI(base_url=f"{arguments.url}/v1", api_key="none", timeout=1800, max_retries=0)
    rows = []
    for i, (prompt, needle, number) in enumerate(prompts(arguments.count, arguments.tokens)):
        for arm in arguments.arms.split(","):
            reply = ask(client, prompt, arm, arguments.keep)
            rows.append(row_of(i, arm, prompt, needle, number, reply))
            print(json.dumps(rows[-1] | {"answer": reply["text"][:60]}), file=sys.stderr, flush=True)
    summary(rows)
    if arguments.csv:
        names = list(dict.fromkeys(name for row in rows for name in row))
        with arguments.csv.open("w", newline="") as sink:
            writer = csv.DictWriter(sink, names)
            writer.writeheader()
            writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
