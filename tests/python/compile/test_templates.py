# SPDX-License-Identifier: Apache-2.0
"""The form of printed text."""

from __future__ import annotations

from syrupy.assertion import SnapshotAssertion

from wirecost.schema.compile.emit.templates import tidy


def test_empty_lines_are_kept_up_to_a_number_and_never_at_the_ends() -> None:
    text = "\n\na  \n\n\n\nb\n \n"
    assert tidy(text) == "a\n\nb\n"
    assert tidy(text, empty_lines=2) == "a\n\n\nb\n"


def test_braces_hold_no_empty_lines(snapshot: SnapshotAssertion) -> None:
    text = "class A {\n\n  x\n\n  }\n\n};\n"
    tidied = {"behind braces": tidy(text), "nowhere": tidy(text, behind_braces=False)}
    assert tidied == snapshot
