# SPDX-License-Identifier: Apache-2.0
"""Inputs of a conversion: files, and patterns such as ``fleet/**/*.osi`` that are expanded here."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost.data.traces.choices import SUFFIXES
from wirecost.system.errors import UserError

WILDCARDS = frozenset("*?[")
UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Unicode's categories of control and formatting characters, of bytes that are no text (PEP 383),
and of line ends: such a name cannot be printed, and a line of a report could not hold it."""
KINDS = f"a trace: {', '.join(SUFFIXES)}"


@dataclass(frozen=True)
class TraceInput:
    """A trace to convert, as it was found."""

    path: Path
    relative: Path
    """Below the folder that all inputs have in common: the output's place in its folder."""
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class _MatchedPath:
    path: Path
    root: Path
    """The part before the first wildcard, or the file's folder; absolute."""
    size: int
    mtime_ns: int


def is_pattern(word: str) -> bool:
    """Return whether it has wildcards and is no file that is called so."""
    return bool(WILDCARDS & set(word)) and not os.path.lexists(word)


def sources(words: Sequence[str]) -> list[TraceInput]:
    """Return all traces that files and patterns stand for, each once, in the order of their paths.

    ``**`` does not follow links to folders. Raises UserError, one line, on what is no trace, on a
    pattern that nothing fits, and on names that cannot be printed.
    """
    traces = {
        os.path.abspath(trace.path): trace  # noqa: PTH100 - a link's own name counts
        for word in words
        for trace in (_expanded(word) if is_pattern(word) else (_single(word),))
    }
    _refuse_unsafe(traces)
    if not traces:
        return []
    common = os.path.commonpath([trace.root for trace in traces.values()])
    return [
        TraceInput(trace.path, Path(os.path.relpath(place, common)), trace.size, trace.mtime_ns)
        for place, trace in sorted(traces.items())
    ]


def _single(word: str) -> _MatchedPath:
    path = Path(word)
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path}: {reason}; name a readable trace file") from error
    if stat.S_ISDIR(status.st_mode):
        raise UserError(f"{path}: a folder; name the traces in it: '{path}/**/*.osi'")
    if path.suffix.lower() not in SUFFIXES or not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: not {KINDS}")
    return _MatchedPath(path, _absolute(path.parent), status.st_size, status.st_mtime_ns)


def _expanded(word: str) -> Iterator[_MatchedPath]:
    parts = Path(word).parts
    first = next(number for number, part in enumerate(parts) if WILDCARDS & set(part))
    root, rest = Path(*parts[:first]), list(parts[first:])
    if ".." in rest:
        raise UserError(f"{word}: has .. behind a wildcard; put it in front")
    if rest[-1] == "**":
        rest.append("*")
    none = True
    try:
        for path in root.glob("/".join(rest)):
            if path.suffix.lower() in SUFFIXES:
                status = path.stat()
                if stat.S_ISREG(status.st_mode):
                    none = False
                    yield _MatchedPath(path, _absolute(root), status.st_size, status.st_mtime_ns)
    except (OSError, ValueError, NotImplementedError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{word}: cannot be expanded ({reason}); give another pattern") from error
    if none:
        raise UserError(f"{word}: no file fits that is {KINDS}")


def _refuse_unsafe(paths: dict[str, _MatchedPath]) -> None:
    unsafe = [path for path in paths if any(unicodedata.category(char) in UNSAFE for char in path)]
    if unsafe:
        others = f", and {len(unsafe) - 1:,} more" if len(unsafe) > 1 else ""
        raise UserError(
            f"{unsafe[0]}: its name has control characters or bytes that are not UTF-8{others}; "
            "rename it"
        )


def _absolute(path: Path) -> Path:
    return Path(os.path.abspath(path))  # noqa: PTH100 - .. is removed, links are kept
