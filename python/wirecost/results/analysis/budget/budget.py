# SPDX-License-Identifier: Apache-2.0
"""Budget files: what a function, section, thread, topic or chain may take, in TOML."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.function_names import is_python, section_globs
from wirecost.system.regular_file import read_regular

LARGEST = 1 << 20
AFTER = "after"
FUNCTION, SECTION, TOPIC, CHAIN = "function", "section", "topic", "chain"
THREAD = "thread"
ARROW = "->"
"""Between the ends of a chain in its name: ``/in -> /out``."""
_ARROWS = re.compile(f" *(?:{ARROW}|[→⇢]) *")
"""The same, and as ``probe chain`` prints it."""
TIMES = ("p50", "p95", "p99", "p99.9", "max", "gap")
DEADLINE, MISSES = "deadline", "misses_per_million"
RATE = "rate_hz"
COUNTERS = (
    "allocations",
    "allocated-bytes",
    "frees",
    "lock-waits",
    "lock-wait-ns",
    "system-calls",
    "minor-faults",
    "major-faults",
    "context-switches",
    "cpu-migrations",
    "run-queue-wait-ns",
    "blocked-ns",
    "block-input",
    "block-output",
)
"""Counters that a budget may have, by their names in ``WIRECOST_PROBE_COUNTERS``."""
BY, THIS = "by", "this"
REAL_TIME = "realtime"
FORBIDDEN = (
    "allocations",
    "frees",
    "lock-waits",
    "system-calls",
    "minor-faults",
    "major-faults",
)
"""Counters that ``realtime = true`` limits to 0, where the table has no other limit for them."""
_OF_CALLS = (*TIMES, RATE, DEADLINE, MISSES, REAL_TIME, *COUNTERS)
QUANTITIES = {
    FUNCTION: (*_OF_CALLS, BY),
    SECTION: _OF_CALLS,
    THREAD: _OF_CALLS,
    TOPIC: ("gap", RATE),
    CHAIN: ("p50", "p95", "p99", "p99.9", "max", DEADLINE, MISSES),
}
MOST = 1e18
_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class Line:
    """One quantity of a budget.

    ``limit``: nanoseconds, Hz or a count in any one execution; of deadlines the misses per million
    of what takes longer than ``deadline_ns``. ``rate_hz`` is the least, all others are the most.
    """

    kind: str
    pattern: str
    quantity: str
    limit: float
    deadline_ns: float | None = None

    @property
    def percent(self) -> float | None:
        """Return the percentile that is limited, if it is one."""
        match = _PERCENTILE.fullmatch(self.quantity)
        return float(match[1]) if match else None

    @property
    def globs(self) -> tuple[str, ...]:
        """Return globs of the names that it limits."""
        if self.kind == THREAD:
            return (f"{THREAD} {self.pattern}",)
        return section_globs(self.pattern) if self.kind == FUNCTION else (self.pattern,)

    def limits(self, name: str) -> bool:
        """Return whether it limits what is recorded under a name."""
        return any(name == glob or fnmatchcase(name, glob) for glob in self.globs)


@dataclass(frozen=True)
class Budget:
    """Lines in the order of the file; the first ``after_ns`` of each process are left out.

    ``by_object``: patterns of functions that have the limits for each object on its own.
    """

    after_ns: float
    lines: tuple[Line, ...]
    by_object: tuple[str, ...] = ()

    def counters(self) -> list[str]:
        """Return what must be counted, each once."""
        return list(dict.fromkeys(line.quantity for line in self.counts()))

    def patterns(self, kind: str) -> tuple[str, ...]:
        """Return the patterns of a kind that must be recorded, each once."""
        patterns = (line.pattern for line in self.lines if line.kind == kind)
        return tuple(dict.fromkeys(patterns))

    def counts(self) -> list[Line]:
        """Return the lines that limit a counter."""
        return [line for line in self.lines if line.quantity in COUNTERS]


def read_budget(path: Path) -> Budget:
    """Read a budget; raise UserError with file, key, what is wrong there and what to write."""
    try:
        table = tomllib.loads(read_regular(path, LARGEST).decode())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a budget file") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8; save it as UTF-8") from error
    except (ValueError, RecursionError) as error:  # ValueError: also a number of too many digits
        raise UserError(f"{path}: no TOML: {shown(error)}") from error
    after = table.pop(AFTER, None)
    lines: list[Line] = []
    by_object: list[str] = []
    for kind, patterns in table.items():
        _check_key(f"{path}", kind, (AFTER, *QUANTITIES))
        if not isinstance(patterns, dict):
            raise UserError(f'{path}: {kind}: give tables, such as [{kind}."/name*"]')
        for pattern, limits in patterns.items():
            where = f"{path}: {kind} {shown(pattern)}"
            if not isinstance(limits, dict):
                raise UserError(f'{where}: is no table; quote names: [{kind}."{shown(pattern)}"]')
            if kind == CHAIN and not all(ends_of(pattern)):
                raise UserError(f'{where}: name both ends, such as [chain."/in {ARROW} /out"]')
            lines += _lines(where, kind, pattern, limits)
            by_object += [pattern] * (BY in limits)
    if not lines:
        raise UserError(f'{path}: limits nothing; write [section."*"] and max = "1ms" below it')
    after_ns = 0.0 if after is None else _time(f"{path}: {AFTER}", after)
    return Budget(after_ns, tuple(lines), tuple(by_object))


def ends_of(chain: str) -> tuple[str, str]:
    """Return both topics of a chain's name; an empty one is missing."""
    first, *others = _ARROWS.split(chain.strip())
    return first, others[-1] if others else ""


