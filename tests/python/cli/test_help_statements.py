# SPDX-License-Identifier: Apache-2.0
"""What the help of an option says of its kind is true: its condition, its repetition, its names."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.commands import commands
from wirecost.__main__ import main

CONDITION = re.compile(r"With (--[a-z]|several|a store)")
REPEATED = re.compile(r"can be repeated|repeatable|once for each")
LISTED = 12
"""Names of an option, up to which its help has them all."""
ELSEWHERE = {"--type"}
"""Options whose help names an example instead."""
FILES = {
    ("cost",): ["drive.mcap"],
    ("compare",): ["run", "run"],
    ("compile",): ["state.proto", "--out", "out"],
    ("record",): ["/node"],
    ("replay",): ["recording"],
    ("bench", "message"): ["state.proto"],
    ("heap", "run"): ["--", "true"],
    ("probe", "run"): ["--", "true"],
    ("probe", "attach"): ["1"],
    ("probe", "show"): ["a.wprobe"],
    ("trace", "convert"): ["a.osi", "b.osi"],
    ("trace", "play"): ["a.osi", "--fmu", "a.fmu"],
}
"""Arguments of commands that need some."""
VALUES = {
    "TIME": "2s", "PORT": "9100", "SIZE": "1MB", "SIZE|auto": "1MB", "PATH": sys.executable,
    "N": "2", "PERCENT": "5%", "WHAT": "p50", "REVISION": "a", "REGEX": "a",
    "MESSAGE,…": "State",
    "ADDRESS": "127.0.0.1", "MIDDLEWARE": "zeromq", "HOST:PORT": "a:1", "WORD": "abcdefgh",
    "FILE": "token", "NAME": "osi", "FORMATS": "svg",
    "MEANS": "xray", "FIELD=HOW": "a=auto",
}  # fmt: skip
"""A value of each kind, other than the default."""


def declared() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command's words and each of its options and arguments."""
    for words, command in commands().items():
        yield from ((words, parameter) for parameter in command.params)


CONDITIONAL = [
    (words, parameter)
    for words, parameter in declared()
    if parameter.param_type_name == "option" and CONDITION.match(parameter.help or "")
]


@pytest.mark.parametrize(
    ("words", "parameter"), CONDITIONAL, ids=lambda item: str(getattr(item, "opts", item))
)
def test_an_option_is_refused_without_the_one_that_it_is_for(
    words: tuple[str, ...],
    parameter: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "token").write_text("abcdefgh\n")
    value = [] if parameter.is_flag else [VALUES[str(parameter.metavar)]]
    given = ["wirecost", *words, parameter.opts[-1], *value, *FILES.get(words, [])]
    monkeypatch.setattr(sys, "argv", given)
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capfd.readouterr()
    assert ended.value.code == 2
    assert parameter.opts[-1] in printed.err


def options() -> list[tuple[tuple[str, ...], Any]]:
    """Return every command's options."""
    return [item for item in declared() if item[1].param_type_name == "option"]


def test_help_says_which_options_can_be_repeated() -> None:
    wrong = [
        (*words, parameter.opts[-1])
        for words, parameter in options()
        if bool(REPEATED.search(parameter.help or "")) != parameter.multiple
    ]
    assert wrong == []


def test_help_names_no_file_that_a_wheel_lacks() -> None:
    assert not [words for words, parameter in declared() if "docs/" in (parameter.help or "")]


def test_help_lists_the_names_that_an_option_takes() -> None:
    missing = {}
    for words, parameter in options():
        complete = parameter._custom_shell_complete
        names = [item.value for item in complete(None, parameter, "")] if complete else []
        if len(names) <= LISTED and parameter.opts[-1] not in ELSEWHERE:
            text = f"{parameter.help} {parameter.default}"
            missing[*words, parameter.opts[-1]] = [name for name in names if name not in text]
    assert {option: names for option, names in missing.items() if names} == {}
