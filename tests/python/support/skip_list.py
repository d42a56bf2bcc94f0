# SPDX-License-Identifier: Apache-2.0
"""The skips that CI allows, as setup/skips.txt lists them; used by pytest and setup/check-skips."""

from __future__ import annotations

import os
import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

LIST = Path("setup", "skips.txt")
ON_SOME_MACHINES = "on some machines: "


class Skip(NamedTuple):
    test: str
    reason: str


def in_ci() -> bool:
    return os.environ.get("CI") == "true"


@cache
def allowed(root: Path) -> dict[str, str]:
    """Patterns of ``test :: reason``, each with why that cannot be there in CI."""
    lines = (root / LIST).read_text().splitlines() if (root / LIST).is_file() else []
    return dict(re.split(r"\t+| {2,}", line, maxsplit=1) for line in lines if line[:1] not in "#")


def covers(pattern: str, skip: Skip) -> bool:
    return fnmatchcase(" :: ".join(skip), pattern)


def refusal(root: Path, skip: Skip) -> str | None:
    """Return the message about a skip that is not allowed here."""
    if not in_ci() or any(covers(pattern, skip) for pattern in allowed(root)):
        return None
    return f"skipped in CI but not listed in {LIST}: {skip.test}: {skip.reason}"


def counts(skips: list[Skip]) -> list[str]:
    """Return a line for each reason."""
    return [f"{n:5}  {reason}" for reason, n in Counter(s.reason for s in skips).most_common()]


def unneeded(root: Path, kinds: tuple[str, ...], skips: list[Skip]) -> list[str]:
    """Warnings in CI of patterns that match no skip, where all tests of these kinds ran."""
    return [
        f"warning: {LIST} allows what is not skipped: {pattern}"
        for pattern, why in allowed(root).items()
        if in_ci() and pattern.startswith(kinds) and not why.startswith(ON_SOME_MACHINES)
        if not any(covers(pattern, skip) for skip in skips)
    ]
