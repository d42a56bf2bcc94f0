# SPDX-License-Identifier: Apache-2.0
"""Transports and frameworks that can be used here; nothing is imported to find out."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import asdict, dataclass

from wirecost.messaging.api.opening import default
from wirecost.messaging.tensor.frameworks import INSTALL, ROOTS
from wirecost.messaging.transport import Capabilities, find, names
from wirecost.system.errors import UserError


@dataclass(frozen=True)
class AvailableTransport:
    """One middleware, usable or not."""

    name: str
    title: str
    missing: str | None
    """Why it cannot be used here and how to install it; None where it can."""
    no_server: str | None
    """How to install the server between the peers; None where it is here, or none is needed."""
    default: bool
    """True: ``wirecost.publish`` takes it where none is named."""
    capabilities: Capabilities

    def document(self) -> dict[str, object]:
        """Return it for JSON, the capabilities beside the rest."""
        fields = asdict(self)
        return {**fields, **fields.pop("capabilities")}


@dataclass(frozen=True)
class AvailableFramework:
    """One framework whose objects have a form in frames."""

    name: str
    """Name for ``as_``."""
    package: str
    """Name of the imported package."""
    version: str | None
    """Version; None where it is not installed, empty where nobody knows."""
    install: str

    def document(self) -> dict[str, object]:
        """Return it for JSON."""
        return asdict(self)


def transports() -> list[AvailableTransport]:
    """Return all of them."""
    try:
        usual = default()
    except UserError:
        usual = ""
    return [
        AvailableTransport(
            name,
            kind.title,
            kind.missing(),
            kind.no_server() if kind.missing() is None else None,
            name == usual,
            kind.capabilities,
        )
        for name in names()
        for kind in (find(name),)
    ]


def frameworks() -> list[AvailableFramework]:
    """Return all that frames know."""
    distributions = importlib.metadata.packages_distributions()
    available = []
    for name, (package, *_) in ROOTS.items():
        version = None
        if importlib.util.find_spec(package) is not None:
            owners = distributions.get(package, [])
            version = importlib.metadata.version(owners[0]) if owners else ""
        install = f"pip install {INSTALL.get(package, package)}"
        available.append(AvailableFramework(name, package, version, install))
    return available
