# SPDX-License-Identifier: Apache-2.0
"""Command ``wirecost`` where only what ``wirecost compile`` needs is installed.

Run ``python light.py ARGUMENTS…``."""

from __future__ import annotations

import importlib.metadata
import re
import sys
from collections.abc import Iterable, Iterator

from packaging.requirements import Requirement

COMPILE = ("grpcio-tools", "jinja2", "nanobind-backend", "protobuf", "rich", "typer")
"""Distributions that ``wirecost compile`` and ``heap`` need."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(distributions: Iterable[str]) -> set[str]:
    """Return distributions, and all they need without extras, by their normalized names."""
    names: set[str] = set()
    waiting = list(distributions)
    while waiting:
        distribution = normal(waiting.pop())
        if distribution not in names:
            names.add(distribution)
            waiting += _requirements(distribution)
    return names


def _requirements(name: str) -> Iterator[str]:
    try:
        requirements = importlib.metadata.requires(name) or []
    except importlib.metadata.PackageNotFoundError:  # none for this machine
        return
    for requirement in map(Requirement, requirements):
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield requirement.name


class Absent:
    """A finder that hides packages."""

    def __init__(self, packages: set[str]) -> None:
        self._packages = packages

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002
        if name.partition(".")[0] in self._packages:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def hide_others() -> None:
    light = needed(COMPILE) | {"wirecost"}
    owners = importlib.metadata.packages_distributions()
    hidden = {
        package
        for package, names in owners.items()
        if not any(normal(name) in light for name in names)
    }
    sys.meta_path.insert(0, Absent(hidden))  # type: ignore[arg-type]  # that is all import asks


if __name__ == "__main__":
    hide_others()
    for module in [name for name in sys.modules if name.partition(".")[0] == "packaging"]:
        del sys.modules[module]
    from wirecost.__main__ import main

    main()
