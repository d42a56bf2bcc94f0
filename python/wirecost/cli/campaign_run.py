# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign run``: measure what the store lacks, one task after the other."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from wirecost import scratch
from wirecost.analysis.summary import document, summarize
from wirecost.campaign import running
from wirecost.campaign.definition import HERE, read
from wirecost.campaign.measuring import alone, measure
from wirecost.campaign.store import Store
from wirecost.campaign.tasks import tasks
from wirecost.cli.campaign_plan import refused
from wirecost.cli.console import progress
from wirecost.cli.json_file import write_json
from wirecost.cli.results import FAILED, ending_of
from wirecost.errors import EndedError
from wirecost.interruption import watched
from wirecost.printable import printable
from wirecost.records.folder import Results


def command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A campaign.toml.")],
    store: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where results are kept; default campaigns/<name>."),
    ] = None,
    resume: Annotated[
        bool, typer.Option(help="Run what the store lacks, and what failed, again.")
    ] = False,
    machine: Annotated[
        str,
        typer.Option(metavar="NAME", help="Which of the campaign's machines this is."),
    ] = HERE,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write what was done; - is standard output."),
    ] = None,
) -> None:
    """Measure a campaign's tasks on this machine, one at a time, into a store."""
    definition = read(file)
    found = tasks(definition, refused)
    kept = Store(store or Path("campaigns") / definition.name)
    console = Console(stderr=True)
    with watched() as watch, alone():
        try:
            with scratch.run(), progress(console) as advance:
                outcome = running.run(
                    definition, found, kept, machine, resume,
                    lambda task: measure(definition.name, task, _rows), advance,
                )  # fmt: skip
        except (OSError, KeyboardInterrupt) as error:
            ending = ending_of(error, watch)
            raise EndedError(
                f"{ending.message}; {kept.folder} has what was measured, --resume goes on",
                ending.status,
            ) from error
    for reason in outcome.reasons:
        console.print(printable(reason), highlight=False, markup=False, soft_wrap=True)
    parts = [f"{outcome.done:,} measured", f"{outcome.failed:,} failed",
             f"{outcome.there:,} were there"]  # fmt: skip
    parts += [f"{outcome.elsewhere:,} are for other machines"] if outcome.elsewhere else []
    console.print(f"{kept.folder}: {', '.join(parts)}", highlight=False, soft_wrap=True)
    write_json(json_file, {"store": str(kept.folder), **asdict(outcome)})
    if outcome.failed:
        raise EndedError(f"{outcome.failed:,} tasks failed, as reported above", FAILED)


def _rows(results: Results) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        json.dumps(document(results, summarize(results))["rows"])
    )
    return found
