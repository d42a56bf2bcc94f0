# SPDX-License-Identifier: Apache-2.0
"""The answers of ``wirecost transports``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wirecost.messaging.api.available import AvailableFramework, AvailableTransport
from wirecost.messaging.api.transport_trial import TrialOutcome
from wirecost.messaging.transport import SHARED_MEMORY
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Column, Table, Toned
from wirecost.system.counted import counted

NOTES = [
    "copies: made by libraries; aligned: to 64 bytes, without which some frameworks copy again.",
    "C++: whether `bench transport --client native` can use it; if not, it prints why.",
]
ON_ONE_MACHINE = ""
LIKELY = {
    ON_ONE_MACHINE: ("iceoryx2", "zeromq"),
    "in containers ": ("zeromq", "zeromq-tcp"),
    "between machines ": ("zenoh", "zeromq-tcp"),
}
"""Transports that are worth measuring first, the best first, by what they connect."""
EXTRA = "wirecost[transports]"
FAILED = 1
_TEXTS: dict[str, Callable[[AvailableTransport], str]] = {
    "a slow subscriber": lambda transport: transport.capabilities.full,
    "needs a server": lambda transport: transport.capabilities.server,
    "open to others": lambda transport: transport.capabilities.exposed,
    "kept longer": lambda transport: transport.capabilities.kept,
    "to use the others": lambda transport: transport.missing or "",
}
"""Text of a transport by the title of the table that has it."""


def transports_answer(
    transports: Sequence[AvailableTransport],
    frameworks: Sequence[AvailableFramework],
    natives: Mapping[str, bool],
    document: Any,
) -> Answer:
    """Return what each transport can do here.

    ``natives``: whether the benchmark's client in C or C++ is installed, where there is one.
    """
    here = {
        item.name: item for item in transports if item.missing is None and item.no_server is None
    }
    table = _transports(transports, natives)
    words = [_words(title, transports, text_of) for title, text_of in _TEXTS.items()]
    return Answer(
        f"{_shared_memory(transports, here)}{len(here)} of "
        f"{len(transports)} work here{_others(transports)}.{_suitable(here)}",
        table,
        doubts=[(line, "") for line in _lines(transports)],
        more=_measuring(here),
        sections=[Section([table, *words, _frameworks(frameworks)])],
        heading="Middlewares and tensor frameworks on this machine",
        document=document,
    )


def _shared_memory(
    transports: Sequence[AvailableTransport], here: Mapping[str, AvailableTransport]
) -> str:
    """Say how to install shared memory where no transport has it."""
    if any(item.capabilities.shared_memory for item in here.values()):
        return ""
    reasons = [f" ({item.name}: {item.missing})" for item in transports
               if item.name == SHARED_MEMORY and item.missing]  # fmt: skip
    return f"No middleware with shared memory works here{''.join(reasons)}. "


def _others(transports: Sequence[AvailableTransport]) -> str:
    """Return how to install what pip installs, where that is more than one."""
    of_pip = [item for item in transports if item.missing and "pip install" in item.missing]
    return f"; pip install '{EXTRA}' installs others" if len(of_pip) > 1 else ""


def _suitable(here: Mapping[str, AvailableTransport]) -> str:
    likely = {
        where: next((name for name in names if name in here), "") for where, names in LIKELY.items()
    }
    text = ", ".join(f"{where}{name}" for where, name in likely.items() if name)
    return f" Try {text}." if text else ""


def _lines(transports: Sequence[AvailableTransport]) -> list[str]:
    absent = [f"* {item.name}: {item.no_server}." for item in transports if item.no_server]
    default = [
        f'wirecost.publish("camera") uses {item.name}: no waiting, the oldest of 16 is lost.'
        for item in transports
        if item.default
    ]
    return [*absent, *default, "--all prints servers and security. To measure your load in 90 s:"]


def tested_answer(outcomes: Sequence[TrialOutcome], document: Any) -> Answer:
    """Return the time of a message over each transport, or why none arrived."""
    columns = [
        Column[TrialOutcome]("middleware", lambda outcome: outcome.name),
        Column[TrialOutcome]("sent", _verdict),
        Column[TrialOutcome]("how", _how, is_text=True),
    ]
    failed = sum(outcome.failed is not None for outcome in outcomes)
    arrived = sum(outcome.ms is not None for outcome in outcomes)
    return Answer(
        f"A message arrived over {arrived} of {counted(len(outcomes), 'middleware')}; "
        f"{failed} failed.",
        Table.of(
            "",
            outcomes,
            columns,
            ["Time of the first message, from sending it until its content was checked."],
        ),
        heading="A message over each middleware",
        document=document,
        status=FAILED if failed else 0,
    )


def _measuring(here: Mapping[str, AvailableTransport]) -> str:
    """Return the command that measures the likely best of one machine that work here."""
    names = [name for name in LIKELY[ON_ONE_MACHINE] if name in here]
    middlewares = f"--middlewares {','.join(names)} " if names else ""
    load = "--sizes 1MB --rate 30 --seconds 12"
    return f"wirecost bench transport {middlewares}--settings matched {load}"


def _transports(transports: Sequence[AvailableTransport], natives: Mapping[str, bool]) -> Table:
    def ability(
        title: str, has: Callable[[AvailableTransport], bool]
    ) -> Column[AvailableTransport]:
        return Column(title, lambda transport: "yes" if has(transport) else units.NONE)

    native = {True: "yes", False: "no", None: units.NONE}
    columns = [
        Column[AvailableTransport]("middleware", lambda transport: transport.name),
        Column[AvailableTransport]("here", _here),
        Column[AvailableTransport](
            "copies sending", lambda transport: str(transport.capabilities.send_copies)
        ),
        Column[AvailableTransport](
            "receiving", lambda transport: str(transport.capabilities.receive_copies)
        ),
        ability("aligned", lambda transport: transport.capabilities.aligned),
        ability("requests", lambda transport: transport.capabilities.request_reply),
        ability("other machines", lambda transport: transport.capabilities.other_machines),
        Column[AvailableTransport]("C++", lambda transport: native[natives.get(transport.name)]),
    ]
    return Table.of("", transports, columns, NOTES)


def _here(transport: AvailableTransport) -> str:
    if transport.missing is not None:
        return Toned("no", "dim")
    return Toned("yes", "green") if transport.no_server is None else Toned("no*", "dim")


def _words(
    title: str,
    transports: Sequence[AvailableTransport],
    text_of: Callable[[AvailableTransport], str],
) -> Table:
    """Return the transports that have a text; names with the same one together."""
    by_text: dict[str, list[str]] = {}
    for transport in transports:
        if text := text_of(transport):
            by_text.setdefault(text, []).append(transport.name)
    rows = [[", ".join(names), text] for text, names in by_text.items()]
    return Table("", [title, "how"], rows, [], texts=("how",))


def _frameworks(frameworks: Sequence[AvailableFramework]) -> Table:
    columns = [
        Column[AvailableFramework]("framework", lambda framework: framework.name),
        Column[AvailableFramework](
            "version", lambda framework: framework.version or framework.install, is_text=True
        ),
    ]
    return Table.of("", frameworks, columns)


def _verdict(outcome: TrialOutcome) -> str:
    if outcome.ms is not None:
        return Toned("ok", "green")
    return Toned("missing", "dim") if outcome.missing is not None else Toned("failed", "bold red")


def _how(outcome: TrialOutcome) -> str:
    if outcome.ms is not None:
        return f"in {units.significant(outcome.ms)} ms"
    return outcome.missing or outcome.failed or ""
