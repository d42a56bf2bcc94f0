# SPDX-License-Identifier: Apache-2.0
"""Packages that an installation may lack: of extras, and what `wirecost compile` does without."""

from __future__ import annotations

from wirecost.system.errors import UserError

REQUIRED = frozenset(
    {
        "altair",
        "fmpy",
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
        "scipy",
        "vl_convert",
        "zstandard",
    }
)
"""Names by which requirements are imported that ``wirecost compile`` does without."""
CAMPAIGN = frozenset({"cryptography", "dask", "distributed", "duckdb", "fsspec", "pyarrow"})
"""Names by which packages of the extra ``campaign`` are imported."""


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
    for extra, packages in (("", REQUIRED), ("campaign", CAMPAIGN)):
        if package in packages:
            return MissingError(package, extra)
    return None
