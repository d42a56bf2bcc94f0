# SPDX-License-Identifier: Apache-2.0
"""Timings from which costs are computed: of codecs by part of a message, and of paths."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from wirecost.data.messages.anatomy import PARTS, Anatomy
from wirecost.measure.cost.paths import PathPrice, PathTable
from wirecost.system import private, whole_file

STAGES = ("encode", "decode")
FORMATS = (2, 3)
"""Formats that are read; the last is written."""
SHIPPED = Path(__file__).with_name("prices.json")
"""Those of the machine that wirecost was released from."""
PREFERRED = {
    ("cpp", "protobuf"): ("protobuf",),
    ("cpp", "ros1"): ("gencpp",),
    ("cpp", "cdr"): ("rosidl-fastrtps", "fast-cdr"),
    ("python", "protobuf"): ("protobuf",),
    ("python", "ros1"): ("genpy",),
    ("python", "cdr"): ("rclpy",),
}
"""Libraries whose prices are taken, by language and wire: those that nodes use, best first."""

Price = Mapping[str, float]
"""Nanoseconds by part."""


@dataclass(frozen=True)
class Priced:
    """Nanoseconds per message; ``spread``: their relative errors, None where nobody knows them."""

    library: str
    encode_ns: float
    decode_ns: float
    encode_spread: float | None = None
    decode_spread: float | None = None
    is_own: bool = False


@dataclass(frozen=True)
class CodecPrice:
    """Prices of a library on a wire by stage; ``spread``: relative errors of types not measured."""

    stages: Mapping[str, Price]
    spread: Mapping[str, float] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    is_own: bool = False


@dataclass(frozen=True)
class PriceList:
    """Codecs by language, library and wire, and paths; ``about``: machine, versions and date."""

    about: Mapping[str, str]
    prices: Mapping[str, CodecPrice] = field(default_factory=dict)
    paths: PathTable = field(default_factory=PathTable)
    is_own: bool = False
    """True where some of them were measured on this machine."""

    def of(self, lang: str, wire: str, parts: Anatomy) -> Priced | None:
        """Return what a message takes; None where nobody knows."""
        priced = (
            self.of_library(lang, library, wire, parts)
            for library in PREFERRED.get((lang, wire), ())
        )
        return next(filter(None, priced), None)

    def of_library(self, lang: str, library: str, wire: str, parts: Anatomy) -> Priced | None:
        codec = self.prices.get(f"{lang} {library} {wire}")
        if codec is None:
            return None
        encode, decode = (_sum(codec.stages[stage], parts) for stage in STAGES)
        encode_spread, decode_spread = (codec.spread.get(stage) for stage in STAGES)
        return Priced(library, encode, decode, encode_spread, decode_spread, codec.is_own)

    def over(self, others: PriceList) -> PriceList:
        """Return these, and of the others those that are not here."""
        paths = PathTable({**others.paths.paths, **self.paths.paths})
        about = self.about if self.prices or self.paths.paths else others.about
        return PriceList(about, {**others.prices, **self.prices}, paths, self.is_own)


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
    """Return the prices that wirecost brings, and over them those of this machine."""
    return own_prices().over(shipped_prices())


def shipped_prices() -> PriceList:
    """Return the prices that wirecost brings alone."""
    return _kept(SHIPPED, is_own=False)


def own_prices() -> PriceList:
    """Return this machine's prices alone."""
    own = _kept(own_path(), is_own=True)
    return own if own.about.get("machine") == machine_name() else PriceList({})


def _kept(path: Path, *, is_own: bool) -> PriceList:
    """Return what a file has; nothing where it cannot be read."""
    try:
        return _read(json.loads(path.read_text(encoding="utf-8")), is_own)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return PriceList({})


def _read(document: Any, is_own: bool) -> PriceList:
    if document["format"] not in FORMATS:
        raise ValueError("another format")
    about = _texts(document["about"])
    spreads, origins = document.get("spread", {}), document.get("origins", {})
    prices = {
        str(name): CodecPrice(
            {stage: _numbers(stages[stage]) for stage in STAGES},
            _numbers(spreads.get(name, {})),
            {**about, **_texts(origins.get(name, {}))},
            is_own,
        )
        for name, stages in document["prices"].items()
    }
    paths = {
        str(name): _path(str(name), path, about, is_own)
        for name, path in document.get("paths", {}).items()
    }
    return PriceList(about, prices, PathTable(paths), is_own)


def _path(name: str, read: Any, about: Mapping[str, str], is_own: bool) -> PathPrice:
    client, middleware = name.split(" ", 1)
    publish, take, spread = (_numbers(read[key]) for key in ("publish", "take", "spread"))
    origin = {**about, **_texts(read["about"])}
    measured = {
        str(stage): sorted((float(size), float(ns)) for size, ns in points)
        for stage, points in read.get("measured", {}).items()
    }
    price = PathPrice(client, middleware, publish, take, spread, origin, is_own)
    return replace(price, measured=measured)


def _numbers(read: Any) -> dict[str, float]:
    return {str(name): float(value) for name, value in read.items()}


def _texts(read: Any) -> dict[str, str]:
    return {str(name): str(value) for name, value in read.items()}


def keep(prices: PriceList, path: Path) -> None:
    """Write prices; the file appears whole or not at all. Raises OSError."""
    document = {
        "format": FORMATS[-1],
        "about": dict(prices.about),
        "prices": {name: codec.stages for name, codec in prices.prices.items()},
        "spread": {name: codec.spread for name, codec in prices.prices.items() if codec.spread},
        "origins": {name: _own_words(codec.about, prices) for name, codec in prices.prices.items()},
        "paths": {
            name: {
                "publish": path.publish,
                "take": path.take,
                "spread": path.spread,
                "measured": path.measured,
                "about": _own_words(path.about, prices),
            }
            for name, path in prices.paths.paths.items()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    whole_file.write_text(path, json.dumps(document, indent=1) + "\n")


def _own_words(about: Mapping[str, str], prices: PriceList) -> dict[str, str]:
    """Return what an origin says beyond that of the whole list."""
    return {name: text for name, text in about.items() if prices.about.get(name) != text}
