# SPDX-License-Identifier: Apache-2.0
"""README fits in two screens and leads to every page that a newcomer needs."""

from __future__ import annotations

import re

from documents.runs import ROOT

README = (ROOT / "README.md").read_text()


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 120


def test_it_links_every_tutorial() -> None:
    tutorials = {f"docs/tutorials/{path.name}" for path in (ROOT / "docs/tutorials").glob("*.md")}
    assert tutorials <= set(re.findall(r"\]\(([^)#]+)", README))


def test_every_link_of_it_leads_somewhere() -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)
    assert [link for link in links if not (ROOT / link).exists()] == []
