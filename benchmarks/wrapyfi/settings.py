# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi's Figure 1: tensors over its middlewares and ours."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.tensor.contenders import contender_names
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.measure.bench.tensor.settings import contenders

EXAMPLE = "wirecost bench --from benchmarks wrapyfi --plugins numpy --middlewares zeromq"
OF_THE_PAGE = (
    "numpy", "torch", "tensorflow", "jax", "mxnet", "paddle", "pandas-numpy", "pillow",
)  # fmt: skip
"""Plugins of Wrapyfi's figure."""


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the study: 200x200 tensors of ones, as on Wrapyfi's page."""

    plugins: tuple[str, ...] = option.setting(
        OF_THE_PAGE, "Plugins, comma-separated; default: those of the page.", known=PLUGINS
    )
    middlewares: tuple[str, ...] = option.setting(
        ("zeromq", "ros1", "yarp"),
        "Middlewares, raw libraries and floors; Wrapyfi runs over those that it has, and ZeroMQ.",
        known=contender_names,
        parse=contenders,
    )
    dtypes: tuple[str, ...] = option.setting(
        ("float32",), "Types of elements, comma-separated.", "--dtype", parse=option.words
    )
    rate: float = option.setting(100.0, "Messages per second.", metavar="HZ")
    trials: int = option.samples(2000, "Messages of each contender.")
    processes: int = option.processes(2)
    seed: int = option.seed("Seed of the contenders' order in each round.")
    pythons: tuple[str, ...] = option.setting(
        (),
        "Interpreter that has a plugin's framework, such as torch=/opt/torch/bin/python; once for "
        "each.",
        "--python",
        metavar="PLUGIN=PATH",
    )
