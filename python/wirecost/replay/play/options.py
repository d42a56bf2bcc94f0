# SPDX-License-Identifier: Apache-2.0
"""Options of a replay: how the node is started, and how its inputs are played."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from wirecost.observe.heap import launch


@dataclass(frozen=True)
class StartOptions:
    """Changes of the recorded start.

    ``command`` empty: the recorded one; ``changed``: makes the node's environment of the one it
    would have had; ``hooks``: a node without probes of its own gets hooks that record its
    callbacks.
    """

    command: list[str]
    cpu: int | None = None
    fifo: int | None = None
    heap: launch.Options | None = None
    changed: Callable[[Mapping[str, str]], dict[str, str]] | None = None
    hooks: bool = True


@dataclass(frozen=True)
class PlayOptions:
    """Options of playing inputs.

    ``rate`` 2: twice as quick; ``consumed``: each as soon as the node has dealt with the one
    before. ``player_fifo``: None is the lowest where that is permitted, 0 normal scheduling.
    ``connect_s``: how long the node may take to join. ``prime``: a node that advertises its outputs
    with the first message only is sent that once beforehand.
    """

    rate: float = 1.0
    consumed: bool = False
    loops: int = 1
    player_cpu: int | None = None
    player_fifo: int | None = None
    connect_s: float = 30.0
    prime: bool = True
