# SPDX-License-Identifier: Apache-2.0
"""Packages that an installation may lack: of extras, and what `wirecost compile` does without."""

from __future__ import annotations

import importlib.util

from wirecost.system.errors import UserError

REQUIRED = frozenset(
    {
        "altair",
        "lz4",
        "mcap",
        "msgpack",
        "msgspec",
        "nanobind_backend",
        "numpy",
        "osi3",
        "polars",
        "psutil",
        "rosbags",
        "ruamel",
        "zstandard",
    }
)
"""Names by which requirements are imported that ``wirecost compile`` does without."""
DRAWING = "vl_convert"
"""Package that draws figures into files."""
EXTRAS = {
    "campaign": frozenset({"cryptography", "dask", "distributed", "fsspec", "pyarrow"}),
    "figures": frozenset({DRAWING}),
    "fmi": frozenset({"fmpy"}),
}
"""Names by which packages of extras are imported."""


class MissingError(UserError):
    """A package that wirecost or an extra of it brings is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        comes = (
            f"the extra {extra}: pip install 'wirecost[{extra}]'"
            if extra
            else ("wirecost: pip install wirecost, without --no-deps")
        )
        super().__init__(f"{package} is not installed; it comes with {comes}")


def missing(error: ImportError) -> MissingError | None:
    """Return the error that says what brings the package, if it is known."""
    package = (error.name or "").partition(".")[0]
    if "nanobind_backend" in str(error):  # our own extensions report it in words alone
        package = "nanobind_backend"
    return _error(package)


def is_installed(package: str) -> bool:
    """Say whether a package can be imported, without importing it."""
    return importlib.util.find_spec(package) is not None


def require(package: str) -> None:
    """Raise MissingError unless the package of an extra is there: before work that needs it."""
    if not is_installed(package) and (error := _error(package)):
        raise error


def _error(package: str) -> MissingError | None:
    for extra, packages in {"": REQUIRED, **EXTRAS}.items():
        if package in packages:
            return MissingError(package, extra)
    return None
