# SPDX-License-Identifier: Apache-2.0
"""Tables of ``wirecost transports``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wirecost.messaging.api.available import AvailableFramework, AvailableTransport
from wirecost.messaging.api.trial import Outcome
from wirecost.messaging.transport import Capabilities
from wirecost.results.report.shared import units
from wirecost.system.printable import printable

COPIES = ("copies sending", "receiving")
ABILITIES = ("aligned", "requests", "other machines", "C++")


def print_transports(
    console: Console, transports: list[AvailableTransport], natives: Mapping[str, bool]
) -> None:
    """Print what each can do, then in words what does not fit into columns. ``natives``: whether
    the benchmark's client in C or C++ is installed, where there is one."""
    table = _table()
    table.add_column("transport", no_wrap=True)
    table.add_column("here", no_wrap=True)
    for heading in COPIES:
        table.add_column(heading, justify="right")
    for heading in ABILITIES:
        table.add_column(heading)
    for one in transports:
        can = one.capabilities
        table.add_row(
            one.name,
            "[green]yes[/]" if one.missing is None else "[dim]no[/]",
            str(can.send_copies),
            str(can.receive_copies),
            *("yes" if is_so else "–" for is_so in _abilities(can)),
            {True: "yes", False: "no", None: "–"}[natives.get(one.name)],
            style=None if one.missing is None else "dim",
        )
    console.print(table)
    console.print(
        "C++: yes where `bench transport --client native` measures its C or C++ library too; no:"
        " that program is not installed; –: there is none.",
        style="dim",
        highlight=False,
    )
    for one in transports:
        if one.default:
            console.print(
                f"Where none is named, wirecost.publish takes {one.name}.", highlight=False
            )
    console.print()
    _words(console, "a slow subscriber", [(one.name, one.capabilities.full) for one in transports])
    _words(console, "needs a server", [(one.name, one.capabilities.server) for one in transports])
    _words(console, "open to others", [(one.name, one.capabilities.exposed) for one in transports])
    _words(console, "kept longer", [(one.name, one.capabilities.kept) for one in transports])
    _words(console, "to use the others", [(one.name, one.missing or "") for one in transports])


def _abilities(can: Capabilities) -> tuple[bool, ...]:
    return can.aligned, can.request_reply, can.other_machines


def print_frameworks(console: Console, frameworks: list[AvailableFramework]) -> None:
    """Print which are installed."""
    table = _table()
    table.add_column("framework", no_wrap=True)
    table.add_column("version", no_wrap=True)
    for one in frameworks:
        if one.version is None:
            table.add_row(one.name, one.install, style="dim")
        else:
            table.add_row(one.name, one.version)
    console.print(table)


def print_outcomes(console: Console, outcomes: list[Outcome]) -> None:
    """Print what became of a message over each, and why nothing where nothing did."""
    table = _table()
    table.add_column("transport", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", ratio=1, overflow="fold")
    for one in outcomes:
        if one.ms is not None:
            table.add_row(one.name, "[green]ok[/]", f"in {units.significant(one.ms)} ms")
        elif one.missing is not None:
            table.add_row(one.name, "missing", escape(printable(one.missing)), style="dim")
        else:
            table.add_row(one.name, "[bold red]failed[/]", escape(printable(one.failed or "")))
    console.print(table)
    console.print("From sending to the checked content, first message.", style="dim")


def _words(console: Console, title: str, texts: Iterable[tuple[str, str]]) -> None:
    """Print those that have a text; names with the same one together."""
    by_text: dict[str, list[str]] = {}
    for name, text in texts:
        if text:
            by_text.setdefault(text, []).append(name)
    if not by_text:
        return
    table = _table()
    table.add_column(title, no_wrap=True)
    table.add_column("", ratio=1)
    for text, names in by_text.items():
        table.add_row("\n".join(_lines(names)), escape(text))
    console.print(table)
    console.print()


def _lines(names: list[str]) -> list[str]:
    return [f"{name}," for name in names[:-1]] + names[-1:]


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
