# SPDX-License-Identifier: Apache-2.0
"""Schemas of the result folders of each scenario: modules here, or one in the scenario's folder.

The order of the modules is that of the columns that scenarios add to a CSV file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from types import ModuleType

from wirecost.results.records.schemas.common import Meta, Scenario
from wirecost.system.plugins import load_plugin, load_plugins
from wirecost.system.scenarios import packages


class Scenarios(Mapping[str, Scenario]):
    """Scenarios by the names in result folders; no other name in a folder leads anywhere.

    They are loaded when one is asked for: a scenario's schema may be imported first.
    """

    @cached_property
    def _loaded(self) -> dict[str, Scenario]:
        loaded: dict[str, Scenario] = load_plugins(__name__, Path(__file__).parent, "SCENARIO")
        return loaded | {name: module.SCENARIO for name, module in self._modules.items()}

    @cached_property
    def _modules(self) -> dict[str, ModuleType]:
        """Schemas in folders of scenarios, by the names in result folders."""
        modules = {name: load_plugin(package, "schema") for name, package in packages().items()}
        return {getattr(module, "NAME", name): module for name, module in modules.items()}

    def package(self, name: str) -> str:
        """Return the package of a scenario that has a folder of its own; empty of another."""
        module = self._modules.get(name)
        return module.__name__.rpartition(".")[0] if module is not None else ""

    def __getitem__(self, name: str) -> Scenario:
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._loaded)

    def __len__(self) -> int:
        return len(self._loaded)


SCENARIOS = Scenarios()


def scenario_of(meta: Meta) -> Scenario:
    """Return the scenario of a folder; of one that is not at hand, what the folder declares."""
    declared = meta.declared
    return SCENARIOS.get(meta.scenario) or Scenario(
        title=declared.title, stages=declared.stages, needed=(), baseline=declared.baseline
    )
