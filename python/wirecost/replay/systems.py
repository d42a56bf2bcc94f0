# SPDX-License-Identifier: Apache-2.0
"""The middlewares by name; a package is imported only when its system is used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.replay.middleware import IsolatedSystem, Recorder
from wirecost.system.errors import UserError
from wirecost.system.plugins import load_plugin, plugin_facts


@dataclass(frozen=True)
class System:
    """MCAP's names of the messages' ``profile``, ``encoding`` and their definitions' ``schema``."""

    name: str
    profile: str
    encoding: str
    schema: str

    def recorder(self, domain: int | None, interfaces: tuple[str, ...]) -> Recorder:
        """Listen in the running system.

        Both are DDS's: ``domain`` None is the environment's, ``interfaces`` are this machine's
        addresses beside loopback.
        """
        recorder: Recorder = self._package().new_recorder(domain, interfaces)
        return recorder

    def isolated(self) -> IsolatedSystem:
        system: IsolatedSystem = self._package().new_isolated_system()
        return system

    def _package(self) -> Any:
        return load_plugin("wirecost.replay", self.name)


SYSTEMS = {
    name: System(name, *mcap_names)
    for name, mcap_names in plugin_facts(Path(__file__).parent, "MCAP_NAMES").items()
}


def system_named(name: str) -> System:
    """Raise UserError."""
    if name not in SYSTEMS:
        raise UserError(f"--system {name}: there are {', '.join(SYSTEMS)}")
    return SYSTEMS[name]
