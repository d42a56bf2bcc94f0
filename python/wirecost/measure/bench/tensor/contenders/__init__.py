# SPDX-License-Identifier: Apache-2.0
"""Paths of an object from one process to another: transports and floors; one file each.

A module's ``contender(name, size)`` makes the contenders that its ``NAMES`` lists; scenarios of the
user may have such modules, too. Modules import what they need only when used: a worker may run
where most of it is not installed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.system import scenarios
from wirecost.system.plugins import load_plugin, plugin_facts

if TYPE_CHECKING:  # the command line lists the names
    from wirecost.measure.bench.tensor.contenders.base import TensorContender

MODULES: dict[str, str] = {
    name: module
    for module, names_in_module in plugin_facts(Path(__file__).parent, "NAMES").items()
    for name in names_in_module
}
"""Module of each floor; every other name is a transport's of ours, or of a user's scenario."""


def contender_names() -> list[str]:
    """Return the names of floors, raw libraries and transports."""
    from wirecost.messaging.transport import names  # noqa: PLC0415 - which imports them

    return [*MODULES, *names()]


def find_contender(name: str, size: int) -> TensorContender:
    """Return a contender for arrays of up to ``size`` bytes. Raises UserError for a wrong name."""
    of_package = (__name__, MODULES.get(name, "transports"))
    package, module = next(_of_scenarios(name), of_package)
    contender: TensorContender = load_plugin(package, module).contender(name, size)
    return contender


def _of_scenarios(name: str) -> Iterator[tuple[str, str]]:
    """Yield package and module that make this contender, in the folders of the user's scenarios."""
    for package in scenarios.outside().values():
        __import__(package)
        folder = Path(sys.modules[package].__path__[0])
        for module, names_in_module in plugin_facts(folder, "NAMES").items():
            if name in names_in_module:
                yield package, module
