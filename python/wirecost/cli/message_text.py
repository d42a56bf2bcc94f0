# SPDX-License-Identifier: Apache-2.0
"""The summary of a message as lines for people."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from wirecost.cli.message_summary import KIND, Summary
from wirecost.system.counted import counted
from wirecost.system.printable import printable

INDENT = "  "
Headed = tuple[str, Iterator[str]]
_PLAIN = (str, int, float, bool, type(None))


def lines(summary: Any) -> Iterator[str]:
    """Yield the lines of a summary by ``message_summary.summary``."""
    if isinstance(summary, dict) and KIND not in summary:
        yield from _fields(summary)
        return
    first, inner = _headed(summary)
    yield first
    yield from (f"{INDENT}{line}" for line in inner)


def _fields(fields: Summary) -> Iterator[str]:
    for name, value in fields.items():
        if isinstance(value, dict) and KIND not in value:
            yield f"{printable(name)}:"
            inner = _fields(value)
        else:
            first, inner = _headed(value)
            yield f"{printable(name)}: {first}"
        yield from (f"{INDENT}{line}" for line in inner)


def _headed(summary: Any) -> Headed:
    """Return the first line, and the lines below it."""
    if not isinstance(summary, dict):
        # A time stamp has more digits than are shown of an array's numbers.
        return repr(summary) if isinstance(summary, float) else _value(summary), iter(())
    kind = printable(summary[KIND])
    for key, show in _SHOWN.items():
        if key in summary:
            return show(kind, summary)
    return kind, iter(())


def _object(kind: str, summary: Summary) -> Headed:
    return f"{kind} {printable(summary['text'])}", iter(())


def _table(kind: str, summary: Summary) -> Headed:
    return f"{kind}, {counted(summary['rows'], 'row')}", _fields(summary["columns"])


def _dataset(kind: str, summary: Summary) -> Headed:
    return kind, _fields(summary["variables"])


def _array(kind: str, summary: Summary) -> Headed:
    shape = tuple(summary["shape"])
    text = f"{kind} {printable(summary['dtype'])} {shape}"
    if "units" in summary:
        text += f" {printable(summary['units'])}"
    named = (("min", "min"), ("mean", "mean"), ("max", "max"), ("not_finite", "not finite"))
    for name, title in named:
        if name in summary:
            text += f", {title} {_value(summary[name])}"
    return text + _first(math.prod(shape), [_value(value) for value in summary["first"]]), iter(())


def _bytes(kind: str, summary: Summary) -> Headed:
    count = summary["bytes"]
    first = [f"{byte:02x}" for byte in summary["first"]]
    return f"{kind} of {count}{_first(count, first)}", iter(())


def _items(kind: str, summary: Summary) -> Headed:
    count, first = summary["items"], summary["first"]
    head = f"{kind} of {count}"
    if all(isinstance(item, _PLAIN) for item in first):
        return head + _first(count, [_value(item) for item in first]), iter(())
    rest = ["…"] if count > len(first) else []
    inner = (line for item in first for line in _item(item))
    return head, iter([*inner, *rest])


_SHOWN: dict[str, Callable[[str, Summary], Headed]] = {
    "text": _object,
    "rows": _table,
    "variables": _dataset,
    "dtype": _array,
    "bytes": _bytes,
    "items": _items,
}
"""Text of a summary, by a key that only such a summary has."""


def _item(summary: Any) -> Iterator[str]:
    for number, line in enumerate(lines(summary)):
        yield f"{INDENT if number else '- '}{line}"


def _first(count: int, first: list[str]) -> str:
    if not first:
        return ""
    return f": {' '.join(first)}{' …' if count > len(first) else ''}"


def _value(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    return f"{value:.6g}" if isinstance(value, float) else printable(str(value))
