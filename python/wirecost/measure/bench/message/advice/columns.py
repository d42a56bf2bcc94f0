# SPDX-License-Identifier: Apache-2.0
"""Sizes of messages with a long list in columns, measured by the generated code."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.fields import CountedField, fields_along, lengths_at
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.program import run
from wirecost.schema.compile.compiler import Columns, emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.python.names import class_name, identifier, module_place
from wirecost.schema.compile.schema import CompileError, Kind, Label, Message, MessageRef, Schema
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

MODULE = "wirecost.measure.bench.message.advice.columns_worker"
LISTS = 2
"""Number of lists that are tried."""
LEAST_SHARE = 0.1
"""Least share of all bytes."""
LEAST_ELEMENTS = 50
"""On average: columns of fewer save little."""
MEASURED = 20
"""Messages."""
DEEPEST = 8
"""Messages within an element whose numbers are reduced."""


@dataclass(frozen=True)
class TriedColumns:
    """A list in columns, by its path.

    ``kept``: what its columns keep, for people; ``bytes``: of a message on average; ``narrow``:
    whether doubles became floats.
    """

    path: str
    kept: str
    bytes: float
    narrow: bool = False


def in_columns(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[CountedField]
) -> Iterator[TriedColumns]:
    """Yield lists that columns can hold, once with every bit and once with floats for doubles."""
    chosen = messages[:MEASURED]
    for path, type_name in long_lists(subject, chosen, fields):
        try:
            sizes = _sizes(subject, chosen, path, type_name)
        except (CompileError, ProgramFailedError):
            continue
        average = sum(map(len, messages)) / len(messages) / max(1, sum(map(len, chosen)))
        exact, narrow, errors = zip(*sizes, strict=True)
        yield TriedColumns(path, "every bit kept", average * sum(exact))
        if sum(narrow) < sum(exact):
            precision = f"doubles as floats, off by up to {max(errors):.1g}"
            yield TriedColumns(path, precision, average * sum(narrow), narrow=True)


def long_lists(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[CountedField]
) -> list[tuple[str, str]]:
    """Return path and elements' type of the lists with most bytes.

    They are in no other of these, and long enough for columns to be worth it.
    """
    if subject.wire != "protobuf":
        return []
    total = sum(field.all for field in fields if "." not in field.path)
    lists: list[tuple[str, str]] = []
    for field in sorted(fields, key=lambda field: -field.all):
        along = fields_along(subject.schema, subject.type, field.path)
        if not along or field.all < LEAST_SHARE * total:
            continue
        last = along[-1]
        if last.label is not Label.REPEATED or not isinstance(last.type, MessageRef):
            continue
        if any(field.path.startswith(f"{path}.") for path, _ in lists):
            continue
        if _is_long(subject, messages, field.path):
            lists.append((field.path, last.type.name))
    return lists[:LISTS]


def _is_long(subject: Subject, messages: Sequence[bytes], path: str) -> bool:
    """Return whether a list has enough elements, on average of all places where it stands."""
    lengths = [length for data in messages for length in lengths_at(subject.read(data), path)]
    return sum(lengths) >= LEAST_ELEMENTS * max(len(lengths), len(messages))


def _sizes(
    subject: Subject, messages: Sequence[bytes], path: str, type_name: str
) -> list[tuple[float, ...]]:
    """Return bytes exact and with floats, and the floats' largest error, for each message.

    Raises CompileError, ProgramFailedError.
    """
    schema = subject.schema
    with scratch.folder("columns") as folder:
        request = Request(("protobuf",))
        write(emitted(schema, ("python",), request, Columns((type_name,))), folder)
        content = folder / "content"
        write_content(content, messages)
        home, of_rows = schema.home(subject.type), schema.home(type_name)
        place = module_place(of_rows)
        numbers = dict(_numbers(schema, schema.message(type_name), ()))
        job = {
            "folder": str(folder / "python"),
            "content": str(content),
            "module": ".".join(("wire", *module_place(home).parts)),
            "class": class_name(home, subject.type),
            "columns_module": ".".join(("wire", *place.with_name(f"{place.name}_columns").parts)),
            "columns": of_rows.local_name(type_name).replace(".", "") + "Columns",
            "path": [identifier(name.removesuffix("[]")) for name in path.split(".")],
            "numbers": list(numbers),
            "doubles": [name for name, kind in numbers.items() if kind is Kind.FLOAT64],
        }
        lines = run([sys.executable, "-P", "-m", MODULE], json.dumps(job))
        return [tuple(map(float, line.split())) for line in lines]


def _numbers(
    schema: Schema, message: Message, outer: tuple[str, ...]
) -> Iterator[tuple[str, Kind]]:
    """Yield the columns of single numbers, by dotted names."""
    for field in message.fields:
        if field.label is not Label.SINGLE or not field.name.isidentifier():
            continue
        if isinstance(field.type, MessageRef) and len(outer) < DEEPEST:
            yield from _numbers(schema, schema.message(field.type), (*outer, field.name))
        elif (
            isinstance(field.type, Kind) and not field.type.is_text and field.type is not Kind.BOOL
        ):
            yield ".".join((*outer, field.name)), field.type
