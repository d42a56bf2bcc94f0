# SPDX-License-Identifier: Apache-2.0
"""Result folders as ``bench tensor`` writes them, with made-up times."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from wirecost.results.records.folder import Results, write_results
from wirecost.results.records.reading import read_results

US = {
    "memcpy": 10.0, "shm": 60.0, "raw-iceoryx2": 90.0, "raw-zeromq": 200.0, "raw-zenoh": 400.0,
    "in-process": 12.0, "iceoryx2": 100.0, "zeromq": 220.0, "zeromq-tcp": 250.0, "zenoh": 450.0,
    "zenoh-shm": 300.0, "ecal": 350.0, "dds": 500.0, "ros1": 800.0, "websocket": 1200.0,
    "mqtt": 2000.0, "grpc": 900.0, "wrapyfi-in-process": 3000.0, "wrapyfi-zeromq": 5000.0,
    "wrapyfi-zenoh": 4000.0,
}  # fmt: skip
"""Medians of a small array's transit; in process, of its total."""
PLUGINS = (
    "numpy", "torch", "tensorflow", "jax", "mxnet", "paddle", "pandas-numpy", "pandas-pyarrow",
    "polars", "pyarrow", "xarray", "dask", "zarr", "pint", "pillow",
)  # fmt: skip
FLOORS = ("memcpy", "shm", "raw-iceoryx2", "raw-zeromq", "raw-zenoh")


def tensor_folder(
    path: Path,
    *,
    middlewares: Iterable[str] = US,
    plugins: Iterable[str] = ("numpy",),
    shapes: Iterable[str] = ("200x200",),
    pattern: str = "pubsub",
    n: int = 20,
    seed: int = 1,
    slower: dict[str, float] | None = None,
    run: dict[str, Any] | None = None,
) -> Results:
    """Write a result folder and read it.

    ``slower``: factors of a contender's times, or of ``contender shape``; ``run``: changed
    entries of zeromq's runs."""
    random = np.random.default_rng(seed)
    slow = slower or {}
    plugins, shapes, middlewares = tuple(plugins), tuple(shapes), tuple(middlewares)
    runs = []
    parts = []
    for shape, mware in product(shapes, middlewares):
        inside = mware == "memcpy" or mware.endswith("in-process")
        size = 8 * int(np.prod([int(part) for part in shape.split("x")]))
        case = f"{shape} float64" + (", in process" if inside else "")
        case += "" if pattern == "pubsub" else f", {pattern}"
        for plugin in ("",) if mware in FLOORS else plugins:
            who = {
                "case": case, "variant": "ones", "build": "release", "contender": mware,
                "mode": plugin, "plugin": plugin, "mware": mware, "dtype": "float64",
                "shape": shape, "pattern": pattern, "device": "cpu",
            }  # fmt: skip
            counts = {
                "asked_rate": 0.0 if inside else 100.0, "rate": None if inside else 100.0,
                "sent": n, "received": n, "lost": 0, "duplicates": 0, "reordered": 0,
                "bytes_per_s": None if inside or len(shapes) < 2 else 1e3 * size,
                "lost_without_pause": None if inside or len(shapes) < 2 else 0,
                "message_bytes": size + 200, "message_digest": "abc", "failure": None,
            }  # fmt: skip
            reported = run if run and mware == "zeromq" else {}
            runs.append(who | counts | reported)
            cost = 1 + (list(PLUGINS).index(plugin) if plugin else 0)
            whole = (
                US.get(mware, 700.0)
                * (1 + size / 1e6)
                * slow.get(f"{mware} {shape}", slow.get(mware, 1.0))
            )
            for stage, ns in _stages(random, n, 1000 * whole, 2000.0 * cost, pattern).items():
                parts.append(
                    pl.DataFrame({"stage": stage, "repetition": range(n), "round": 0, "ns": ns})
                    .with_columns(bytes=size + 200, **{k: pl.lit(v) for k, v in who.items()})
                )  # fmt: skip
    path.mkdir(parents=True, exist_ok=True)
    meta = {
        "scenario": "tensor", "created": "2026-01-01", "command": ["bench", "tensor"],
        "trials": n, "rate": 100.0, "content": "ones", "pattern": pattern, "warm_up": 5,
        "gc": "off", "interrupted": False,
        "environment": {"cpu": "A CPU", "kernel": "6.1", "doctor": {"verdict": "ok"}},
        "contenders": {mware: _about(mware) for mware in middlewares},
        "not_run": {"ros2": "rclpy cannot be found"}, "runs": runs,
    }  # fmt: skip
    write_results(path, meta, pl.concat(parts, how="diagonal"))
    return read_results(path)


def _stages(
    random: np.random.Generator, n: int, transit: float, coding: float, pattern: str
) -> dict[str, np.ndarray]:
    def about(middle: float) -> np.ndarray:
        return np.rint(middle * random.lognormal(0, 0.05, n)).astype(np.int64)

    times = {"lateness": about(500), "construct": about(5000), "encode": about(coding),
             "transit": about(transit), "decode": about(coding)}  # fmt: skip
    if pattern == "pubsub":
        times |= {"publish": times["transit"] // 3, "access": about(3000)}
    else:
        times |= {"reply": about(transit)}
    whole = (times[name] for name in ("encode", "transit", "decode", "reply") if name in times)
    return times | {"total": sum(whole)}  # type: ignore[dict-item]


def _about(mware: str) -> dict[str, Any]:
    reported: dict[str, Any] = {"library": f"{mware} 1.0"}
    if mware not in FLOORS and "in-process" not in mware and not mware.startswith("wrapyfi"):
        reported |= {"send_copies": 1, "receive_copies": 2, "aligned": mware == "iceoryx2"}
    return reported
