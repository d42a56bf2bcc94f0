# SPDX-License-Identifier: Apache-2.0
"""The whole compilation: load, plan and emit everything, then write."""

from __future__ import annotations

import errno
import importlib
import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from wirecost.compile import frontends
from wirecost.compile.emit import Request, Texts, location
from wirecost.compile.plan.columns import plan as plan_columns
from wirecost.compile.schema import CompileError, File, Origin, Schema
from wirecost.errors import UserError


@dataclass(frozen=True)
class Columns:
    """The columns wire: messages by full name, and how their columns are stored."""

    messages: tuple[str, ...] = ()
    reductions: tuple[str, ...] = ()
    """``field=how``; see wirecost.compile.plan.columns.plan."""


NO_COLUMNS = Columns()


def compile_schema(
    inputs: Sequence[str],
    languages: Sequence[str],
    request: Request,
    include: Sequence[Path] = (),
    dialect: str | None = None,
    columns: Columns = NO_COLUMNS,
) -> Texts:
    """Texts of all files by path, ``<language>/…``. Raises CompileError or UserError."""
    schema = frontends.load(inputs, include, dialect)
    _refuse_one_place_for_two(schema)
    texts: Texts = {}
    if columns.messages:
        roots = plan_columns(schema, columns.messages, columns.reductions)
        # Rows are on the Protobuf wire, so whoever converts needs it.
        wires = tuple(dict.fromkeys((*request.wires, "protobuf")))
        request = replace(request, wires=wires, columns=roots)
        languages = tuple(dict.fromkeys(("proto", *languages)))
    for language in languages:
        emitter = importlib.import_module(f"wirecost.compile.emit.{language}")
        texts |= {language / path: text for path, text in emitter.emit(schema, request).items()}
    return texts


def _refuse_one_place_for_two(schema: Schema) -> None:
    """``Foo.msg`` and ``Foo.srv`` of a package, or names that differ in case only."""
    taken: dict[str, File] = {}
    for file in schema.files:
        place = str(location(file))
        other = taken.setdefault(place.lower(), file)
        if other is not file:
            raise CompileError(
                Origin(file.name),
                f"its output is {place} as that of {other.name}",
                "rename one of the two or compile them apart",
            )


def write(texts: Texts, out: Path) -> list[Path]:
    """Write what changed below ``out``: all files, or none where one cannot be written."""
    pending: list[tuple[Path, Path]] = []
    made: list[Path] = []
    done = False
    try:
        for name, text in sorted(texts.items()):
            path, content = out / name, text.encode()
            if path.is_dir():
                raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
            if path.is_file() and path.read_bytes() == content:
                continue
            made += _make_folder(path.parent)
            handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            pending.append((Path(temporary), path))
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            Path(temporary).chmod(0o644)
        for written, path in pending:
            written.replace(path)
        done = True
    except OSError as error:
        raise UserError(
            f"{error.filename or out}: error: {error.strerror}; name a writable folder with --out"
        ) from error
    finally:
        for written, _ in pending:
            written.unlink(missing_ok=True)
        for folder in () if done else reversed(made):
            folder.rmdir()
    return [path for _, path in pending]


def _make_folder(folder: Path) -> list[Path]:
    """The folders that were missing, outermost first."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()][::-1]
    folder.mkdir(parents=True, exist_ok=True)
    return missing
