# SPDX-License-Identifier: Apache-2.0
"""Pages show of commands what the commands print."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents import session
from documents.blocks import documents
from documents.pages import pages
from documents.runs import ROOT
from documents.session import ORIGIN, Command, FileBlock, agrees, perform, rewritten, steps


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_commands_print_what_the_page_shows(
    page: Path, tmp_path: Path, installed_wheel: Path
) -> None:
    for step in steps(page.read_text()):
        if isinstance(step, FileBlock):
            perform(step, tmp_path)
        elif step.how != "long":  # `make results` runs those
            printed = perform(step, tmp_path, installed_wheel / "bin")
            assert agrees(step, printed), f"{step.line}\nprinted:\n{printed}"


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_says_where_it_was_run(page: Path) -> None:
    (found,) = ORIGIN.findall(page.read_text())
    assert "commit" in found


PAGE = """<!-- file: words.txt -->
```text
one 1
```
<!-- run: exact -->
```console
$ cat words.txt
one 1
$ false  # exit 1
```
<!-- ran: by make results -->
then
"""


def test_a_page_is_run_in_its_order(tmp_path: Path) -> None:
    made, shown, failing = steps(PAGE)
    assert made == FileBlock("words.txt", "one 1\n")
    assert shown == Command("cat words.txt", "one 1\n", "exact")
    assert isinstance(failing, Command)
    assert failing.status == 1
    assert rewritten(PAGE, tmp_path, "now") == PAGE.replace("then", "now")


def test_a_recording_lies_beside_a_page_that_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "long_name.mcap").write_text("two")
    monkeypatch.setattr(session, "DATA", tmp_path / "data")
    page = """<!-- recording: drive.mcap is long_name.mcap -->
<!-- run: long -->
```console
$ cat drive.mcap
one
```
"""
    assert rewritten(page, tmp_path, "now") == page.replace("one", "two")


def test_what_the_first_page_shows_is_printed_of_the_recording_that_its_program_makes(
    tmp_path: Path, installed_wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))  # no prices of this machine
    text = (ROOT / "README.md").read_text()
    written = rewritten(text, tmp_path, "now", installed_wheel / "bin")
    (shown,), (printed,) = (list(steps(each)) for each in (text, written))
    assert isinstance(shown, Command) and isinstance(printed, Command)
    assert shown.line == "wirecost cost --example"
    assert agrees(shown, printed.output) and agrees(printed, shown.output)


def test_another_output_and_another_status_are_noticed(tmp_path: Path) -> None:
    changed = PAGE.replace("one 1\n$", "one 2\n$")
    _, shown, _ = steps(changed)
    assert isinstance(shown, Command)
    assert not agrees(shown, "one 1\n")
    assert rewritten(changed, tmp_path, "then") == PAGE
    with pytest.raises(AssertionError, match="false"):
        perform(Command("false", "", "exact"), tmp_path)


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        ("name  median\n────\na 2 ms\nSlow.\n", True),
        ("name median\na 12 ms\nb 3 ms\nSlow.\n", True),
        ("name mean\na 2 ms\nSlow.\n", False),
        ("name median\na 2 ms\n", False),
    ],
)
def test_of_measured_outputs_the_words_without_digits_count(printed: str, same: bool) -> None:
    step = Command("x", "name median\n───────\na 1 ms\nSlow.\n", "measured")
    assert agrees(step, printed) is same


FENCE = re.compile(r"^```.*?^```|`[^`\n]+`|<!--.*?-->", re.DOTALL | re.MULTILINE)
OTHERWISE = {
    r"\bmwares?\b": "middleware",
    r"\bprocessor time\b": "CPU time",
    r"\bquick(?:er|est|ly)?\b": "fast",
    r"\bmade-up\b": "synthetic",
    r"\b(?:the|its|a) begin\b": "start",
    r"\btransports?\b (?:costs?|carries|loses?|survives?)": "middleware",
}
"""Words that this field does not use, and the one that it does."""


@pytest.mark.parametrize("page", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_sentences_use_the_words_of_the_field(page: Path) -> None:
    prose = FENCE.sub("", page.read_text())
    assert [(word, use) for word, use in OTHERWISE.items() if re.search(word, prose, re.I)] == []
