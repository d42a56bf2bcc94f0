# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench osi``: run the co-simulation, then print and keep its report."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.analysis.summary import Row, document, summarize
from wirecost.bench import osi
from wirecost.bench.contenders import Registry
from wirecost.cli.console import progress
from wirecost.errors import UserError
from wirecost.records.folder import Results, new_folder, read_results
from wirecost.report.export import write_report
from wirecost.report.terminal import print_results

INTERRUPTED = 130


class Variant(StrEnum):
    """Which work the contenders do."""

    same_work = "same-work"
    published = "published"
    both = "both"


class Content(StrEnum):
    """What the reflections hold."""

    varied = "varied"
    report = "report"


def _complete_contenders(incomplete: str) -> list[str]:
    head, comma, last = incomplete.rpartition(",")
    return [head + comma + name for name in Registry().contenders if name.startswith(last)]


def _numbers(option: str, text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise UserError(f"{option} {text}: give whole numbers, separated by commas") from None


def command(
    contenders: Annotated[
        str | None,
        typer.Option(help="Comma-separated; all by default.", autocompletion=_complete_contenders),
    ] = None,
    reflections: Annotated[
        str, typer.Option(metavar="N", help="Reflections a message; several: N,N,…")
    ] = "829440",
    objects: Annotated[
        str, typer.Option(metavar="N", help="Moving objects a message; several: N,N,…")
    ] = "10",
    steps: Annotated[int, typer.Option(metavar="N", help="Measured steps of each contender.")] = 20,
    variant: Annotated[
        Variant | None,
        typer.Option(
            help="same-work: equal messages, each codec at its best; published: as the "
            "report's code did. Default same-work; both with --table1."
        ),
    ] = None,
    content: Annotated[
        Content | None,
        typer.Option(
            help="Reflections: varied, or the report's constant ones. Default varied for "
            "same-work, report for published."
        ),
    ] = None,
    builds: Annotated[str, typer.Option(help="Comma-separated: release, debug.")] = "release",
    fmi: Annotated[int, typer.Option(help="FMI version of the FMUs, 2 or 3.")] = 2,
    seed: Annotated[int, typer.Option(help="Seed of varied content.")] = 1,
    table1: Annotated[
        bool, typer.Option("--table1", help="The nine rows of the report's Table 1, beside it.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Result folder; default results/<time>-osi.")
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """Protobuf against FlatBuffers over an OSMP co-simulation of real FMUs."""
    registry = Registry()
    both = list(osi.VARIANTS)
    if variant is None:
        variants = both if table1 else ["same-work"]
    else:
        variants = both if variant is Variant.both else [variant.value]
    if table1:
        cases = osi.table1_cases(variants, content)
    else:
        names = contenders.split(",") if contenders else list(registry.contenders)
        registry.select(names)
        unknown = [build for build in builds.split(",") if build not in osi.BUILDS]
        if unknown:
            raise UserError(f"--builds {builds}: there are {', '.join(osi.BUILDS)}")
        cases = osi.cases_for(
            names,
            _numbers("--reflections", reflections),
            _numbers("--objects", objects),
            variants,
            builds.split(","),
            content,
        )
    settings = osi.Settings(cases, steps, fmi, seed)
    settings.check()
    to_stdout = json_file == Path("-")
    console = Console(stderr=to_stdout)
    with new_folder(osi.SCENARIO, out) as pending:
        with progress(console) as advance:
            interrupted = osi.run(settings, pending.path, registry, advance)
        results = read_results(pending.path)
        rows = summarize(results)
        write_report(results, rows, ["html"])
    _tell(console, Results(pending.final, results.meta, results.samples), rows)
    if json_file is not None:
        _write_json(json_file, results, rows)
    if interrupted:
        measured = sum(1 for row in rows if row.stage == "total")
        console.print(f"interrupted; the samples of {measured} contenders so far were kept")
        raise typer.Exit(INTERRUPTED)


def _tell(console: Console, results: Results, rows: list[Row]) -> None:
    print_results(console, results, rows)
    console.print(f"Report: {results.folder / 'report.html'}", soft_wrap=True, highlight=False)


def _write_json(path: Path, results: Results, rows: list[Row]) -> None:
    text = json.dumps(document(results, rows), indent=2) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a writable --json file") from error
