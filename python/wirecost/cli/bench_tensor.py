# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench tensor``: measure, then print and keep the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.bench.tensor import scenario as tensor
from wirecost.bench.tensor import wrapyfi_environment
from wirecost.bench.tensor.plugins import PLUGINS
from wirecost.cli.choices import chosen, completing
from wirecost.cli.results import measure_and_tell
from wirecost.errors import UserError


def command(
    plugins: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated; default all, with --sweep numpy.",
            autocompletion=completing(PLUGINS),
        ),
    ] = None,
    mwares: Annotated[
        str | None,
        typer.Option(
            help="Comma-separated transports, raw libraries and floors; default all.",
            autocompletion=completing(tensor.known_mwares()),
        ),
    ] = None,
    shapes: Annotated[
        str, typer.Option("--shape", metavar="NxN,…", help="Extents of the array.")
    ] = "200x200",
    dtypes: Annotated[
        str, typer.Option("--dtype", metavar="T,T,…", help="Types, as float32,float64.")
    ] = "float64",
    devices: Annotated[
        str, typer.Option("--device", help="cpu, cuda.", autocompletion=completing(tensor.DEVICES))
    ] = "cpu",
    content: Annotated[
        str, typer.Option(help="ones (but for the message's number in a corner) or random.")
    ] = "ones",
    rate: Annotated[float, typer.Option(metavar="HZ", help="Messages a second.")] = 100.0,
    trials: Annotated[int, typer.Option(metavar="N", help="Messages of each contender.")] = 200,
    paper: Annotated[
        bool, typer.Option(help="2,000 trials of ones, 200x200, as Wrapyfi's page has it.")
    ] = False,
    pattern: Annotated[str, typer.Option(help="pubsub or reqrep.")] = "pubsub",
    wrapyfi: Annotated[
        bool,
        typer.Option(help="Wrapyfi as well, from PyPI into an environment of its own."),
    ] = False,
    sweep: Annotated[
        bool, typer.Option(help="64 B to 64 MiB: latency, and throughput without pause.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-tensor."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """Arrays, tensors and tables over middlewares: one-way latency between two processes."""
    known = tensor.known_mwares()
    console = Console(stderr=True)
    used = chosen("--plugins", plugins or ("numpy" if sweep else ",".join(PLUGINS)), PLUGINS)
    ours = chosen("--mwares", mwares, known) if mwares else tuple(known)
    theirs = tensor.WRAPYFI_WAYS if wrapyfi else ()
    if wrapyfi:
        wrapyfi_environment.make(used, lambda line: console.print(line, highlight=False))
    settings = tensor.Settings(
        used,
        (*ours, *theirs),
        tuple(_shape(text) for text in shapes.split(",")) if not paper else ((200, 200),),
        tuple(dtypes.split(",")),
        chosen("--device", devices, tensor.DEVICES),
        "ones" if paper else content,
        rate,
        tensor.PAPER_TRIALS if paper else trials,
        pattern,
        sweep,
    )
    settings.check()
    made = settings.plan()
    lanes = sum(len(case.lanes) for case in made.cases)
    minutes = tensor.expected_seconds(made) / 60
    console.print(
        f"{lanes} contenders of {len(made.cases)} cases: about {minutes:.1f} min", highlight=False
    )
    measure_and_tell(
        tensor.SCENARIO,
        out,
        json_file,
        lambda folder, advance: tensor.run(settings, made, folder, advance),
    )


def _shape(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split("x"))
    except ValueError:
        raise UserError(f"--shape {text}: give extents, as 200x200 or 3x480x640") from None
