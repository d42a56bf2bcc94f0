# SPDX-License-Identifier: Apache-2.0
"""Schemas of the result folders of each scenario: modules here, or one in the scenario's folder.

The order of the modules is that of the columns that scenarios add to a CSV file.
"""

from __future__ import annotations

from pathlib import Path

from wirecost.results.records.schemas.common import Meta, Scenario
from wirecost.system.plugins import load_plugin, load_plugins, plugin_facts
from wirecost.system.scenarios import packages

_FOLDER = Path(__file__).parent
_NAMES: dict[str, str] = plugin_facts(_FOLDER, "NAME")
SCENARIOS: dict[str, Scenario] = {
    _NAMES.get(module, module): scenario
    for module, scenario in load_plugins(__name__, _FOLDER, "SCENARIO").items()
}
"""Scenarios by name; no other name in a folder leads anywhere."""
for _name, _package in packages().items():
    _module = load_plugin(_package, "schema")
    SCENARIOS[getattr(_module, "NAME", _name)] = _module.SCENARIO


def scenario_of(meta: Meta) -> Scenario:
    """Return the scenario of a folder; of one that is not at hand, what the folder declares."""
    declared = meta.declared
    return SCENARIOS.get(meta.scenario) or Scenario(
        title=declared.title, stages=declared.stages, needed=(), baseline=declared.baseline
    )
