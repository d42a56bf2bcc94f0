# SPDX-License-Identifier: Apache-2.0
"""``wirecost compile``: data holders and codecs from a schema."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.cli.choices import chosen, completing
from wirecost.compile.compiler import Columns, compile_schema, write
from wirecost.compile.emit import LANGUAGES, Request
from wirecost.compile.plan.wires import WIRES
from wirecost.errors import UserError


def command(
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT…",
            help=".proto, .msg, .srv, a FileDescriptorSet, or a Python module with descriptors.",
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the generated files.")],
    lang: Annotated[
        str, typer.Option(help="Languages, comma-separated.", autocompletion=completing(LANGUAGES))
    ] = "cpp,python,java",
    wire: Annotated[
        str, typer.Option(help="Wires, comma-separated.", autocompletion=completing(WIRES))
    ] = "protobuf",
    include: Annotated[
        list[Path] | None,
        typer.Option(
            "--include", "-I", metavar="DIR", help="Folder to search for imports; can be repeated."
        ),
    ] = None,
    dialect: Annotated[
        str | None, typer.Option(help="Dialect of .msg and .srv: ros1 or ros2; default: detected.")
    ] = None,
    namespace: Annotated[
        str, typer.Option(help="Root namespace of C++, package of Python and Java.")
    ] = "wire",
    unknown: Annotated[
        str, typer.Option(help="Protobuf fields that the schema does not know: skip or preserve.")
    ] = "skip",
    protobuf_api: Annotated[
        bool,
        typer.Option("--protobuf-api", help="C++: also write classes with Protobuf's interface."),
    ] = False,
    api_namespace: Annotated[
        str, typer.Option(help="Root namespace of those classes; default: as Protobuf's own.")
    ] = "",
    recycling: Annotated[
        bool,
        typer.Option(
            help="C++: threads keep small blocks of deleted messages for new ones, or return them."
        ),
    ] = True,
    native: Annotated[
        bool,
        typer.Option("--native", help="Python: also write an extension around the generated C++."),
    ] = False,
    maven: Annotated[bool, typer.Option("--maven", help="Java: also write a pom.xml.")] = False,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MESSAGE",
            help="With --wire columns: a message whose lists to store in columns; can be repeated.",
        ),
    ] = None,
    reduce: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=HOW",
            help="How to store a column: exact, auto, float32 or error:E; FIELD can be *.",
        ),
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="Print the names of the files, but write none.")
    ] = False,
) -> None:
    """Write data holders and codecs for the messages of a schema."""
    languages = chosen("--lang", lang, LANGUAGES)
    if unknown not in ("skip", "preserve"):
        raise UserError(f"--unknown {unknown}: give skip or preserve")
    if not namespace.isidentifier():
        raise UserError(f"--namespace {namespace}: give one identifier")
    if native and "cpp" not in languages:
        languages = (*languages, "cpp")
    wires = chosen("--wire", wire, WIRES)
    if ("columns" in wires) != bool(columns):
        raise UserError(
            "--wire columns needs --columns MESSAGE, the message whose lists become columns"
            if not columns
            else "--columns: add columns to --wire"
        )
    request = Request(
        tuple(w for w in wires if w != "columns"),
        namespace,
        unknown == "preserve",
        protobuf_api,
        api_namespace,
        native,
        maven,
        recycling,
    )
    wanted = Columns(tuple(columns or ()), tuple(reduce or ()))
    texts = compile_schema(inputs, languages, request, include or (), dialect, wanted)
    if list_only:
        print(*(out / path for path in texts), sep="\n")
        return
    written = write(texts, out)
    Console(soft_wrap=True).print(
        f"{out}: {len(written)} files written, {len(texts) - len(written)} unchanged",
        highlight=False,
    )
