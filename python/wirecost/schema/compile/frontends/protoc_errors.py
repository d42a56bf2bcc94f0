# SPDX-License-Identifier: Apache-2.0
"""protoc's complaints as this compiler gives its own: place, what is wrong, what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from wirecost.schema.compile.schema import CompileError, Origin
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable

_COMPLAINT = re.compile(
    r"^(?!WARNING: )(?P<file>[^:\n]+):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<what>(?!warning:).+)$"
)
_MISSING = re.compile(r'Import "(?P<name>[^"]+)" was not found')
_RESERVED = re.compile(r'Field "(?P<name>\w+)" uses reserved number (?P<number>\d+)')

_REMEDIES = (
    ("is not defined", "declare it, or import the file that does"),
    ("has already been used", "give the field a number of its own"),
    ("is already defined", "rename one of the two"),
    ("uses reserved", "give the field a number and a name that are not reserved"),
    ("Field numbers", "give the field a number from 1 to 536870911"),
    ("first enum value", "begin the enum with a value 0"),
    ("imports itself", "move what both need to a file of its own"),
    ("Required fields", "remove `required`, or write proto2"),
    ("Unrecognized syntax", "write proto2 or proto3"),
    ("top-level statement", "correct what stands there"),
    ("default value", "write a value of the field's type"),
    ("JSON", "rename one of the two"),
    ("Key in map", "take an integer, a bool or a string as key"),
    ("codepoint", "save the file as UTF-8 and write identifiers in ASCII"),
    ("Expected", "look at this place and at the end of what stands before it"),
)


def complaint(text: str, shown: Path, roots: Sequence[Path]) -> UserError:
    """Return the first complaint that protoc printed. ``shown``: the input, should it name none."""
    matches = [match for line in text.splitlines() if (match := _COMPLAINT.match(line))]
    for match in matches:
        missing = _MISSING.match(match["what"])
        if missing:
            what = f"import {missing['name']} is not found in {', '.join(map(str, roots))}"
            return CompileError(
                _origin(match, roots), what, "give the folder that holds it below with -I"
            )
        if not match["what"].endswith("File not found."):
            what = _sentence(match["what"])
            remedy = next((r for part, r in _REMEDIES if part in match["what"]), None)
            return CompileError(_origin(match, roots), what, remedy or "correct the schema there")
    reported = text.strip().splitlines()
    first = f": {printable(reported[0])}" if reported else ""
    return UserError(f"{shown}: error: protoc failed{first}; run protoc on it")


def _origin(match: re.Match[str], roots: Sequence[Path]) -> Origin:
    path = next((r / match["file"] for r in roots if (r / match["file"]).is_file()), None)
    if path is None:
        return Origin(match["file"])
    reserved = _RESERVED.match(match["what"])  # which protoc places where the number is reserved
    if reserved:
        declared = re.compile(rf"\b{reserved['name']}\s*=\s*{reserved['number']}\b")
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
            at = declared.search(line)
            if at:
                return Origin(str(path), number, at.start() + 1)
    if match["line"]:
        return Origin(str(path), int(match["line"]), int(match["column"]))
    return Origin(str(path))


def _sentence(what: str) -> str:
    """Return the first sentence, to be a part of a longer one."""
    return re.split(r"(?<!\be\.g)\.(?:\s|$)", what)[0].replace('"', "`")
