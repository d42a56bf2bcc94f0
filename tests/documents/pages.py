# SPDX-License-Identifier: Apache-2.0
"""Commands of pages, run anew.

``python -m documents.pages [PAGE…]`` writes what they print under them; without a page, of all
that have some."""

from __future__ import annotations

import datetime
import subprocess
import sys
import tempfile
from pathlib import Path

from documents.blocks import documents
from documents.runs import ROOT
from documents.session import BLOCK, rewritten
from wirecost.observe.doctor.environment import environment


def pages() -> list[Path]:
    """Return the pages that have something to run."""
    return [path for path in documents() if BLOCK.search(path.read_text())]


def ran() -> str:
    """Return place and time of the run in one line."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude", "*"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    where = environment()
    kind = "virtual machine" if where["virtual_machine"] else "machine"
    return (
        f"Commands and outputs: commit {commit}, {datetime.date.today()}, "
        f"{where['cpu']}, {where['usable_cores']} cores, {kind}, {where['os']}."
    )


def main(names: list[str]) -> int:
    """Run the pages' commands and return the exit status."""
    page_of = {path.relative_to(ROOT).as_posix(): path for path in pages()}
    if unknown := [name for name in names if name not in page_of]:
        print(f"documents: no page {unknown[0]}; there are {', '.join(page_of)}", file=sys.stderr)
        return 2
    for name in names or page_of:
        text = page_of[name].read_text()
        with tempfile.TemporaryDirectory() as folder:
            new = rewritten(text, Path(folder), ran())
        if new != text:
            page_of[name].write_text(new)
            print(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
