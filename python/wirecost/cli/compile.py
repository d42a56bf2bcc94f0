# SPDX-License-Identifier: Apache-2.0
"""``wirecost compile``: data holders and codecs from a schema."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.cli.choices import completing
from wirecost.compile.depfile import dependencies
from wirecost.compile.emit import LANGUAGES
from wirecost.compile.plan.wires import WIRES
from wirecost.counted import counted
from wirecost.errors import UserError
from wirecost.failed_write import failed_write
from wirecost.whole_file import write_text

EXAMPLE = "wirecost compile robot.proto --lang cpp,python --wire protobuf,cdr --out generated"


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
        str, typer.Option(help="Unknown fields of Protobuf messages: skip or preserve.")
    ] = "skip",
    json: Annotated[
        bool,
        typer.Option("--json", help="Python and C++: also write and read canonical JSON."),
    ] = False,
    protobuf_api: Annotated[
        bool,
        typer.Option("--protobuf-api", help="C++: also write classes with Protobuf's interface."),
    ] = False,
    api_namespace: Annotated[
        str, typer.Option(help="Root namespace of those classes; default: as Protobuf's own.")
    ] = "",
    recycling: Annotated[
        bool,
        typer.Option(help="C++: threads keep small blocks of deleted messages for new messages."),
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
    depfile: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write what the files depend on, all schemas that were read, for Make and "
            "Ninja.",
        ),
    ] = None,
    stamp: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Written last, whatever has changed, because unchanged files keep their times; in "
            "--depfile it stands for them.",
        ),
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="Print the names of the files, but write none.")
    ] = False,
) -> None:
    """Write data holders and codecs for the messages of a schema."""
    from wirecost.compile import frontends
    from wirecost.compile.compiler import emitted, write
    from wirecost.compile.options import Options

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
        native=native,
        maven=maven,
        json=json,
        columns=tuple(columns or ()),
        reduce=tuple(reduce or ()),
    ).job(_spelled)
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
    Console(soft_wrap=True).print(
        f"{out}: {counted(len(written), 'file')} written, {len(texts) - len(written)} unchanged",
        highlight=False,
    )


def _write(option: str, path: Path, text: str) -> None:
    if path.is_dir():
        raise UserError(f"{path}: is a folder; name a writable {option} file")
    try:
        write_text(path, text)
    except OSError as error:
        raise failed_write(path, error, f"name a writable {option} file") from error


def _spelled(name: str, value: str = "") -> str:
    return f"--{name} {value}".rstrip()
