# SPDX-License-Identifier: Apache-2.0
"""Measure the latency of arrays and tensors over middlewares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.tensor.choices import CONTENTS, PATTERNS
from wirecost.measure.bench.tensor.contenders import contender_names
from wirecost.measure.bench.tensor.plugins import DEVICES, PLUGINS
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench tensor --plugins numpy --middlewares iceoryx2,zeromq"
SWEEP = tuple(64 << 2 * i for i in range(11))
"""Sizes of a sweep in bytes, 64 B to 64 MiB."""
SHAPES = ((200, 200),)
LARGEST = 1 << 30
"""Most bytes of an array."""


def contenders(label: str, text: str) -> list[str]:
    """Return the contenders of a text. Raises UserError for an unknown one."""
    return list(chosen(label, text, contender_names()))


def _shapes(label: str, text: str) -> list[tuple[int, ...]]:
    try:
        return [tuple(map(int, word.split("x"))) for word in option.words(label, text)]
    except ValueError:
        raise UserError(f"{label} {text}: give extents, such as 200x200 or 3x480x640") from None


def _check_shape(label: str, extent: tuple[int, ...]) -> None:
    import numpy as np  # noqa: PLC0415 - slow to import

    size = np.prod(extent, dtype=np.float64) * 16
    if min(extent, default=0) < 1 or size > 16 * LARGEST:
        text = "x".join(map(str, extent))
        raise UserError(f"{label} {text}: give positive extents, below {LARGEST} elements")


def _check_dtype(label: str, name: str) -> None:
    import numpy as np  # noqa: PLC0415 - slow to import

    try:
        usable = np.dtype(name).kind in "iufc"
    except TypeError:
        usable = False
    if not usable:
        raise UserError(f"{label} {name}: give numeric types, such as float32, uint8 or int64")


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of ``bench tensor``; ``processes`` are pairs, or single where nothing travels."""

    plugins: tuple[str, ...] = option.setting(
        (), "Plugins, comma-separated; default: all, or numpy with --sweep.", known=PLUGINS
    )
    middlewares: tuple[str, ...] = option.setting(
        (),
        "Middlewares, raw libraries and floors, comma-separated; default: all.",
        known=contender_names,
        parse=contenders,
    )
    shapes: tuple[tuple[int, ...], ...] = option.setting(
        SHAPES,
        "Extents of the array; not with --sweep.",
        "--shape",
        metavar="NxN,…",
        parse=_shapes,
        shown="200x200",
        check=_check_shape,
    )
    dtypes: tuple[str, ...] = option.setting(
        ("float64",),
        "Types of elements, such as float32,float64.",
        "--dtype",
        metavar="T,T,…",
        parse=option.words,
        check=_check_dtype,
    )
    devices: tuple[str, ...] = option.setting(
        ("cpu",), "Comma-separated: cpu, cuda.", "--device", known=DEVICES
    )
    content: str = option.setting(
        "ones",
        "ones (except for the message's number and some elements) or random.",
        known=CONTENTS,
    )
    rate: float = option.setting(
        100.0, "Messages per second.", metavar="HZ", check=option.within(0.1, 10_000)
    )
    trials: int = option.setting(
        200, "Messages of each contender.", check=option.within(1, 1_000_000)
    )
    processes: int = option.setting(
        PROCESSES,
        "Fresh pairs of processes for each contender, one per round.",
        check=option.within(1, 1_000),
    )
    seed: int = option.seed("Seed of the contenders' order in each round.")
    pattern: str = option.setting("pubsub", "pubsub or reqrep.", known=PATTERNS)
    sweep: bool = option.setting(
        False,
        "Measure sizes from 64 B to 64 MiB: latency, and throughput of messages sent back to back.",
    )
    python: tuple[str, ...] = option.setting(
        (),
        "Interpreter that has a plugin's framework, such as torch=/opt/torch/bin/python; once for "
        "each. Both ends run there.",
        metavar="PLUGIN=PATH",
    )

    def check(self) -> None:
        """Raise UserError on what cannot be run."""
        super().check()
        if self.sweep and self.shapes != SHAPES:
            raise UserError("--shape: is not for --sweep, which has its own sizes; leave it out")
        if self.pattern == "reqrep" and set(self.devices) != {"cpu"}:
            raise UserError("--pattern reqrep: measures the host's memory only; leave cuda out")

    @property
    def used_plugins(self) -> tuple[str, ...]:
        """Plugins to measure, where they can be."""
        return self.plugins or (("numpy",) if self.sweep else tuple(PLUGINS))

    @property
    def used_middlewares(self) -> tuple[str, ...]:
        """Contenders to measure, where they can be."""
        return self.middlewares or tuple(contender_names())

    def shapes_of(self, itemsize: int) -> Iterable[tuple[int, ...]]:
        """Return the shapes of arrays whose elements have so many bytes."""
        return [(size // itemsize,) for size in SWEEP] if self.sweep else self.shapes
