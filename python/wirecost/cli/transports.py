# SPDX-License-Identifier: Apache-2.0
"""``wirecost transports``: what carries tensors here, what it costs, how to install the rest."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.cli.transports_tables import print_frameworks, print_transports
from wirecost.errors import UserError
from wirecost.messaging.available import frameworks, transports


def command(
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Also write the list as JSON; - for stdout."),
    ] = None,
) -> None:
    """List transports and frameworks for tensors: which work here, copies, how to install."""
    console = Console(stderr=json_file == Path("-"))
    found = transports()
    packages = frameworks()
    print_transports(console, found)
    print_frameworks(console, packages)
    if json_file is None:
        return
    document = {
        "transports": [one.document() for one in found],
        "frameworks": [one.document() for one in packages],
    }
    text = json.dumps(document, indent=2) + "\n"
    if json_file == Path("-"):
        sys.stdout.write(text)
        return
    try:
        json_file.write_text(text)
    except OSError as error:
        raise UserError(f"{json_file}: {error.strerror}; name a writable --json file") from error
