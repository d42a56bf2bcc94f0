# SPDX-License-Identifier: Apache-2.0
"""The race of ``bench tensor`` with Wrapyfi in it, which is installed first."""

from __future__ import annotations

from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.tensor import race as tensor
from wirecost.measure.bench.tensor import settings as of_tensor

from . import environment
from .middlewares import IN_PROCESS, MIDDLEWARES, PREFIX
from .settings import Settings


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all contenders. Raises UserError on what cannot be run."""
    environment.make(settings.plugins, measurement.remark)
    if settings.pythons:
        environment.make_alone(measurement.remark)
    middlewares = (*settings.middlewares, *_wrapyfi(settings.middlewares))
    tensor.run(
        of_tensor.Settings(
            plugins=settings.plugins,
            middlewares=middlewares,
            dtypes=settings.dtypes,
            rate=settings.rate,
            trials=settings.trials,
            processes=settings.processes,
            seed=settings.seed,
            python=settings.pythons,
        ),
        measurement,
    )


def _wrapyfi(middlewares: tuple[str, ...]) -> tuple[str, ...]:
    """Return Wrapyfi's contenders: within a process, over ZeroMQ, and over these middlewares."""
    over = [name for name in MIDDLEWARES if name in {*middlewares, "zeromq"}]
    return tuple(f"{PREFIX}{name}" for name in (IN_PROCESS, *over))
