"""Texts that are long for a small model, with one line that the question needs."""

from __future__ import annotations

QUESTION = "What is the code of the north gate?"
NEEDLE = "The code of the north gate is 7391, as the caretaker wrote down."


def document(lines: int) -> str:
    """About 18 tokens a line, with the answer two thirds down."""
    places = ["café", "Straße", "naïve garden", "東京 office", "harbour"]
    text = [f"On day {i} the {places[i % 5]} was open until {i % 12 + 1} o'clock and quiet." for i in range(lines)]
    text.insert(lines * 2 // 3, NEEDLE)
    return "\n".join(text) + "\n"


def chat(lines: int, **fields: object) -> dict[str, object]:
    return {
        "messages": [
            {"role": "system", "content": "Answer in one short sentence."},
            {"role": "user", "content": f"{document(lines)}\n\n{QUESTION}"},
        ],
        **fields,
    }
