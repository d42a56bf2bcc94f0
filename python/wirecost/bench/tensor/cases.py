# SPDX-License-Identifier: Apache-2.0
"""What is measured: cases, and in each the contenders that can be, with a reason for the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from wirecost.bench.tensor.contenders import find_contender
from wirecost.bench.tensor.contenders.base import Contender
from wirecost.bench.tensor.interpreters import Interpreter
from wirecost.bench.tensor.plugins import PLUGINS, SHARED
from wirecost.errors import UserError

SWEEP = tuple(64 << 2 * i for i in range(11))
"""Bytes, 64 B to 64 MiB."""
SWEEP_BYTES_PER_S = 100_000_000
"""Large sizes are sent less often, so that no more has to be carried per second."""
SLOT_SPARE = 1 << 20

Refusal = Callable[[str], str | None]
"""Why a contender of that name cannot be used for other reasons than its own."""


@dataclass(frozen=True)
class Entry:
    """A plugin over a middleware, planned before anything runs; empty ``plugin``: a floor.

    ``race.Outcome`` has what ``bench.entry.Entry`` has elsewhere.
    """

    mware: str
    plugin: str

    @property
    def apart(self) -> str:
        """The plugin, where it wants processes of its own."""
        return self.plugin if self.plugin and PLUGINS[self.plugin].apart else ""

    @property
    def image(self) -> bool:
        """Whether its arrays are a camera's images."""
        return bool(self.plugin) and PLUGINS[self.plugin].image


@dataclass(frozen=True)
class Case:
    """One race: arrays of one shape and type, one pattern. ``rate`` 0 is back to back."""

    shape: tuple[int, ...]
    dtype: str
    device: str
    rate: float
    trials: int
    entries: tuple[Entry, ...]
    one_process: bool = False
    """Whether nothing travels: messages follow each other back to back then."""

    @property
    def shape_text(self) -> str:
        return "x".join(map(str, self.shape))

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * np.dtype(self.dtype).itemsize

    @property
    def name(self) -> str:
        device = "" if self.device == "cpu" else f" {self.device}"
        where = ", in process" if self.one_process else ""
        return f"{self.shape_text} {self.dtype}{device}{where}"


@dataclass
class Plan:
    """``not_run``: what was asked for and cannot be had, with the reason."""

    cases: list[Case] = field(default_factory=list)
    contenders: dict[str, Contender] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)


def plan(
    plugins: list[str],
    mwares: list[str],
    shapes: list[tuple[int, ...]],
    dtypes: list[str],
    devices: list[str],
    rate: float,
    trials: int,
    pattern: str,
    sweep: bool,
    refusal: Refusal = lambda _: None,
    interpreters: Mapping[str, Interpreter] | None = None,
) -> Plan:
    """All combinations of which no contender is refused. ``interpreters``: of plugins that have one
    of their own. Raises UserError if none can run."""
    elsewhere = interpreters or {}
    made = Plan()
    largest = (
        max(SWEEP) if sweep else max(_bytes(shape, kind) for shape in shapes for kind in dtypes)
    )
    for name in mwares:
        if (why := refusal(name)) is not None:
            made.not_run[name] = why
        elif (found := _contender(name, largest + SLOT_SPARE, pattern, made.not_run)) is not None:
            made.contenders[name] = found
    for device in devices:
        usable = []
        for name in plugins:
            other = elsewhere.get(name)
            if why := other.missing.get(name) if other else PLUGINS[name].missing(device):
                made.not_run[name if device == "cpu" else f"{name} {device}"] = why
            else:
                usable.append(name)
        for kind in dtypes:
            here = [(size // np.dtype(kind).itemsize,) for size in SWEEP] if sweep else shapes
            for shape in here:
                made.cases += _case(
                    shape, kind, device, rate, trials, usable, made, sweep, elsewhere
                )
    if not made.cases:
        reasons = "; ".join(f"{name}: {why}" for name, why in made.not_run.items())
        floors = "floors carry no plugin's objects; give a transport too, as --mwares shm,zeromq"
        raise UserError(f"nothing can be measured: {reasons or floors}")
    return made


def _case(
    shape: tuple[int, ...],
    dtype: str,
    device: str,
    rate: float,
    trials: int,
    plugins: list[str],
    made: Plan,
    sweep: bool,
    elsewhere: Mapping[str, Interpreter],
) -> list[Case]:
    usable = []
    for name in plugins:
        if why := PLUGINS[name].refuses(shape, dtype):
            text = "x".join(map(str, shape))
            made.not_run[f"{name} {text} {dtype}"] = why
        else:
            usable.append(name)
    entries = []
    for name, contender in made.contenders.items():
        if contender.takes_objects:
            for plugin in usable:
                if device == SHARED and not contender.shares:
                    made.not_run[f"{plugin} {device} over {name}"] = "its memory is the host's"
                elif why := _refused(contender, plugin, elsewhere.get(plugin)):
                    made.not_run[f"{plugin} over {name}"] = why
                else:
                    entries.append(Entry(name, plugin))
        elif device == "cpu":
            entries.append(Entry(name, ""))
    if not entries or (plugins and not any(entry.plugin for entry in entries)):
        return []
    if sweep:
        rate = min(rate, max(1.0, SWEEP_BYTES_PER_S / _bytes(shape, dtype)))
        trials = min(trials, max(10, round(2 * rate)))
    inside = tuple(entry for entry in entries if made.contenders[entry.mware].one_process)
    between = tuple(entry for entry in entries if entry not in inside)
    return [
        Case(shape, dtype, device, at, trials, chosen, chosen is inside)
        for chosen, at in ((inside, 0.0), (between, rate))
        if chosen
    ]


def _refused(contender: Contender, plugin: str, elsewhere: Interpreter | None) -> str | None:
    if PLUGINS[plugin].codec and not contender.takes_compressed:
        return "has no compressed objects"
    if elsewhere is None:
        return None
    why = elsewhere.missing.get(contender.name)
    return f"{why}, with {elsewhere.path}" if why else None


def _contender(name: str, size: int, pattern: str, not_run: dict[str, str]) -> Contender | None:
    try:
        contender = find_contender(name, size)
        why = contender.missing()
    except UserError as error:
        not_run[name] = str(error)
        return None
    if why is None and pattern == "reqrep" and not contender.requests():
        why = "has no requests"
    if why is not None:
        not_run[name] = why
        return None
    return contender


def _bytes(shape: tuple[int, ...], dtype: str) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize
