# SPDX-License-Identifier: Apache-2.0
"""Paths of an object from one process to another: transports, floors, Wrapyfi; one file each.

A module's ``contender(name, size)`` makes the contenders that its ``NAMES`` lists. Modules import
what they need only when used: a worker may run where most of it is not installed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.system.plugins import load_plugin, plugin_facts

if TYPE_CHECKING:  # the command line lists the names
    from wirecost.measure.bench.tensor.contenders.base import TensorContender

MODULES: dict[str, str] = {
    name: module
    for module, names_in_module in plugin_facts(Path(__file__).parent, "NAMES").items()
    for name in names_in_module
}
"""Module of each floor; ``wrapyfi-…`` is Wrapyfi's, every other name a transport's of ours."""
WRAPYFI = "wrapyfi-"


def contender_names() -> list[str]:
    """Return the names of floors, raw libraries and transports."""
    from wirecost.messaging.transport import names  # noqa: PLC0415 - which imports them

    return [*MODULES, *names()]


def find_contender(name: str, size: int) -> TensorContender:
    """Return a contender for arrays of up to ``size`` bytes. Raises UserError for a wrong name."""
    kind = MODULES.get(name) or ("wrapyfi" if name.startswith(WRAPYFI) else "transports")
    contender: TensorContender = load_plugin(__name__, kind).contender(name, size)
    return contender
