# SPDX-License-Identifier: Apache-2.0
"""Packages that only some commands need: ``pip install wirecost`` leaves them out."""

from __future__ import annotations

from wirecost.errors import UserError

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
        "vl_convert",
        "zstandard",
    }
)
"""As they are imported; all come with the extra ``bench``."""


class MissingError(UserError):
    """A package that an extra brings is not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(
            f"{package} is not installed; it comes with the extra bench: "
            "pip install 'wirecost[bench]'"
        )


def missing(error: ModuleNotFoundError) -> MissingError | None:
    """What to say instead of the error, if an extra brings the package."""
    package = (error.name or "").partition(".")[0]
    return MissingError(package) if package in BENCH else None
