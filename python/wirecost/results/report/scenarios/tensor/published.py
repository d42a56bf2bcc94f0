# SPDX-License-Identifier: Apache-2.0
"""Latencies that Wrapyfi's documentation publishes, apart from what is measured.

Medians of the listener, from its page "Latency: Plugin Encoding and Decoding": tensors of ones,
200x200, 2000 trials, on an Intel Core i9-11900. The page says 100 Hz, its program sends at 10 Hz.
The clock starts before the object is built; NumPy and pandas send float64, Pillow uint8, the others
float32.
"""

from __future__ import annotations

from wirecost.results.analysis.summary import Row
from wirecost.results.report.scenarios.tensor.contenders import (
    Group,
    in_process,
    plugin_of,
    shape_of,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table

SHAPE = "200x200"
PLUGINS = (
    "numpy", "torch", "jax", "tensorflow", "mxnet", "paddle", "pandas-numpy", "pillow",
)  # fmt: skip
MIDDLEWARES = {"zeromq": "ZeroMQ", "yarp": "YARP", "ros2": "ROS 2", "ros1": "ROS"}
"""Titles of those that its figure has."""
_MS = {
    "zeromq": (0.65, 1.71, 2.04, 2.31, 2.00, 1.79, 45.2, 2.45),
    "yarp": (0.54, 1.67, 1.93, 2.19, 1.88, 1.67, 45.1, 2.37),
    "ros2": (0.58, 1.66, 1.95, 2.35, 1.85, 2.10, 47.2, 2.36),
    "ros1": (6.30, 22.0, 22.8, 23.1, 22.7, 22.8, 85.1, 38.6),
}
PUBLISHED_NS = {
    (library, plugin): 1e6 * ms
    for library, medians in _MS.items()
    for plugin, ms in zip(PLUGINS, medians, strict=True)
}
"""Nanoseconds by library and plugin, both as they are named here."""
SOURCE = (
    "From Wrapyfi's documentation: another machine (i9-11900), 10 Hz, the object's building "
    "included, float32 but for NumPy and pandas, Pillow uint8"
)


def published_table(group: Group, rows: list[Row]) -> Table | None:
    """Return the published medians of the objects that were measured here.

    It is None where no shape, device or pattern is the page's. ``rows``: totals of the group.
    """
    of_shape = [row for row in rows if shape_of(row) == SHAPE and not in_process(row.contender)]
    if (group.device, group.pattern) != ("cpu", "pubsub"):
        return None
    measured = {plugin_of(row) for row in of_shape}
    body = [
        [plugin, *(units.time(PUBLISHED_NS[library, plugin]) for library in _MS)]
        for plugin in PLUGINS
        if plugin in measured
    ]
    if not body:
        return None
    notes = [f"Medians as published, not measured here. {SOURCE}."]
    title = f"Published by Wrapyfi · {SHAPE}"
    return Table(title, ["object", *_MS], body, notes, bars=(tuple(_MS),))
