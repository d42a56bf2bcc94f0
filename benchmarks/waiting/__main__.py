# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.waiting``: writes docs/results/waiting.md in about ten minutes.

On a machine that does nothing else: ``make results`` runs it first.
"""

from __future__ import annotations

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from .compilers import compilers
from .page import PAGE, Result, text
from .rows import Row, rows
from .runs import imports, waited


def measured(row: Row, folder: Path) -> Result:
    """Measure a row and, where its goal is missed, what takes the time."""
    print(row.work, file=sys.stderr, flush=True)
    run = partial(waited, folder=folder, is_counted=row.is_counted)
    own = run(row.words, cache=row.cache, is_cold=row.is_cold, awaited=row.awaited)
    peer = run(row.peer, cache=None, is_cold=False, awaited="") if row.peer else None
    result = Result(row, own, peer)
    if result.is_met:
        return result
    missed_by = compilers(row.words, folder) if row.is_cold else imports(row)
    return Result(row, own, peer, missed_by)


def main() -> None:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # where it is set, every start compiles anew
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = text([measured(row, folder) for row in rows(folder)])
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
