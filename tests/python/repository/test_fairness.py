# SPDX-License-Identifier: Apache-2.0
"""docs/fairness.md says what is pinned and what is registered."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "fairness.md").read_text()
PINNED = {
    "cpp/rivals/protobuf/fetch": r"^version=(.+)$",
    "cpp/rivals/flatbuffers/fetch": r"^version=(.+)$",
    "setup/protobuf-java": r"^version=(.+)$",
    "setup/python-run.txt": r"^protobuf==(.+)$",
}


@pytest.mark.parametrize("path, pattern", PINNED.items())
def test_the_page_has_the_versions_that_are_pinned(path: str, pattern: str) -> None:
    (version,) = re.findall(pattern, (ROOT / path).read_text(), re.MULTILINE)
    assert re.search(rf"\b{re.escape(version)}\b", PAGE), f"{path}: {version}"


def test_the_page_has_every_contender_of_the_default_set() -> None:
    lines = (ROOT / "cpp/wirecost/codec/registry.csv").read_text().splitlines()
    for row in csv.reader(line for line in lines if not line.startswith("#")):
        if row[6] == "yes":
            assert f"`{row[0]}`" in PAGE, row[0]
