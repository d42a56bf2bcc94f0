# SPDX-License-Identifier: Apache-2.0
"""The golden vectors through the generated Python."""

from __future__ import annotations

import pytest

from support.compiled import holder_of
from support.vectors import vectors


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
