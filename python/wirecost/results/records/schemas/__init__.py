# SPDX-License-Identifier: Apache-2.0
"""Schemas of the result folders of each scenario, one scenario a module.

The order of the modules is that of the columns that scenarios add to a CSV file.
"""

from __future__ import annotations

from pathlib import Path

from wirecost.results.records.schemas.common import Scenario
from wirecost.system.plugins import load_plugins, plugin_facts

_FOLDER = Path(__file__).parent
_NAMES: dict[str, str] = plugin_facts(_FOLDER, "NAME")
SCENARIOS: dict[str, Scenario] = {
    _NAMES.get(module, module): scenario
    for module, scenario in load_plugins(__name__, _FOLDER, "SCENARIO").items()
}
"""Scenarios by name; no other name in a folder leads anywhere."""
