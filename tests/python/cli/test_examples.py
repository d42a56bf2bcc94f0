# SPDX-License-Identifier: Apache-2.0
"""Every command's help ends with an example that its own options take."""

from __future__ import annotations

import shlex

import pytest

from support.commands import commands

COMMANDS = commands()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_example_is_one(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    # A study's example names the folder in which it is found, here by a variable.
    example_text = (command.epilog or "").replace(" --from benchmarks", "")
    assert example_text.startswith(f"Example: wirecost {' '.join(words)}")
    example = shlex.split(example_text.removeprefix("Example: wirecost "))
    given = example[len(words) :]
    context = command.make_context(words[-1], given)
    assert context.params is not None
