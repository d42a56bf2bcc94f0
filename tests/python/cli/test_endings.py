# SPDX-License-Identifier: Apache-2.0
"""Every command that answers has the same options, and one function ends it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import wirecost.cli
from support.answers import all_of, first_screen
from support.commands import commands
from wirecost.results.report.shared import markdown
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.page import page

COMMANDS = {" ".join(words): command for words, command in commands().items()}
SOURCES = Path(wirecost.cli.__file__).parent
OTHERS = {"compile", "replay"}
"""--json or --report is something else there: a codec for JSON, whether to write the page."""
ENDS = re.compile(r"(?<![.\w])(print_answer|print_whole|print_table)\(")
MAY_PRINT = {
    "ending.py",
    "cost_live.py",  # a table that is renewed while it listens
    "measuring.py",  # the first rounds of a run that goes on
    "report.py",  # tables by their names
}


def _answers() -> list[str]:
    return [
        name
        for name, command in COMMANDS.items()
        if any("--json" in option.opts for option in command.params)
        and not name.startswith("bench ")
        and name not in OTHERS
    ]


@pytest.mark.parametrize("name", _answers())
def test_an_answer_is_printed_whole_and_written_in_every_form(name: str) -> None:
    options = {word for option in COMMANDS[name].params for word in option.opts}
    assert options >= {"--json", "--report", "--all"}


def test_one_function_ends_a_command() -> None:
    printing = {path.name for path in SOURCES.glob("*.py") if ENDS.search(path.read_text())}
    assert printing - MAY_PRINT == set()


@pytest.mark.parametrize("step", ["Faster:\nwirecost compile [a] x.proto", "Run it again"])
def test_a_step_is_text_and_a_command_in_every_form(step: str) -> None:
    answer = Answer("Install `wirecost[ros2]`.", steps=[step], heading="a [b] c")
    text, _, command = step.partition("\n")
    forms = [first_screen(answer), all_of(answer), markdown.answer(answer)]
    forms.append(page(answer).split("<script>")[0])
    for form in forms:
        assert "\\n" not in form
        assert text.rstrip(":") in form and command in form
    assert all("wirecost[ros2]" in form for form in forms[:2])
