# SPDX-License-Identifier: Apache-2.0
"""Every command's help ends with an example that its own options take."""

from __future__ import annotations

import shlex

import pytest

from support.commands import commands

COMMANDS = commands()
STUDIES = ["--from", "benchmarks"]
"""Option of ``bench`` before the name of a study."""


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_example_is_one(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    prefix, _, example = (command.epilog or "").partition(": wirecost ")
    given = shlex.split(example)
    if given[1:3] == STUDIES:
        del given[1:3]
    assert (prefix, given[: len(words)]) == ("Example", list(words))
    context = command.make_context(words[-1], given[len(words) :])
    assert context.params is not None
