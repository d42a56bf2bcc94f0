# SPDX-License-Identifier: Apache-2.0
"""The golden vectors through the generated Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from compiled import holder_of

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def vectors(folder: str) -> list[list[str]]:
    """Message, wire, bytes in and bytes out, of all lines that are no comments."""
    found = []
    for path in sorted((CONFORMANCE / folder).glob("*.txt")):
        for line in path.read_text().splitlines():
            if not line.startswith("#"):
                name, wire, *content = [*line.split(), ""] if line.count(" ") < 2 else line.split()
                found.append([name, wire, content[0], content[-1]])
    return found


def test_vectors_are_written_as_they_are_read():
    assert len(vectors("vectors")) > 100
    for name, wire, before, after in vectors("vectors"):
        message = getattr(holder_of(name), f"decode_{wire}")(bytes.fromhex(before))
        assert getattr(message, f"encode_{wire}")().hex() == after, (name, wire, before)


def test_what_is_no_message_is_refused():
    assert len(vectors("refused")) > 20
    for name, wire, content, *_ in vectors("refused"):
        with pytest.raises(ValueError, match=r"\w") as it:
            getattr(holder_of(name), f"decode_{wire}")(bytes.fromhex(content))
        assert type(it.value).__name__ == "WireError", content
