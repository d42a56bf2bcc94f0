# SPDX-License-Identifier: Apache-2.0
"""``wirecost compile``: data holders and codecs from a schema."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path, PurePath
from typing import Annotated

from wirecost.cli.options import argument, each, option, reductions
from wirecost.schema.compile.depfile import dependencies
from wirecost.schema.compile.emit import LANGUAGES, Request
from wirecost.schema.compile.plan.wires import WIRES
from wirecost.schema.compile.schema import File, Message, MessageRef, Schema
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import printable, shell_line
from wirecost.system.whole_file import write_text

EXAMPLE = "wirecost compile robot.proto --lang cpp,python --wire protobuf,cdr --out generated"


def command(
    inputs: Annotated[
        list[str],
        argument(
            "INPUT…",
            ".proto, .msg, .srv, a FileDescriptorSet, or a Python module with descriptors.",
        ),
    ],
    out: Annotated[Path, option("Folder for the generated files.", metavar="DIR")],
    lang: Annotated[
        str, option("Languages, comma-separated.", known=LANGUAGES)
    ] = "cpp,python,java",
    wire: Annotated[
        str, option(f"Wire formats, comma-separated: {', '.join(WIRES)}.", known=WIRES)
    ] = "protobuf",
    include: Annotated[
        list[Path] | None,
        option("Folder to search for imports; can be repeated.", "--include", "-I", metavar="DIR"),
    ] = None,
    dialect: Annotated[
        str | None, option("Dialect of .msg and .srv: ros1 or ros2; default: detected.")
    ] = None,
    namespace: Annotated[
        str, option("Root namespace of C++, package of Python and Java.")
    ] = "wire",
    unknown: Annotated[
        str, option("What to do with unknown fields of Protobuf messages: skip or preserve.")
    ] = "skip",
    json: Annotated[
        bool, option("Python and C++: also write and read canonical JSON.", "--json")
    ] = False,
    protobuf_api: Annotated[
        bool,
        option(
            "C++: also write classes with the interface of Protobuf's own classes.",
            "--protobuf-api",
        ),
    ] = False,
    api_namespace: Annotated[
        str,
        option(
            "With --protobuf-api: root namespace of its classes; default: Protobuf's own.",
            metavar="NAME",
        ),
    ] = "",
    recycling: Annotated[
        bool,
        option("C++: each thread reuses the small memory blocks of deleted messages for new ones."),
    ] = True,
    sources: Annotated[
        bool,
        option(
            "C++: put the functions into .cc files, so that they are compiled once.", "--sources"
        ),
    ] = False,
    native: Annotated[
        bool, option("Python: also write an extension module around the generated C++.", "--native")
    ] = False,
    maven: Annotated[bool, option("Java: also write a pom.xml.", "--maven")] = False,
    columns: Annotated[
        list[str] | None,
        option(
            "With --wire columns: messages whose lists are stored in columns, comma-separated; can "
            "be repeated.",
            metavar="MESSAGE,…",
        ),
    ] = None,
    reduce: Annotated[
        list[str] | None,
        option(
            "With --columns: how one is stored: exact, auto, float32 or error:E; FIELD can be *; "
            "can be repeated.",
            metavar="FIELD=HOW",
        ),
    ] = None,
    depfile: Annotated[
        Path | None,
        option(
            "Also write a dependency file for Make and Ninja that lists all schemas that were "
            "read.",
            metavar="FILE",
        ),
    ] = None,
    stamp: Annotated[
        Path | None,
        option(
            "A file that is written last on every run, because unchanged files keep their "
            "modification times; it is the target in --depfile.",
            metavar="FILE",
        ),
    ] = None,
    list_only: Annotated[
        bool, option("Print the names of the files without writing them.", "--list")
    ] = False,
) -> None:
    """Write data holders and codecs for the messages of a schema."""
    from wirecost.schema.compile import frontends
    from wirecost.schema.compile.compiler import emitted, write
    from wirecost.schema.compile.options import Options

    if list_only and (depfile or stamp):
        raise UserError("--list writes nothing: leave out --depfile and --stamp")
    job = Options(
        lang=lang,
        wire=wire,
        namespace=namespace,
        unknown=unknown,
        protobuf_api=protobuf_api,
        api_namespace=api_namespace,
        recycling=recycling,
        sources=sources,
        native=native,
        maven=maven,
        json=json,
        columns=each(columns),
        reduce=reductions(reduce),
    ).job(_spelled)
    of_languages = {
        "cpp": {"--protobuf-api": protobuf_api, "--sources": sources},
        "python": {"--native": native},
        "java": {"--maven": maven},
    }
    for language, options in of_languages.items():
        if language not in job.languages and (names := [name for name in options if options[name]]):
            raise UserError(f"{names[0]}: add {language} to --lang")
    if api_namespace and not protobuf_api:
        raise UserError(f"--api-namespace {api_namespace}: needs --protobuf-api")
    if reduce and not columns:
        raise UserError(f"--reduce {reduce[0]}: needs --columns")
    schema = frontends.load(inputs, include or (), dialect)
    warn = partial(print, file=sys.stderr)
    texts = emitted(schema, job.languages, job.request, job.columns, warn, out)
    files = [out / path for path in texts]
    if list_only:
        print(*files, sep="\n")
        return
    rules = depfile and dependencies([stamp] if stamp else files, schema)
    written = write(texts, out)
    if depfile and rules:
        _write("--depfile", depfile, rules)
    if stamp:
        _write("--stamp", stamp, "")
    print(
        f"{printable(out)}: {counted(len(written), 'file')} written, "
        f"{len(texts) - len(written)} unchanged"
    )
    _print_use(schema, job.request, texts, out)


def _print_use(schema: Schema, request: Request, texts: Iterable[PurePath], out: Path) -> None:
    """Print how a C++ program begins: of a schema in one file it is plain with which header."""
    from wirecost.schema.compile.emit.cpp.names import CppNames

    names = CppNames(schema, request.namespace)
    for wire in request.wires[:1]:
        files = {f"cpp/{names.header(file, f'.{wire}')}": file for file in schema.files}
        written = [files[path.as_posix()] for path in texts if path.as_posix() in files]
        if len(written) == 1:
            (file,) = written
            header, folder = names.header(file, f".{wire}"), shell_line(out / "cpp")
            linked = ", linked with its .cc files" if request.sources else ""
            print(f'#include "{header}", compiled as C++20 with -I{folder}{linked}')
            for message in _outermost(file)[-1:]:
                space = names.namespace(file)
                print(f"{space}::{names.plain(message)} m;  // buffer: encoded_size(m) bytes")
                print(f"auto done = {space}::{wire}::encode(m, buffer);")


def _outermost(file: File) -> list[Message]:
    """Return the messages that no other contains; all where each contains another."""
    contained = {
        field.type.name
        for message in file.messages
        for field in message.fields
        if isinstance(field.type, MessageRef)
    }
    return [m for m in file.messages if m.full_name not in contained] or list(file.messages)


def _write(option: str, path: Path, text: str) -> None:
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a writable {option} file")
    try:
        write_text(path, text)
    except OSError as error:
        raise failed_write(path, error, f"name a writable {option} file") from error


def _spelled(name: str, value: str = "") -> str:
    return f"--{name} {value}".rstrip()
