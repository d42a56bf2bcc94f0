# SPDX-License-Identifier: Apache-2.0
"""``wirecost transports``: what carries tensors here, what it costs, how to install the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from wirecost.cli.console import progress
from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.cli.options import argument, option, transport_names
from wirecost.system import scratch
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.messaging.api.available import AvailableTransport
    from wirecost.messaging.api.trial import TrialOutcome

EXAMPLE = "wirecost transports --test zeromq,zenoh"

MORE = "Servers, security: --all. Your size and rate, with p99, in about 90 s:"
LIKELY = ("iceoryx2", "zeromq", "zenoh-shm")
"""Transports that are worth measuring first, the best first."""
MEASURED = 2
"""As many of them are measured in the time that ``MORE`` says."""
FAILED = 1


def command(
    tested: Annotated[
        str | None,
        argument(
            "NAME,NAME…",
            "With --test: the transports to test; default: all.",
            known=transport_names,
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        bool, option("Send a message through each, between two processes, and check it.", "--test")
    ] = False,
    every: Annotated[
        bool, option("Also print what each does in words, and the frameworks.", "--all")
    ] = False,
    json_file: JsonFile = None,
) -> None:
    """List transports and tensor frameworks: which work here."""
    from wirecost.cli.transports_tables import (
        print_frameworks,
        print_outcomes,
        print_transports,
        print_words,
    )
    from wirecost.measure.bench.transport.clients import native_installed
    from wirecost.messaging.api.available import frameworks, transports

    if tested is not None and not test:
        raise UserError(f"{tested}: give --test as well")
    console = console_beside(json_file)
    available = transports()
    packages = frameworks()
    natives = native_installed()
    document = {
        "transports": [
            {**item.document(), "native_client": natives.get(item.name)} for item in available
        ],
        "frameworks": [item.document() for item in packages],
    }
    failed = False
    if test:
        outcomes = _tested(
            chosen("--test", tested, transport_names()) if tested else tuple(transport_names())
        )
        print_outcomes(console, outcomes)
        document["tests"] = [item.document() for item in outcomes]
        failed = any(item.failed is not None for item in outcomes)
    else:
        print_transports(console, available, natives)
        if every:
            console.print()
            print_words(console, available)
            print_frameworks(console, packages)
        else:
            console.print(f"{MORE}\n{_measuring(available)}", soft_wrap=True, highlight=False)
    write_json(json_file, document)
    if failed:
        raise typer.Exit(FAILED)


def _measuring(available: Iterable[AvailableTransport]) -> str:
    """Return the command that measures the likely best that work here."""
    here = {item.name for item in available if item.missing is None and item.no_server is None}
    names = [name for name in LIKELY if name in here][:MEASURED]
    mwares = f"--mwares {','.join(names)} " if names else ""
    load = "--sizes 1MB --rate 30 --seconds 12"
    return f"wirecost bench transport {mwares}--settings matched {load}"


def _tested(names: tuple[str, ...]) -> list[TrialOutcome]:
    """Test the transports one after the other: each may start a server."""
    from wirecost.messaging.api.trial import tried

    outcomes = []
    with scratch.run(), progress() as advance:
        for number, name in enumerate(names):
            advance(number, len(names), name)
            outcomes.append(tried(name))
    return outcomes