def _lines(where: str, kind: str, pattern: str, limits: dict[str, Any]) -> list[Line]:
    lines = []
    for key, value in _whole_keys(limits).items():
        _check_key(where, key, QUANTITIES[kind])
        place = f"{where}: {key}"
        if key == REAL_TIME:
            if value is not True:
                raise UserError(f"{place}: write {REAL_TIME} = true, or leave it out")
            lines += [Line(kind, pattern, name, 0.0) for name in FORBIDDEN if name not in limits]
        elif key == BY:
            if value != THIS or is_python(pattern):
                raise UserError(f'{place}: write {BY} = "{THIS}" for methods of C++')
        elif key in TIMES:
            lines.append(Line(kind, pattern, key, _time(place, value)))
        elif key == DEADLINE:
            misses = _number(f"{where}: {MISSES}", limits.get(MISSES, 0))
            lines.append(Line(kind, pattern, key, misses, _time(place, value)))
        elif key == MISSES:
            if DEADLINE not in limits:
                raise UserError(f'{place}: needs a deadline; write {DEADLINE} = "1ms" with it')
        else:
            lines.append(Line(kind, pattern, key, _number(place, value)))
    return lines


def _whole_keys(limits: dict[str, Any]) -> dict[str, Any]:
    """Return limits by their keys; ``p99.9`` without quotes is, to TOML, a 9 within p99."""
    keys: dict[str, Any] = {}
    for key, value in limits.items():
        if isinstance(value, dict) and re.fullmatch(r"p\d+", key):
            keys |= {f"{key}.{digits}": limit for digits, limit in value.items()}
        else:
            keys[key] = value
    return keys


def _check_key(where: str, key: str, keys: tuple[str, ...]) -> None:
    if key in keys:
        return
    near = difflib.get_close_matches(key, keys, 1) or keys
    raise UserError(f"{where}: {shown(key)}: is no key; write {', '.join(near)}")


def _time(place: str, value: Any) -> float:
    if not isinstance(value, str) or value.strip()[-1:].isdigit():
        raise UserError(f'{place}: give a time with its unit, such as "500us"')
    return nanoseconds(place, value)


def _number(place: str, value: Any) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0 <= value < MOST or not math.isfinite(value):
        raise UserError(f"{place}: give a number from 0")
    return float(value)
