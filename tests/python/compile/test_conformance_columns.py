# SPDX-License-Identifier: Apache-2.0
"""The golden vectors of the columns wire through the generated Python."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from support.columns_random import SAMPLES, columns_of, rows_of, same_within
from support.columns_reference import Reduction
from support.columns_reference import columns as columns_by_reference
from support.compiled import google_class
from support.random_protobuf import fill

CONFORMANCE = Path(__file__).parents[2] / "conformance"
REDUCTIONS = {
    "exact": Reduction(),
    "auto": Reduction("auto"),
    "float32": Reduction("float32"),
    "error:0.01": Reduction("error", 0.01),
}


def lines(folder: str) -> list[list[str]]:
    """Return the words of all lines that are no comments."""
    texts = [path.read_text() for path in sorted((CONFORMANCE / folder).glob("*.txt"))]
    return [
        line.partition("#")[0].split()
        for text in texts
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]


def error_of(reduction: str) -> float:
    return float(reduction.partition(":")[2] or 0)


def test_rows_become_these_columns():
    vectors = lines("vectors-columns")
    assert len(vectors) > 40
    for name, reduction, columns, *rows in vectors:
        held = rows_of(name, bytes.fromhex("".join(rows)))
        stored = columns_of(name).from_rows(held, reduction)
        assert stored.hex() == columns, (name, reduction, rows)


def test_columns_become_these_rows():
    for name, reduction, columns, *rows in lines("vectors-columns"):
        held = columns_of(name).read(bytes.fromhex(columns)).to_rows()
        expected = rows_of(name, bytes.fromhex("".join(rows)))
        if error_of(reduction) or reduction == "float32":
            same_within(held, expected, error_of(reduction))
        else:
            assert encoded(held) == encoded(expected), (name, reduction, columns)


def encoded(rows: list[Any]) -> list[str]:
    return [row.encode_protobuf().hex() for row in rows]


def test_what_is_no_columns_is_refused():
    refused = lines("refused-columns")
    assert len(refused) > 20
    for name, *content in refused:
        with pytest.raises(ValueError, match=r"\w") as it:
            columns_of(name).read(bytes.fromhex("".join(content)))
        assert type(it.value).__name__ == "WireError", content


@pytest.mark.parametrize("name", SAMPLES)
def test_random_rows_become_the_columns_of_the_reference(name: str):
    google, ours = google_class(name), columns_of(name)
    for seed in range(60):
        chance = random.Random(f"{name} {seed}")
        different = [fill(google(), chance) for _ in range(chance.choice((1, 2, 3, 8)))]
        rows = sorted(chance.choices(different, k=chance.choice((1, 3, 8, 65))), key=id)
        texts = [row.SerializeToString(deterministic=True) for row in rows]
        held = [ours.NODE.holder.decode_protobuf(text) for text in texts]
        for how, reduction in REDUCTIONS.items():
            expected = columns_by_reference(rows, google.DESCRIPTOR, reduction)
            assert ours.from_rows(held, how) == expected, (seed, how)
