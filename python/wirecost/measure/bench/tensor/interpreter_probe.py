# SPDX-License-Identifier: Apache-2.0
"""Look at an interpreter's packages; runs there, so it imports little."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.measure.bench.tensor.plugins import PLUGINS


def look(plugin: str, middlewares: list[str], device: str) -> dict[str, dict[str, str]]:
    """Return ``packages``, versions, and ``missing``, reasons by contender or plugin."""
    reasons = {name: find_contender(name, 0).missing_there() for name in middlewares}
    reasons[plugin] = PLUGINS[plugin].missing(device)
    packages = {}
    for name in ("numpy", PLUGINS[plugin].pip or PLUGINS[plugin].module.partition(".")[0]):
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "unknown version"
    return {
        "packages": packages,
        "missing": {name: why for name, why in reasons.items() if why is not None},
    }
