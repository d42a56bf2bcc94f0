# SPDX-License-Identifier: Apache-2.0
"""The accessibility of a page, as axe-core judges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.chromium import Browser

AXE = Path(__file__).parents[3] / "build" / "axe" / "axe.min.js"
CHECK = """axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations
    .filter(one => ["serious", "critical"].includes(one.impact))
    .map(one => `${one.id}: ${one.nodes[0].target} ${one.nodes[0].failureSummary}`))"""


def needs_axe() -> None:
    if not AXE.exists():
        pytest.skip("no axe-core; `make test` fetches it")


def serious_faults(tab: Browser) -> list[str]:
    """Return the serious faults of the open page; empty where nobody is kept out."""
    tab.run(AXE.read_text())
    faults: list[str] = tab.run(CHECK)
    return faults
