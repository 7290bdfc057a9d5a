"""Bad use ends with 2 and one line that says what to do; nothing is printed on stdout."""

from __future__ import annotations

from pathlib import Path

import pytest

from built import MODEL
from program import Run
from prompts import QUESTION


def refused(result, *words: str, code: int = 2) -> None:
    lines = result.stderr.decode().splitlines()
    assert result.returncode == code, result.stderr
    assert result.stdout == b""
    assert len(lines) == 1, lines
    assert lines[0].startswith("skimfill: ")
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize(
    "arguments, word",
    [
        ([], "--help"),
        (["skm"], "skim"),
        (["skim"], "FILE"),
        (["skim", "FILE"], "--question"),
        (["skim", "FILE", "--question", QUESTION, "--kep", "0.1"], "--keep"),
        (["skim", "FILE", "--question", QUESTION, "second"], "second"),
        (["skim", "FILE", "--question", QUESTION, "--format", "xml"], "json"),
        (["skim", "FILE", "--question", QUESTION, "--budget", "0"], "--budget"),
        (["skim", "FILE", "--question", QUESTION, "--segment", "9000"], "8192"),
        (["skim", "FILE", "--question", "  "], "--question"),
        (["skim", "FILE", "--question", QUESTION, "--output", "/nowhere/x"], "/nowhere"),
        (["skim", "FILE", "--question", QUESTION, "--drafter", "/nowhere.gguf"], "/nowhere.gguf"),
        (["skim", "/nowhere.txt", "--question", QUESTION], "/nowhere.txt"),
        (["skim", "/tmp", "--question", QUESTION], "directory"),
        (["skim", "/dev/null", "--question", QUESTION], "empty"),
        (["serve", "-m", str(MODEL), "--ddtree"], "--ddtree"),
        (["serve", "-m", str(MODEL), "--api-key", ","], "--api-key"),
        (["serve", "-m", str(MODEL), "--port", "0", "--ssl-key-file", "k.pem"], "--ssl-cert-file"),
        (["serve", "-m", str(MODEL), "--prefill-compression", "always"], "--prefill-drafter"),
        (["serve", "-m", str(MODEL), "--prefill-engine", "native"], "native"),
        (["serve", "-m", str(MODEL), "--llama-server", "/nowhere"], "--llama-server"),
        (["serve", "--port", "70000"], "--port"),
    ],
)
def test_bad_use_is_told_in_one_line(skimfill: Run, utf8_file: Path, arguments: list[str], word: str) -> None:
    refused(skimfill(*[str(utf8_file) if a == "FILE" else a for a in arguments]), word)


@pytest.mark.parametrize("share", ["0", "-1", "2", "nan", "inf", "", "a"])
def test_shares_out_of_range_are_refused(skimfill: Run, utf8_file: Path, share: str) -> None:
    refused(skimfill("skim", utf8_file, "--question", QUESTION, "--keep", share), "--keep", f"'{share}'")


def test_empty_stdin_is_refused(skimfill: Run) -> None:
    refused(skimfill("skim", "-", "--question", QUESTION), "stdin")


def test_without_a_drafter_it_says_where_to_get_one(skimfill: Run, utf8_file: Path, tmp_path: Path) -> None:
    result = skimfill("skim", utf8_file, "--question", QUESTION, SKIMFILL_DRAFTER="", SKIMFILL_CACHE=str(tmp_path))
    refused(result, "--drafter", "quickstart")


def test_a_file_that_is_no_model_is_a_failure_not_bad_use(skimfill: Run, utf8_file: Path) -> None:
    refused(skimfill("skim", utf8_file, "--question", QUESTION, "--drafter", utf8_file), str(utf8_file), code=1)


def test_a_target_that_is_no_model_is_told_before_anything_starts(skimfill: Run, utf8_file: Path) -> None:
    refused(skimfill("serve", "-m", utf8_file, "--llama-server", "/bin/true", "--port", "0"), str(utf8_file), code=1)


def test_a_variable_that_cannot_be_honoured_is_refused(skimfill: Run) -> None:
    refused(skimfill("serve", "-m", MODEL, AIP_MODE="PREDICTION", AIP_HTTP_PORT="x"), "AIP_HTTP_PORT")


@pytest.mark.parametrize("arguments", [["--help"], ["skim", "--help"], ["serve", "--help"], ["--version"]])
def test_help_and_version_are_no_errors(skimfill: Run, arguments: list[str]) -> None:
    result = skimfill(*arguments)
    assert result.returncode == 0
    assert result.stdout.startswith(b"skimfill") or b"skimfill skim" in result.stdout
    assert result.stderr == b""
