# SPDX-License-Identifier: Apache-2.0
"""Packages that only some commands need: ``pip install wirecost`` leaves them out."""

from __future__ import annotations

from wirecost.system.errors import UserError

BENCH = frozenset(
    {
        "altair",
        "fmpy",
        "lz4",
        "mcap",
        "msgpack",
        "msgspec",
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
"""Names by which they are imported; all come with the extra ``bench``."""
CAMPAIGN = frozenset({"cryptography", "dask", "distributed", "duckdb", "fsspec", "pyarrow"})
"""Likewise, with the extra ``campaign``."""


class MissingError(UserError):
    """A package that an extra brings is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is not installed; it comes with the extra {extra}: "
            f"pip install 'wirecost[{extra}]'"
        )


def missing(error: ModuleNotFoundError) -> MissingError | None:
    """Return the error that names the extra, if one brings the package."""
    package = (error.name or "").partition(".")[0]
    for extra, packages in (("bench", BENCH), ("campaign", CAMPAIGN)):
        if package in packages:
            return MissingError(package, extra)
    return None
