# SPDX-License-Identifier: Apache-2.0
"""The parts of a message's path, none of which overlaps another."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from wirecost.report.scenarios.tensor.contenders import Group

SENDING, WAITING = "publish", "rest of the transit"
PARTS = (
    "to host", "share", "compress", "encode", SENDING, WAITING, "transit", "decode", "decompress",
    "to device", "access", "reply",
)  # fmt: skip


@dataclass(frozen=True)
class Shares:
    """Nanoseconds of each part that a contender has, in the order of ``PARTS``."""

    group: Group
    shape: str
    mware: str
    plugin: str
    ns: dict[str, float]
    nbytes: int
    """Of a message."""


def shares_of(samples: pl.DataFrame) -> list[Shares]:
    """Of all contenders that send objects, in the order of the samples.

    ``publish`` begins when ``transit`` does: message by message the sending call counts until it
    returns or the listener has the message, and what is left of the transit after it.
    """
    keys = ["dtype", "device", "pattern", "shape", "contender", "plugin"]
    made = []
    objects = samples.filter(pl.col("plugin") != "")
    for key, part in objects.group_by(keys, maintain_order=True):
        dtype, device, pattern, shape, mware, plugin = map(str, key)
        wide = part.pivot("stage", index="repetition", values="ns")
        if {"publish", "transit"} <= set(wide.columns):
            sending = pl.min_horizontal("publish", "transit")
            rest = pl.col("transit") - sending
            wide = wide.with_columns(sending.alias(SENDING), rest.alias(WAITING)).drop("transit")
        wide = wide.rename({"to_host": "to host", "to_device": "to device"}, strict=False)
        found = {name: wide[name].median() for name in PARTS if name in wide.columns}
        ns = {name: float(value) for name, value in found.items() if isinstance(value, float)}
        nbytes = int(part["bytes"][0])
        made.append(Shares(Group(dtype, device, pattern), shape, mware, plugin, ns, nbytes))
    return made
