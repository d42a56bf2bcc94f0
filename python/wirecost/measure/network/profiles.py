# SPDX-License-Identifier: Apache-2.0
"""Faults of a network: delay, jitter, loss, rate, and when it is cut."""

from __future__ import annotations

import difflib
import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import read_regular

LARGEST = 1 << 16
LOOPBACK = "loopback"
"""The network that is there without a profile."""


@dataclass(frozen=True)
class Profile:
    """The network between each two hosts, in each direction. Numbers are docs/networks.md's."""

    name: str
    delay_ms: float = 0.0
    """One way."""
    jitter_ms: float = 0.0
    """Each packet's delay differs by up to this, uniformly, more or less; order is kept."""
    loss_percent: float = 0.0
    """Loss of packets, each independently."""
    rate_mbit: float = 1000.0
    """Rate of every host's link, in each direction, 10^6 bits per second."""
    queue_packets: int = 1000
    """Packets of 1,514 bytes that wait for a link before further ones are dropped."""
    cut_after_s: float = 1.0
    """Time from the first message until the publisher's link is cut."""
    cut_s: float = 0.0
    """Time without a link; 0 for no cut."""

    @property
    def needs_delay(self) -> bool:
        """True where a kernel's queue that only limits a rate is not enough."""
        return bool(self.delay_ms or self.jitter_ms or self.loss_percent)

    def record(self) -> dict[str, object]:
        """Return the values for a result folder."""
        return asdict(self)


BUILT_IN = {
    profile.name: profile
    for profile in (
        Profile("lan"),
        Profile("wifi", delay_ms=3, jitter_ms=2, loss_percent=0.5, rate_mbit=100),
        Profile("lossy", delay_ms=1, loss_percent=5, rate_mbit=100),
        Profile("wan", delay_ms=40, rate_mbit=100),
        Profile("narrow", rate_mbit=10, queue_packets=100),
        Profile("cut", cut_after_s=1, cut_s=2),
    )
}

_LIMITS: dict[str, tuple[float, float]] = {
    "delay_ms": (0, 2000),
    "jitter_ms": (0, 1000),
    "loss_percent": (0, 90),
    "rate_mbit": (0.1, 1000),
    "queue_packets": (1, 10_000),
    "cut_after_s": (0, 60),
    "cut_s": (0, 60),
}


def find(text: str) -> Profile:
    """Return a built-in profile by its name, or read one from a TOML file. Raises UserError."""
    if text in BUILT_IN:
        return BUILT_IN[text]
    if "/" in text or text.endswith(".toml"):
        return read(Path(text))
    near = difflib.get_close_matches(text, BUILT_IN, 3, 0.4) or list(BUILT_IN)
    raise UserError(
        f"network {shown(text)!r} is unknown: did you mean {', '.join(near)}? "
        "A file's name ends in .toml"
    )


def read(path: Path) -> Profile:
    """Read a profile; raise UserError with file, key, what is wrong there and what to write."""
    try:
        table = tomllib.loads(read_regular(path, LARGEST).decode())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a network profile") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: no TOML: {shown(error)}") from error
    keys = [field.name for field in fields(Profile)]
    for key in table:
        if key not in keys:
            near = difflib.get_close_matches(key, keys, 1) or keys
            raise UserError(f"{path}: {shown(key)}: is no key; write {', '.join(near)}")
    name = table.pop("name", path.stem)
    if not isinstance(name, str) or not (name.isprintable() and 1 <= len(name) <= 40):
        raise UserError(f"{path}: name: give 1 to 40 printable characters")
    if name in BUILT_IN or name == LOOPBACK:
        raise UserError(f"{path}: name: {name} is built in; give another name")
    numbers = {key: _number(path, key, value) for key, value in table.items()}
    profile = replace(Profile(name), **numbers)
    if profile.jitter_ms > profile.delay_ms:
        raise UserError(f"{path}: jitter_ms: is more than delay_ms; give at most as much")
    return profile


def _number(path: Path, key: str, value: Any) -> Any:
    least, most = _LIMITS[key]
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not least <= value <= most:
        raise UserError(f"{path}: {key}: give a number from {least:g} to {most:g}")
    if key == "queue_packets":
        if not isinstance(value, int):
            raise UserError(f"{path}: {key}: give a whole number")
        return value
    return float(value)
