"""What `skimfill skim` prints, with the real small model."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from program import Run
from prompts import NEEDLE, QUESTION

PARTS = ("load", "tokenize", "score", "select", "other")


def skim_json(skimfill: Run, path: Path, *flags: str) -> dict:
    result = skimfill("skim", path, "--question", QUESTION, "--format", "json", *flags)
    assert result.returncode == 0, result.stderr
    assert result.stderr == b""
    return json.loads(result.stdout)


@pytest.fixture(scope="module", params=["utf8_file", "broken_file"])
def skimmed(request: pytest.FixtureRequest, skimfill: Run) -> tuple[bytes, dict]:
    path: Path = request.getfixturevalue(request.param)
    return path.read_bytes(), skim_json(skimfill, path, "--keep", "0.2")


def test_json_has_the_documented_fields(skimmed: tuple[bytes, dict]) -> None:
    _, report = skimmed
    assert set(report) == {
        "decision", "reason", "tokens", "kept_tokens", "spans", "path", "device", "timings_ms", "question",
    }  # fmt: skip
    assert report["decision"] == "skimmed"
    assert report["question"] == QUESTION
    assert report["path"] and report["device"] and report["reason"]


def test_the_times_add_up(skimmed: tuple[bytes, dict]) -> None:
    times = skimmed[1]["timings_ms"]
    assert set(times) == {*PARTS, "total"}
    assert sum(times[part] for part in PARTS) == pytest.approx(times["total"], abs=0.01)
    assert all(times[part] >= 0 for part in PARTS)
    assert times["load"] > 0 and times["score"] > 0


def test_offsets_are_bytes_of_the_file(skimmed: tuple[bytes, dict]) -> None:
    text, report = skimmed
    end = 0
    for span in report["spans"]:
        assert end <= span["begin"] < span["end"] <= len(text)
        end = span["end"]
        assert span["begin"] == 0 or text[span["begin"] - 1 : span["begin"]] in (b"\n", b" ")
    assert any(NEEDLE.encode() in text[span["begin"] : span["end"]] for span in report["spans"])


def test_no_more_is_kept_than_the_share(skimmed: tuple[bytes, dict]) -> None:
    _, report = skimmed
    assert 0 < report["kept_tokens"] <= 0.2 * report["tokens"]


@pytest.mark.parametrize("budget", [25, 200])
def test_a_budget_is_never_exceeded(skimfill: Run, utf8_file: Path, budget: int) -> None:
    report = skim_json(skimfill, utf8_file, "--budget", str(budget))
    assert report["kept_tokens"] <= budget < report["tokens"]


def test_keeping_everything_gives_the_same_bytes(skimfill: Run, broken_file: Path) -> None:
    result = skimfill("skim", broken_file, "--question", QUESTION, "--keep", "1")
    assert result.returncode == 0
    assert result.stdout == broken_file.read_bytes()
    assert b"whole" in result.stderr


def test_text_is_the_kept_text_with_marks_and_a_summary_beside_it(skimfill: Run, utf8_file: Path) -> None:
    result = skimfill(
        "skim", "-", "--question", QUESTION, "--keep", "0.2", "--mark", "<cut>", stdin=utf8_file.read_bytes()
    )
    assert result.returncode == 0
    assert NEEDLE in result.stdout.decode()
    assert "<cut>" in result.stdout.decode()
    original = utf8_file.read_text()
    for line in result.stdout.decode().replace("<cut>", "\n").splitlines():
        assert line.strip() in original
    assert "kept" in result.stderr.decode()
    assert "total" in result.stderr.decode()
    assert "\r" not in result.stderr.decode()  # no progress bar where stderr is no terminal


class Page(HTMLParser):
    """Text of the document, tags in balance, and everything that would be fetched."""

    VOID = {"meta", "link", "br", "img", "hr"}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""
        self.kept = ""
        self.fetched: list[str] = []
        self.ids: set[str] = set()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        if tag in ("script", "img", "iframe", "object", "link"):
            self.fetched.append(tag)
        for name, value in attrs:
            if name == "src" or (name == "href" and not (value or "").startswith("#")):
                self.fetched.append(f"{tag} {name}={value}")
            elif name == "href":
                self.links.append((value or "")[1:])
            elif name == "id":
                assert value not in self.ids
                self.ids.add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, (self.open, tag)
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if "pre" in self.open:
            self.text += data
            if "mark" in self.open:
                self.kept += data
        elif "style" in self.open:
            assert "url(" not in data and "@import" not in data


def test_html_is_one_page_that_shows_all_and_fetches_nothing(
    skimfill: Run, broken_file: Path, tmp_path: Path
) -> None:
    hostile = tmp_path / "<img src=x>.txt"
    hostile.write_bytes(b"<script>alert(1)</script> & \"quotes\" </pre>\n" + broken_file.read_bytes())
    out = tmp_path / "out.html"
    result = skimfill(
        "skim", hostile, "--question", QUESTION, "--keep", "0.2", "--format", "html", "--output", out
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == b"" and result.stderr == b""
    page = Page()
    page.feed(out.read_text(encoding="utf-8"))
    page.close()
    assert page.open == []
    assert page.fetched == []
    shown = hostile.read_bytes().decode("utf-8", errors="replace").replace("\x00", "\ufffd")
    assert page.text.removeprefix("\n") == shown
    assert NEEDLE in page.kept
    assert page.links and set(page.links) <= page.ids
    assert sorted(p.name for p in tmp_path.iterdir()) == [hostile.name, out.name]
