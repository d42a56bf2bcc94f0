# SPDX-License-Identifier: Apache-2.0
"""Tables of ``wirecost transports``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rich import box
from rich.table import Table
from rich.text import Text

from wirecost.messaging.api.available import AvailableFramework, AvailableTransport
from wirecost.messaging.api.trial import TrialOutcome
from wirecost.messaging.transport import Capabilities
from wirecost.results.report.shared import units
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

COPIES = ("copies sending", "receiving")
ABILITIES = ("aligned", "requests", "other machines", "C++")
LEGEND = (
    "copies: by libraries; aligned: to 64 bytes, else some frameworks copy again;\n"
    "C++: `bench transport --client native` has its library; no: it says why."
)
SUITABLE = "One machine: iceoryx2 (large messages), zeromq (containers). Several: zenoh."
_TEXTS: dict[str, Callable[[AvailableTransport], str]] = {
    "a slow subscriber": lambda transport: transport.capabilities.full,
    "needs a server": lambda transport: transport.capabilities.server,
    "open to others": lambda transport: transport.capabilities.exposed,
    "kept longer": lambda transport: transport.capabilities.kept,
    "to use the others": lambda transport: transport.missing or "",
}
"""Text of a transport by the title of the table that has it."""


def print_transports(
    console: Console, transports: list[AvailableTransport], natives: Mapping[str, bool]
) -> None:
    """Print what each can do.

    ``natives``: whether the benchmark's client in C or C++ is installed, where there is one.
    """
    table = _table()
    table.add_column("transport", no_wrap=True)
    table.add_column("here", no_wrap=True)
    for heading in COPIES:
        table.add_column(heading, justify="right")
    for heading in ABILITIES:
        table.add_column(heading)
    for transport in transports:
        can = transport.capabilities
        table.add_row(
            transport.name,
            _here(transport),
            str(can.send_copies),
            str(can.receive_copies),
            *("yes" if is_so else "–" for is_so in _abilities(can)),
            {True: "yes", False: "no", None: "–"}[natives.get(transport.name)],
            style=None if transport.missing is None else "dim",
        )
    console.print(table)
    console.print(LEGEND, style="dim", highlight=False, markup=False)
    for transport in transports:
        if transport.no_server is not None:
            console.print(printable(f"* {transport.name}: {transport.no_server}."), highlight=False)
    for transport in transports:
        if transport.default:
            console.print(
                f'wirecost.publish("camera"): {transport.name}, never waits;'
                " the oldest of 16 is lost.",
                highlight=False,
                markup=False,
            )
    console.print(SUITABLE, highlight=False, markup=False)


def _here(transport: AvailableTransport) -> Text:
    if transport.missing is not None:
        return Text("no", "dim")
    return Text("yes", "green") if transport.no_server is None else Text("no*", "dim")


def print_words(console: Console, transports: list[AvailableTransport]) -> None:
    """Print in words what does not fit into columns."""
    for title, text_of in _TEXTS.items():
        _words(console, title, [(transport.name, text_of(transport)) for transport in transports])


def _abilities(can: Capabilities) -> tuple[bool, ...]:
    return can.aligned, can.request_reply, can.other_machines


def print_frameworks(console: Console, frameworks: list[AvailableFramework]) -> None:
    """Print the frameworks, with the version of those that are installed."""
    table = _table()
    table.add_column("framework", no_wrap=True)
    table.add_column("version", no_wrap=True)
    for framework in frameworks:
        if framework.version is None:
            table.add_row(framework.name, framework.install, style="dim")
        else:
            table.add_row(framework.name, framework.version)
    console.print(table)


def print_outcomes(console: Console, outcomes: list[TrialOutcome]) -> None:
    """Print the time of a message over each transport, or why none arrived."""
    table = _table()
    table.add_column("transport", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("", ratio=1, overflow="fold")
    for outcome in outcomes:
        if outcome.ms is not None:
            table.add_row(
                outcome.name, Text("ok", "green"), f"in {units.significant(outcome.ms)} ms"
            )
        elif outcome.missing is not None:
            table.add_row(outcome.name, "missing", outcome.missing, style="dim")
        else:
            table.add_row(outcome.name, Text("failed", "bold red"), outcome.failed or "")
    console.print(table)
    console.print("From sending to the checked content, first message.", style="dim")


def _words(console: Console, title: str, texts: Iterable[tuple[str, str]]) -> None:
    """Print the transports that have a text; names with the same one together."""
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
        table.add_row("\n".join(_lines(names)), text)
    console.print(table)
    console.print()


def _lines(names: list[str]) -> list[str]:
    return [f"{name}," for name in names[:-1]] + names[-1:]


def _table() -> Table:
    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
