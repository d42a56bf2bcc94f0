# SPDX-License-Identifier: Apache-2.0
"""How an object gets from one process to another: transports, floors, Wrapyfi; one file each.

A module's ``contender(name, size)`` makes what it offers. Modules import what they need only when
used: a worker may run where most of it is not installed.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the command line lists the names
    from wirecost.measure.bench.tensor.contenders.base import Contender

MODULES = {
    "memcpy": "in_process",
    "in-process": "in_process",
    "shm": "shared_memory",
    "shm-in-place": "shared_memory",
    "raw-zeromq": "raw_zeromq",
    "raw-zeromq-tcp": "raw_zeromq",
    "raw-iceoryx2": "raw_iceoryx2",
    "raw-rclpy": "raw_ros2",
    "raw-ros2": "raw_ros2",
    "raw-zenoh": "raw_zenoh",
    "raw-zenoh-shm": "raw_zenoh",
}
"""Module of each floor; ``wrapyfi-…`` is Wrapyfi's, every other name a transport's of ours."""
WRAPYFI = "wrapyfi-"


def known() -> list[str]:
    """Floors, raw libraries and transports."""
    from wirecost.messaging.transport import names  # noqa: PLC0415 - which imports them

    return [*MODULES, *names()]


def find_contender(name: str, size: int) -> Contender:
    """``size``: most bytes of an array that it carries. Raises UserError for an unknown name."""
    kind = MODULES.get(name) or ("wrapyfi" if name.startswith(WRAPYFI) else "transports")
    made: Contender = importlib.import_module(f"{__name__}.{kind}").contender(name, size)
    return made
