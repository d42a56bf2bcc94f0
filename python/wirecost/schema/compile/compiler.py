# SPDX-License-Identifier: Apache-2.0
"""The whole compilation: load, plan and emit everything, then write."""

from __future__ import annotations

import errno
import importlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from resource import RLIMIT_NOFILE, getrlimit

from wirecost.schema.compile import earlier, frontends
from wirecost.schema.compile.emit import Request, Texts, location
from wirecost.schema.compile.plan import extent, json
from wirecost.schema.compile.plan.columns import plan as plan_columns
from wirecost.schema.compile.plan.wires import SEQUENTIAL, check_whole
from wirecost.schema.compile.schema import (
    CompileError,
    Enum,
    File,
    Message,
    Omission,
    Origin,
    Schema,
)
from wirecost.system.errors import UserError
from wirecost.system.failed_write import remedy
from wirecost.system.whole_file import missing_folders, remove_empty, replaced

MOST_UNNAMED = 200
"""Files that are open at once before they get their names; fewer where few may be open."""


@dataclass(frozen=True)
class Columns:
    """The columns wire: messages by full name, and how their columns are stored."""

    messages: tuple[str, ...] = ()
    reductions: tuple[str, ...] = ()
    """``field=how``; see wirecost.schema.compile.plan.columns.plan."""


NO_COLUMNS = Columns()


def compile_schema(
    inputs: Sequence[str],
    languages: Sequence[str],
    request: Request,
    include: Sequence[Path] = (),
    dialect: str | None = None,
    columns: Columns = NO_COLUMNS,
    warn: Callable[[Omission], None] = lambda _: None,
) -> Texts:
    """Return texts of all files by path, ``<language>/…``. Raises CompileError or UserError.

    ``warn`` is called for what the schema has and they have not.
    """
    check_whole(request.wires)
    schema = frontends.load(inputs, include, dialect)
    return emitted(schema, languages, request, columns, warn)


def emitted(
    schema: Schema,
    languages: Sequence[str],
    request: Request,
    columns: Columns = NO_COLUMNS,
    warn: Callable[[Omission], None] = lambda _: None,
    out: Path | None = None,
) -> Texts:
    """Compile a schema that was loaded.

    ``out``: a folder into which earlier runs wrote, of which nothing shall break.
    """
    check_whole(request.wires)
    classes_only = request.protobuf_api and tuple(languages) == ("cpp",)
    for file in request.written(schema):
        for omission in file.omissions:
            if not (classes_only and omission.in_classes):
                warn(omission)
    _refuse_one_place_for_two(schema)
    _refuse_one_name_for_two(schema)
    _refuse_too_much(schema, languages, request.wires)
    if request.json:
        json.check(schema, request.wires)
    texts: Texts = {}
    if columns.messages:
        roots = plan_columns(schema, columns.messages, columns.reductions)
        # Rows are on the Protobuf wire, so whoever converts needs it.
        wires = tuple(dict.fromkeys((*request.wires, "protobuf")))
        request = replace(request, wires=wires, columns=roots)
        languages = tuple(dict.fromkeys(("proto", *languages)))
    for language in languages:
        emit = importlib.import_module(f"wirecost.schema.compile.emit.{language}").emit
        generated: Texts = emit(schema, request)
        if out is not None:
            generated = _with_earlier(
                schema, request, language, emit, generated, out / language, warn
            )
        for path, text in generated.items():
            texts[PurePosixPath(language) / path] = _visible(path, text)
    return texts


def _with_earlier(
    schema: Schema,
    request: Request,
    language: str,
    emit: Callable[[Schema, Request], Texts],
    texts: Texts,
    folder: Path,
    warn: Callable[[Omission], None],
) -> Texts:
    """Return the texts with what earlier runs asked for, as far as the schema still has it."""
    extended = earlier.kept(request, language, texts, folder)
    if extended != request:
        more = [w for w in extended.wires if w not in request.wires]
        try:
            _refuse_too_much(schema, (language,), more)
            if extended.json:
                json.check(schema, extended.wires)
            texts = emit(schema, extended)
        except CompileError as error:
            what = f"what an earlier run wrote into {folder} is not written again: {error}"
            warn(Omission(error.origin, what, "compile into another folder"))
    return earlier.joined(texts, folder)


def _visible(path: PurePosixPath, text: str) -> str:
    """Return a file's text. Raises CompileError where a reader would not see each character."""
    for number, line in enumerate(text.split("\n"), 1):
        if not line.isprintable():
            raise CompileError(
                Origin(str(path), number),
                f"would hold characters that no one sees: `{line[:80]}`",
                "take them out of the schema, and report that they were let through",
            )
    return text


def _refuse_one_place_for_two(schema: Schema) -> None:
    """Raise CompileError for files whose places differ in case only, for example."""
    places: dict[str, File] = {}
    for file in schema.files:
        place = str(location(file))
        other = places.setdefault(place.lower(), file)
        if other is not file:
            raise CompileError(
                Origin(file.name),
                f"its output is {place} as that of {other.name}",
                "rename one of the two or compile them apart",
            )


def _refuse_one_name_for_two(schema: Schema) -> None:
    """Raise CompileError for ``A.B`` and ``A_B`` of a package.

    Nested types lie beside the others in C++ and Python.
    """
    declared_names: dict[tuple[str, str], Message | Enum] = {}
    for file in schema.files:
        declarations: tuple[Message | Enum, ...] = (*file.messages, *file.enums)
        for declared in declarations:
            name = file.local_name(declared.full_name).replace(".", "_")
            other = declared_names.setdefault((file.package, name), declared)
            if other is not declared:
                raise CompileError(
                    declared.origin,
                    f"{declared.full_name} becomes {name}, as {other.full_name} does",
                    "rename one of the two",
                )


def _refuse_too_much(schema: Schema, languages: Sequence[str], wires: Sequence[str]) -> None:
    less = "make fields optional or repeated, or nest fewer messages"
    always = "all of which are always there"
    extent.refuse_too_much(schema, extent.always_there, always, less, extent.DEEPEST)
    for wire in (w for w in wires if w in SEQUENTIAL):
        where = f"all of which {wire} writes"
        extent.refuse_too_much(schema, extent.on_wire, where, less, extent.DEEPEST)
    if "cpp" in languages:
        where = "all of which lie in its struct in C++"
        extent.refuse_too_much(schema, extent.in_struct, where, less, extent.DEEPEST_STRUCT)


def write(texts: Texts, out: Path) -> list[Path]:
    """Write what changed below ``out``: all files, or none where one cannot be written."""
    changed: list[Path] = []
    new_folders: list[Path] = []
    done = False
    try:
        most = min(MOST_UNNAMED, getrlimit(RLIMIT_NOFILE)[0] // 4)
        with ExitStack() as stack:  # each gets its name at the end
            for name, text in sorted(texts.items()):
                path, content = out / name, text.encode()
                if path.is_dir():
                    raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
                if path.is_file() and path.read_bytes() == content:
                    continue
                new_folders[:0] = missing_folders(path.parent)
                path.parent.mkdir(parents=True, exist_ok=True)
                unnamed = len(changed) < most
                stack.enter_context(replaced(path, unnamed)).write_bytes(content)
                changed.append(path)
        done = True
    except OSError as error:
        raise UserError(
            f"{error.filename or out}: error: {error.strerror}; "
            f"{remedy(error, 'name a writable folder with --out')}"
        ) from error
    finally:
        remove_empty(() if done else new_folders)
    return changed
