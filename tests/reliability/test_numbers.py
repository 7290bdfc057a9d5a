"""H3: numbers out of range, in fields and in flags.

The share to keep on `skimfill skim` is in tests/cli/test_bad_use.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from asking import CHAT, FORMS, MESSAGES, NATIVE, RESPONSES, TEXT, Form, ask, encoded
from gateway_process import Gateway
from staging import Staged

TOO_LARGE = (2147483648, 9223372036854775808, 10**18, -9223372036854775809)
# As written in the body: what a parser makes of it is part of the case.
WRONG: list[tuple[str, tuple[str, ...]]] = [
    ("temperature", ("-1", "1e999", "-0.1", '"0.7"', '"NaN"', "NaN", "true", "[]")),
    ("top_p", ("-0.1", "1.0001", "1e999", '"1"')),
    ("min_p", ("2", "-1", '"0"')),
    ("frequency_penalty", ("1e9", "1e999", '"0"')),
    ("presence_penalty", ("1e9", "-1e9")),
    ("repeat_penalty", ("1e9", '"1"')),
    ("seed", ("18446744073709551616", "1.5", '"5"', "true")),
    ("top_k", ("2147483648", "2.5", '"40"')),
    ("skim", ('{"keep_ratio":0}', '{"keep_ratio":-1}', '{"keep_ratio":2}', '{"keep_ratio":"0.1"}')),
    ("skim", ('{"budget":0}', '{"budget":-1}', '{"budget":2.5}', '{"budget":9223372036854775808}')),
]


@pytest.mark.parametrize(("name", "values"), WRONG)
@pytest.mark.parametrize("form", [CHAT, NATIVE], ids=lambda form: form.name)
def test_numbers_out_of_range_are_named(staged: Staged, form: Form, name: str, values: tuple[str, ...]) -> None:
    gateway, server = staged
    for value in values:
        answer = ask(gateway.port, form, encoded(form.body("x", 4))[:-1] + f',"{name}":{value}}}'.encode())
        assert answer.status == 400, (name, value)
        if value != "NaN":  # that is no JSON at all
            assert name in answer.error["message"], (value, answer.error)
    assert server.received == []


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_limits_out_of_range_are_named(staged: Staged, form: Form) -> None:
    gateway, server = staged
    for value in (*TOO_LARGE, 2.5, True, "5", [], -2):
        answer = ask(gateway.port, form, form.body("x", None, **{form.limit: value}))
        assert answer.status == 400, value
        assert form.limit in answer.error["message"], (value, answer.error)
    assert server.received == []


def produced(value: dict) -> int:
    if "tokens_predicted" in value:
        return value["tokens_predicted"]
    return value["usage"].get("completion_tokens", value["usage"].get("output_tokens"))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_limits_hold_exactly(toy_child: Gateway, form: Form) -> None:
    for limit in (1, 2, 3, 17):
        answer = ask(toy_child.port, form, form.body("x", limit, temperature=0))
        assert answer.status == 200, answer.body
        assert produced(answer.value) == limit
        # llama-server calls a response complete that ran into its limit.
        assert answer.finish == {MESSAGES: "max_tokens", RESPONSES: "completed"}.get(form, "length")


def test_of_two_limits_none_is_exceeded_in_silence(toy_child: Gateway) -> None:
    answer = ask(toy_child.port, CHAT, CHAT.body("x", None, max_completion_tokens=3))
    assert (produced(answer.value), answer.finish) == (3, "length")
    answer = ask(toy_child.port, CHAT, CHAT.body("x", 20, max_completion_tokens=3))
    assert answer.status == 400 or produced(answer.value) in (3, 20)


def test_the_largest_legal_limit_does_not_overflow(toy_child: Gateway) -> None:
    """The prompt's length and the limit add up beyond 32 bits: the context ends it, or the first stop word."""
    answer = ask(toy_child.port, CHAT, CHAT.body("x", 2147483647, temperature=0, stop=["\n\n\n"]))
    assert answer.status == 200
    assert produced(answer.value) < 20


@pytest.mark.parametrize("value", ["0", "1e-5", "1e30", "1E0", "0.70"])
def test_odd_but_legal_temperatures(toy_child: Gateway, value: str) -> None:
    for form in (CHAT, TEXT, NATIVE):
        answer = ask(toy_child.port, form, encoded(form.body("x", 2))[:-1] + f',"temperature":{value}}}'.encode())
        assert answer.status == 200, answer.body


@pytest.mark.parametrize("fields", [{"top_k": -1}, {"top_k": 0}, {"seed": -1}, {"top_p": 0}, {"top_p": 1}, {"min_p": 0}])
def test_odd_but_legal_settings(toy_child: Gateway, fields: dict) -> None:
    for form in (CHAT, NATIVE):
        assert ask(toy_child.port, form, form.body("x", 2, **fields)).status == 200


@pytest.mark.parametrize(
    ("flag", "values"),
    [
        ("--prefill-keep-ratio", ("nan", "0", "-1", "2", "inf", "")),
        ("--prefill-budget", ("0", "-1", "2.5", "9223372036854775808")),
        ("--prefill-threshold", ("-1", "x", "9223372036854775808")),
        ("--prefill-segment", ("0", "63", "8193", "1e3")),
        ("--max-queue", ("-1", "x", "9223372036854775808")),
        ("--max-parallel", ("0", "-1", "2.5")),
        ("--max-body-mib", ("0", "-1", "x")),
        ("--drain-seconds", ("-1", "nan")),
        ("--max-connections", ("0", "-1")),
    ],
)
def test_flags_are_tested_like_fields(toy: Path, tmp_path: Path, flag: str, values: tuple[str, ...]) -> None:
    for value in values:
        gateway = Gateway("-m", toy, flag, value, folder=tmp_path)
        assert gateway.wait() == 2, (value, gateway.log)
        [line] = gateway.log.splitlines()
        assert flag in line
