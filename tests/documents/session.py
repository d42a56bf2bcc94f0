# SPDX-License-Identifier: Apache-2.0
"""Pages whose commands are run: what stands under a command is what it printed.

A block of ``console`` behind ``<!-- run: HOW -->`` has commands behind ``$ `` and, under each, its
output. A block behind ``<!-- file: NAME -->`` is the content of that file. All commands of a page
run in one empty folder, in the page's order; tests run them with the programs of an installed
wheel. Where a page says "in a checkout", ``benchmarks`` lies in that folder.
``<!-- recording: NAME is PATH -->`` puts the file at PATH in ``WIRECOST_DATA`` there, as NAME, when
the page is written, or runs the repository's program at PATH, which makes it. HOW:

- ``exact``: the output is the same each time.
- ``measured``: it has times; each of its words without a digit is printed each time.
- ``noisy``: even words depend on what else the machine does; the exit status is the same each time.
- ``long``: as ``measured``, but it takes longer than a test may; ``make results`` runs it.

A command that must fail has its exit status behind it: ``$ false  # exit 1``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from documents.runs import ROOT

BLOCK = re.compile(
    r"<!-- (?P<kind>run|file): (?P<what>[^\n]+?) -->\n```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
RECORDING = re.compile(r"<!-- recording: (?P<name>\S+) is (?P<path>\S+) -->")
ORIGIN = re.compile(r"^<!-- ran: .*? -->\n[^\n]*$", re.MULTILINE)
HOWS = ("exact", "measured", "noisy", "long")
DATA = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data"))
HERE = Path(sys.executable).parent
WIDTH = 80
TIMEOUT_S = 900
PASSING = re.compile(
    r"^(?: *\d+ %  |wirecost probe: .* not counted on this )[^\n]*\n", re.MULTILINE
)
"""Progress, and what this machine's processor does not count."""
EXIT = re.compile(r"  # exit (\d+)$")


@dataclass(frozen=True)
class Command:
    """``line`` as the page has it, and what stands under it."""

    line: str
    output: str
    how: str

    @property
    def status(self) -> int:
        match = EXIT.search(self.line)
        return int(match[1]) if match else 0


@dataclass(frozen=True)
class FileBlock:
    name: str
    content: str


def steps(text: str) -> Iterator[Command | FileBlock]:
    """Return the steps of a page in its order. Raises ValueError for an unknown mark."""
    for block in BLOCK.finditer(text):
        if block["kind"] == "file":
            yield FileBlock(block["what"], block["text"])
            continue
        if block["what"] not in HOWS:
            raise ValueError(f"run: {block['what']}: one of {', '.join(HOWS)}")
        for part in re.split(r"^\$ ", block["text"], flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            while line.endswith("\\"):
                more, _, output = output.partition("\n")
                line += f"\n{more}"
            yield Command(line, output, block["what"])


def perform(step: Command | FileBlock, folder: Path, programs: Path = HERE) -> str:
    """Perform a step and return what a command printed; nothing of a file.

    ``programs``: folder of ``wirecost`` and ``python``. Raises AssertionError where the
    exit status is not the page's.
    """
    if isinstance(step, FileBlock):
        path = folder / step.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(step.content)
        return ""
    studies = folder / "benchmarks"
    if f"--from {studies.name}" in step.line and not studies.exists():
        studies.symlink_to(ROOT / studies.name)
    done = subprocess.run(
        ["bash", "-c", EXIT.sub("", step.line)],
        cwd=folder,
        env=environment(programs),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == step.status, f"{step.line}\n{done.stdout}"
    lines = PASSING.sub("", done.stdout).strip("\n").splitlines()
    return "".join(f"{_folded(line)}\n" for line in map(str.rstrip, lines))


def _folded(line: str) -> str:
    """Fold a sentence as a terminal shows it; lines of tables fit."""
    return line if len(line) <= WIDTH else textwrap.fill(line, WIDTH)


def environment(programs: Path) -> dict[str, str]:
    """Return a terminal of 80 columns without colours that finds the programs first."""
    own = ("WIRECOST_", "PYTHON")
    here = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    path = f"{programs}:{here['PATH']}"
    return here | {"PATH": path, "COLUMNS": str(WIDTH), "NO_COLOR": "1", "TERM": "dumb"}


def agrees(step: Command, printed: str) -> bool:
    """Return whether a page's output is what was printed, as far as it can be the same."""
    if step.how == "noisy":
        return bool(step.output) <= bool(printed)
    if step.how == "exact":
        return step.output == printed
    return steady(step.output) <= steady(printed)


def steady(output: str) -> set[str]:
    """Words without a digit."""
    return {word for word in output.split() if not re.search(r"[\d─]", word)}


def rewritten(text: str, folder: Path, ran: str, programs: Path = HERE) -> str:
    """Return a page with everything run anew. ``ran``: where and when.

    Raises OSError if a recording is not there."""
    for recording in RECORDING.finditer(text):
        if recording["path"].endswith(".py"):
            script = ROOT / recording["path"]
            subprocess.run([sys.executable, script, folder / recording["name"]], check=True)
        else:
            shutil.copy(DATA / recording["path"], folder / recording["name"])

    def block(found: re.Match[str]) -> str:
        parts = []
        for step in steps(found[0]):
            printed = perform(step, folder, programs)
            if isinstance(step, FileBlock):
                return found[0]
            parts.append(f"$ {step.line}\n{printed}")
        head = found[0][: found[0].index("\n```")]
        return f"{head}\n```{found['language']}\n{''.join(parts)}```"

    return ORIGIN.sub(f"<!-- ran: by make results -->\n{ran}", BLOCK.sub(block, text))
