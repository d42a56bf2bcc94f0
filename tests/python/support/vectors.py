# SPDX-License-Identifier: Apache-2.0
"""The golden vectors that every language meets."""

from __future__ import annotations

from pathlib import Path

CONFORMANCE = Path(__file__).parents[2] / "conformance"


def vectors(folder: str) -> list[list[str]]:
    """Message, wire, bytes in and bytes out, of all lines that are no comments."""
    collected = []
    for path in sorted((CONFORMANCE / folder).glob("*.txt")):
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                name, wire, *content = [*line.split(), ""] if line.count(" ") < 2 else line.split()
                collected.append([name, wire, content[0], content[-1]])
    return collected
