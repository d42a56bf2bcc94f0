# SPDX-License-Identifier: Apache-2.0
"""Cases and contenders of the settings that can be measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.measure.bench.tensor.contenders.base import TensorContender
from wirecost.measure.bench.tensor.interpreters import Interpreter
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.measure.bench.tensor.settings import Settings
from wirecost.system.errors import UserError

SWEEP_BYTES_PER_S = 100_000_000
"""Most bytes per second in a sweep: large sizes are sent less often."""
SLOT_SPARE = 1 << 20


@dataclass(frozen=True)
class Combination:
    """Plugin over a middleware; empty ``plugin``: a floor."""

    mware: str
    plugin: str

    @property
    def apart(self) -> str:
        """Return the plugin, where it wants processes of its own."""
        return self.plugin if self.plugin and PLUGINS[self.plugin].apart else ""

    @property
    def label(self) -> str:
        return f"{self.mware} {self.plugin}".strip()

    @property
    def image(self) -> bool:
        """Return whether its arrays are a camera's images."""
        return bool(self.plugin) and PLUGINS[self.plugin].image


@dataclass(frozen=True)
class TensorCase:
    """Race of arrays of one shape and type. ``rate`` 0 is back to back."""

    shape: tuple[int, ...]
    dtype: str
    device: str
    rate: float
    trials: int
    combinations: tuple[Combination, ...]
    one_process: bool = False
    """True if nothing travels: messages follow each other back to back then."""

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
class TensorPlan:
    """Cases and contenders; ``not_run``: reasons why others of the settings are missing."""

    cases: list[TensorCase] = field(default_factory=list)
    contenders: dict[str, TensorContender] = field(default_factory=dict)
    not_run: dict[str, str] = field(default_factory=dict)


def plan(
    settings: Settings, interpreters: Mapping[str, Interpreter] = MappingProxyType({})
) -> TensorPlan:
    """Return what can be measured, and why the rest cannot.

    ``interpreters``: of plugins that have one of their own. Raises UserError if nothing can be
    measured.
    """
    return _Planner(settings, interpreters).plan()


class _Planner:
    """Planner that finds out what can be measured."""

    def __init__(self, settings: Settings, interpreters: Mapping[str, Interpreter]) -> None:
        self._settings = settings
        self._interpreters = interpreters
        self._plan = TensorPlan()

    def plan(self) -> TensorPlan:
        """Find all of it. Raises UserError if nothing can be measured."""
        settings, plan = self._settings, self._plan
        largest = max(
            _bytes(shape, dtype) for dtype in settings.dtypes for shape in self._shapes_of(dtype)
        )
        for name in settings.used_middlewares:
            try:
                contender = find_contender(name, largest + SLOT_SPARE)
                why = self._missing(contender)
            except UserError as error:
                why = str(error)
            if why is None:
                plan.contenders[name] = contender
            else:
                plan.not_run[name] = why
        for device in settings.devices:
            plugins = self._plugins(device)
            for dtype in settings.dtypes:
                for shape in self._shapes_of(dtype):
                    plan.cases += self._cases(shape, dtype, device, plugins)
        if not plan.cases:
            reasons = "; ".join(f"{name}: {why}" for name, why in plan.not_run.items())
            floors = (
                "floors cannot carry a plugin's objects; also name a middleware, such as "
                "--middlewares shm,zeromq"
            )
            raise UserError(f"nothing can be measured: {reasons or floors}")
        return plan

    def _shapes_of(self, dtype: str) -> Iterable[tuple[int, ...]]:
        return self._settings.shapes_of(np.dtype(dtype).itemsize)

    def _missing(self, contender: TensorContender) -> str | None:
        """Return why a contender cannot be used. Raises UserError."""
        why = contender.missing() or contender.no_server()
        if why is None and self._settings.pattern == "reqrep" and not contender.requests():
            why = "has no requests"
        return why

    def _plugins(self, device: str) -> list[str]:
        """Return the plugins that can be used there."""
        usable = []
        for name in self._settings.used_plugins:
            other = self._interpreters.get(name)
            if why := other.missing.get(name) if other else PLUGINS[name].missing(device):
                self._plan.not_run[name if device == "cpu" else f"{name} {device}"] = why
            else:
                usable.append(name)
        return usable

    def _cases(
        self, shape: tuple[int, ...], dtype: str, device: str, plugins: list[str]
    ) -> list[TensorCase]:
        """Return the cases of one shape: within one process, and between two."""
        combinations = self._combinations(shape, dtype, device, plugins)
        if not combinations or (
            plugins and not any(combination.plugin for combination in combinations)
        ):
            return []
        rate, trials = self._settings.rate, self._settings.trials
        if self._settings.sweep:
            rate = min(rate, max(1.0, SWEEP_BYTES_PER_S / _bytes(shape, dtype)))
            trials = min(trials, max(10, round(2 * rate)))
        contenders = self._plan.contenders
        inside = tuple(pair for pair in combinations if contenders[pair.mware].one_process)
        between = tuple(pair for pair in combinations if pair not in inside)
        return [
            TensorCase(shape, dtype, device, at, trials, chosen, chosen is inside)
            for chosen, at in ((inside, 0.0), (between, rate))
            if chosen
        ]

    def _combinations(
        self, shape: tuple[int, ...], dtype: str, device: str, plugins: list[str]
    ) -> list[Combination]:
        usable = []
        for name in plugins:
            if why := PLUGINS[name].refuses(shape, dtype):
                text = "x".join(map(str, shape))
                self._plan.not_run[f"{name} {text} {dtype}"] = why
            else:
                usable.append(name)
        combinations = []
        for name, contender in self._plan.contenders.items():
            if not contender.takes_objects:
                combinations += [Combination(name, "")] * (device == "cpu")
                continue
            for plugin in usable:
                if why := self._refused(contender, plugin):
                    self._plan.not_run[f"{plugin} over {name}"] = why
                else:
                    combinations.append(Combination(name, plugin))
        return combinations

    def _refused(self, contender: TensorContender, plugin: str) -> str | None:
        if PLUGINS[plugin].codec and not contender.takes_compressed:
            return "has no compressed objects"
        elsewhere = self._interpreters.get(plugin)
        why = elsewhere.missing.get(contender.name) if elsewhere else None
        return f"{why}, with {elsewhere.path}" if elsewhere and why else None


def _bytes(shape: tuple[int, ...], dtype: str) -> int:
    return math.prod(shape) * np.dtype(dtype).itemsize
