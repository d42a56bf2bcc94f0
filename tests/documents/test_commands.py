# SPDX-License-Identifier: Apache-2.0
"""Every command line in pages is one that an installed wheel takes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from documents.commands import Named, named, pages, without_checkout
from documents.runs import ROOT
from documents.session import environment

PARSE = Path(__file__).parent / "programs" / "parse.py"


LINES = [line for page in pages() for line in named(page)]


def faults(python: Path, folder: Path, lines: list[Named]) -> list[str]:
    """Return the command lines that an installation refuses, and why."""
    done = subprocess.run(
        [python, PARSE],
        input=json.dumps([(line.words, line.is_mention) for line in lines]),
        cwd=folder,
        env=environment(python.parent),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    why = json.loads(done.stdout.splitlines()[-1])
    return [f"{line}: {fault}" for line, fault in zip(lines, why, strict=True) if fault]


def test_an_installed_wheel_takes_every_command_line(installed_wheel: Path, tmp_path: Path) -> None:
    lines = [line for line in LINES if not line.needs_checkout]
    assert len(lines) > 150
    wrong = faults(installed_wheel / "bin" / "python", tmp_path, lines)
    assert not wrong, "\n".join(wrong)


def test_a_checkout_takes_those_that_need_one() -> None:
    lines = [line for line in LINES if line.needs_checkout]
    assert len(lines) > 5
    wrong = faults(Path(sys.executable), ROOT, lines)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_says_what_needs_a_checkout(page: Path) -> None:
    if page.parent != ROOT or page.name == "README.md":  # the others are for those who have one
        assert list(without_checkout(page.read_text())) == []


WRONG = """Try `wirecost bench --to` or `wirecost nothing`.

    wirecost doctor --noises 10
    wirecost compile a.proto  # without --out
    wirecost heap run -- python examples/tensors/x.py

In a checkout:

    make run
"""


def test_what_no_installation_takes_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(WRONG)
    assert len(faults(Path(sys.executable), tmp_path, list(named(page)))) == 4
    (line,) = without_checkout(WRONG)
    assert "examples/tensors" in line
