# SPDX-License-Identifier: Apache-2.0
"""Prices: nanoseconds that a library takes for each part of a message, on one machine."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wirecost.data.messages.anatomy import PARTS, Anatomy
from wirecost.system import private, whole_file

STAGES = ("encode", "decode")
FORMAT = 2
SHIPPED = Path(__file__).with_name("prices.json")
"""Those of the machine that wirecost was released from."""
PREFERRED = {
    ("cpp", "protobuf"): ("protobuf",),
    ("cpp", "ros1"): ("gencpp",),
    ("cpp", "cdr"): ("rosidl-fastrtps", "fast-cdr"),
    ("python", "protobuf"): ("protobuf",),
    ("python", "ros1"): ("genpy",),
    ("python", "cdr"): ("rclpy", "rosbags"),
}
"""Libraries whose prices are taken, by language and wire: those that people use, best first."""

Price = Mapping[str, float]
"""Nanoseconds by part."""


@dataclass(frozen=True)
class Priced:
    """Nanoseconds per message."""

    library: str
    encode_ns: float
    decode_ns: float


@dataclass(frozen=True)
class PriceList:
    """Prices by language, library and stage; ``about``: machine, versions and date."""

    about: Mapping[str, str]
    prices: Mapping[str, Mapping[str, Price]] = field(default_factory=dict)
    is_own: bool = False
    """True where they were measured on this machine."""

    def of(self, lang: str, wire: str, parts: Anatomy) -> Priced | None:
        """Return what a message takes; None where nobody knows."""
        priced = (
            self.of_library(lang, library, wire, parts)
            for library in PREFERRED.get((lang, wire), ())
        )
        return next(filter(None, priced), None)

    def of_library(self, lang: str, library: str, wire: str, parts: Anatomy) -> Priced | None:
        stages = self.prices.get(f"{lang} {library} {wire}")
        if stages is None:
            return None
        encode, decode = (_sum(stages[stage], parts) for stage in STAGES)
        return Priced(library, encode, decode)


def _sum(price: Price, parts: Anatomy) -> float:
    return float(parts.vector() @ np.array([price.get(part, 0.0) for part in PARTS]))


def machine_name() -> str:
    """Return what tells this machine's prices from another's."""
    cpu = "unknown processor"
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                cpu = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{cpu}, {os.cpu_count()} processors"


def own_path() -> Path:
    return private.state_path() / "prices.json"


def known_prices() -> PriceList:
    """Return this machine's prices, else those that wirecost brings."""
    for path, is_own in ((own_path(), True), (SHIPPED, False)):
        try:
            read = _read(json.loads(path.read_text(encoding="utf-8")), is_own)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
        if not is_own or read.about.get("machine") == machine_name():
            return read
    return PriceList({})


def _read(document: Any, is_own: bool) -> PriceList:
    if document["format"] != FORMAT:
        raise ValueError("another format")
    prices = {
        str(name): {
            stage: {part: float(ns) for part, ns in stages[stage].items()} for stage in STAGES
        }
        for name, stages in document["prices"].items()
    }
    return PriceList({str(k): str(v) for k, v in document["about"].items()}, prices, is_own)


def keep(prices: PriceList, path: Path) -> None:
    """Write prices; the file appears whole or not at all. Raises OSError."""
    document = {"format": FORMAT, "about": dict(prices.about), "prices": prices.prices}
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_file.write_text(path, json.dumps(document, indent=1) + "\n")
