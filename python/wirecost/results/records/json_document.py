# SPDX-License-Identifier: Apache-2.0
"""JSON of others, checked against its types before any use, and strict JSON for others."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from wirecost.system.errors import UserError
from wirecost.system.foreign import printable, shortened

LONGEST_INTEGER = 20
"""Digits with a sign."""
LONGEST = 200
"""Characters of a complaint, which may repeat what stands in the file."""

NUMBERS = re.compile(r"\[\n *((?:[-+.eE0-9]+|null)(?:,\n *(?:[-+.eE0-9]+|null))*)\n *\]")
BREAK = re.compile(r",\n *")
"""Within a text there is no line break, so that neither is found in one."""

T = TypeVar("T")


def decode(path: Path, content: bytes, kind: type[T], remedy: str) -> T:
    """Return the document in ``content``, which ``path`` held.

    There is no NaN in it, no infinity and no integer beyond 64 bits. Raises UserError, one line:
    the file, the place in it as a JSON path, what is wrong there, and the remedy.
    """
    with _refusals(path, remedy):
        return msgspec.json.decode(content, type=kind)


def loads(path: Path, content: bytes, remedy: str) -> Any:
    """Return any document as Python writes it.

    It may hold what stands for bytes that are no text (PEP 383), NaN and infinity. No integer is
    beyond 64 bits. Raises UserError.
    """
    with _refusals(path, remedy):
        return json.loads(content, parse_int=_of_64_bits)


def check(path: Path, document: Any, kind: type, remedy: str) -> None:
    """Raise UserError where a document of ``loads`` is not of that kind."""
    with _refusals(path, remedy):
        msgspec.convert(document, kind)


def text(document: Any, indent: int | None = 2) -> str:
    """Return the document as JSON that every reader takes.

    A number that is none becomes null, and bytes that are no text are shown by their numbers. A
    list of numbers is on one line.
    """
    written = json.dumps(_strict(document), indent=indent, allow_nan=False)
    return NUMBERS.sub(lambda found: "[" + BREAK.sub(", ", found[1]) + "]", written)


def all_printable(document: Any) -> Any:
    """Return a decoded document with each text on one line, and nothing that steers a terminal."""
    if isinstance(document, str):
        return printable(document)
    if isinstance(document, dict):
        return {printable(key): all_printable(value) for key, value in document.items()}
    return [all_printable(item) for item in document] if isinstance(document, list) else document


@contextmanager
def _refusals(path: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except RecursionError as error:
        raise UserError(f"{path}: nested too deeply; {remedy}") from error
    except ValueError as error:  # msgspec's own are of that kind
        raise UserError(f"{path}: {_told(error)}; {remedy}") from error


def _told(error: ValueError) -> str:
    """Return the reason with its place first: ``$.runs[0].case: Expected `str`, got `int```."""
    what, _, place = printable(str(error)).rpartition(" - at ")
    return shortened(f"{place.strip('`')}: {what}" if what else place, LONGEST)


def _of_64_bits(digits: str) -> int:
    value = int(digits) if len(digits) <= LONGEST_INTEGER else 1 << 64
    if not -(1 << 63) <= value < 1 << 64:
        raise ValueError(f"{digits[:20]} is out of range")
    return value


def _strict(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {
            _strict(key) if isinstance(key, str) else key: _strict(v) for key, v in value.items()
        }
    return [_strict(item) for item in value] if isinstance(value, list | tuple) else value
