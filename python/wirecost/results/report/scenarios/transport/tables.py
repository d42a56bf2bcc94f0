# SPDX-License-Identifier: Apache-2.0
"""Everything that was measured of each contender, case by case, and under what circumstances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from wirecost.results.analysis.transport.measured_transport import MeasuredTransport
from wirecost.results.analysis.transport.needs import LOOPBACK
from wirecost.results.analysis.transport.recommendation import by_case
from wirecost.results.records.schemas.common import Scalar
from wirecost.results.records.schemas.transport import (
    FLOOR,
    Fault,
    Peak,
    TransportAbout,
    TransportMeta,
    TransportRun,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.races import contenders_table
from wirecost.results.report.shared.table import Amount, Column, Marked, Table
from wirecost.results.report.shared.units import NONE
from wirecost.system.counted import counted

PARTS = ("publisher", "subscribers", "daemon")
PYTHON, NATIVE = "python", "native"
NOTES = (
    f"p99: {NONE} where fewer than about 1,000 messages arrived.",
    f"p99.9: {NONE} where fewer than about 10,000 messages arrived.",
    "Latency: from the start of the call that sends until the call that receives"
    " returned, every arrival at every subscriber.",
    "losses: of all messages at all subscribers together, with those that arrived twice or in "
    "another order.",
    "CPU: CPU time per sent message, of all processes and of the kernel's own threads.",
    "{parts}: these processes' parts of CPU.",
    "ready: how long threads could run but waited for a CPU, per message.",
    "switches: context switches per message.",
    "wire: bytes on the network per byte of the message.",
    "memory: the most that all processes together had resident.",
)
FLOORS = (
    f"{FLOOR}…, tcp: no middleware, for comparison: spin copies into shared memory, where the"
    " subscriber looks for it without pause; futex wakes it; pipe, unix and tcp (sockets) copy"
    " through the kernel."
)
DDS = "dds ran over UDP; shared memory, its default on one machine, was not measured."
PEAK_NOTES = (
    "peak: the highest rate without loss and with bounded latency, within 5 %.",
    "held: whether 90 % of it held for 3 s, where p99 was measured.",
    "limit: why the next higher rate did not hold.",
)


def mark(case: MeasuredTransport) -> str:
    """Return the mark by which its row is linked to."""
    where, who = case.where, case.who
    words = (
        where.network, where.pattern, where.subscribers, case.size, f"{case.run.asked_rate:g}",
        who.mware, who.client, who.settings,
    )  # fmt: skip
    return re.sub(r"[^A-Za-z0-9]+", "-", "-".join(map(str, words)))


def name(case: MeasuredTransport) -> str:
    """Return ``zeromq python matched``, or the name alone of a floor."""
    if case.run.is_floor:
        return case.who.mware
    return f"{case.who.mware} {case.who.client} {case.who.settings}"


def settings_key(meta: TransportMeta, case: MeasuredTransport) -> str:
    """Return the key of its settings in ``meta.settings``: the native client may have its own."""
    who = case.who
    own = f"{who.mware} {who.client} {who.settings}"
    return own if own in meta.settings else f"{who.mware} {who.settings}"


def tables(found: Sequence[MeasuredTransport]) -> list[Table]:
    """Return a table for each case; the last one explains the columns."""
    groups = by_case(found)
    return [_table(group, _notes(found, group) if group is groups[-1] else []) for group in groups]


def floors_of(found: Sequence[MeasuredTransport]) -> str:
    """Return a line with the floors' medians in the first case; empty where none delivered."""
    here = [case for case in found if case.case == found[0].case]
    floors = [case for case in here if case.run.is_floor and case.delivers]
    times = (
        f"{case.who.mware.removeprefix(FLOOR)} {units.time(case.p50_ns)}"
        for case in sorted(floors, key=lambda case: case.p50_ns)
    )
    if not floors:
        return ""
    return f"No middleware, {units.size(floors[0].size)}: {', '.join(times)}."


def _parts(group: Iterable[MeasuredTransport]) -> tuple[str, ...]:
    return PARTS if any("daemon" in case.run.usage for case in group) else PARTS[:2]


def _notes(found: Sequence[MeasuredTransport], last: Sequence[MeasuredTransport]) -> list[str]:
    early = [case for case in (*last, *found) if case.run.lost_before]
    return [
        *(note.format(parts=", ".join(_parts(last))) for note in NOTES),
        *([FLOORS] if any(case.run.is_floor for case in found) else []),
        *map(_before, early[:1]),
        *([DDS] if has_local_dds(found) else []),
    ]


def has_local_dds(found: Sequence[MeasuredTransport]) -> bool:
    """Say whether DDS was measured where its makers' default is shared memory."""
    return any(case.who.mware == "dds" and case.where.network == LOOPBACK for case in found)


def _before(case: MeasuredTransport) -> str:
    """Explain losses among the messages that are compared before any is timed."""
    before, lost = case.run.lost_before, case.run.lost
    return (
        f"{before:,} + {lost:,} of {case.expected:,} lost: {before:,} of those that are compared"
        f" before any is timed, then {lost:,} of the {case.expected:,} timed ones, which are the"
        " messages that were sent times the subscribers. The first messages between two processes"
        " are lost most easily."
    )


def _table(group: list[MeasuredTransport], notes: list[str]) -> Table:
    parts = _parts(group)
    columns: list[Column[MeasuredTransport]] = [
        Column("contender", lambda case: Marked(name(case), mark(case))),
        Column("p50", lambda case: units.time(case.p50_ns), bar=True),
        Column("p99", lambda case: units.time(case.p99_ns if case.has_tail else None)),
        Column(
            "p99.9",
            lambda case: units.time(case.p999_ns if case.has_far_tail else None),
            optional=4,
        ),
        Column("max", lambda case: units.time(case.max_ns), optional=9),
        Column("losses", lambda case: "; ".join(case.flaws) or "none"),
        Column("CPU", lambda case: units.time(case.cost_ns), "CPU"),
        *(_cpu_column(part, optional=7 - at) for at, part in enumerate(parts)),
        Column("ready", lambda case: units.time(_total(case, "wait_ns")), optional=2),
        Column(
            "switches",
            lambda case: units.significant_amount(_total(case, "switches")),
            optional=1,
        ),
        Column("wire", _wire, optional=8),
        Column("memory", _memory, True, optional=3),
    ]
    ranked = sorted(group, key=lambda case: (case.run.is_floor, not case.delivers, case.p50_ns))
    return Table.of(group[0].case, ranked, columns, notes)


def _cpu_column(part: str, optional: int) -> Column[MeasuredTransport]:
    def cell(case: MeasuredTransport) -> str:
        usage = case.run.usage.get(part)
        return units.time(usage.cpu_ns if usage else None)

    return Column(part, cell, "CPU", optional)


def _wire(case: MeasuredTransport) -> str:
    size = case.run.wire_bytes
    return NONE if size is None else units.significant(size / case.size)


def _total(case: MeasuredTransport, what: str) -> float | None:
    values = [getattr(part, what) for part in case.run.usage.values()]
    there = [value for value in values if value is not None]
    return sum(there) if there else None


def _memory(case: MeasuredTransport) -> str:
    size = _total(case, "memory_bytes")
    return units.size(None if size is None else int(size))


def peak_tables(found: Sequence[MeasuredTransport]) -> list[Table]:
    """Return a table for each case in which peaks were searched for."""
    cases = [
        [(case, case.run.peak) for case in group if case.run.peak is not None]
        for group in by_case(found)
    ]
    groups = [group for group in cases if group]
    return [_peak_table(group, PEAK_NOTES if group is groups[-1] else ()) for group in groups]


def _peak_table(group: Sequence[tuple[MeasuredTransport, Peak]], notes: Iterable[str]) -> Table:
    columns: list[Column[tuple[MeasuredTransport, Peak]]] = [
        Column("contender", lambda of: name(of[0])),
        Column("peak", lambda of: Amount(f"{of[1].rate:,.0f} Hz", of[1].rate), bar=True),
        Column("bytes", lambda of: units.size(int(of[1].rate * of[0].size)) + "/s", optional=1),
        Column("held", lambda of: "yes" if of[1].confirmed else "no"),
        Column("p99 at 90 %", lambda of: units.time(of[1].confirmed_p99_ns), True, optional=2),
        Column("limit", lambda of: of[1].limit or "the search's own limit"),
    ]
    first, _ = group[0]
    many = counted(first.where.subscribers, "subscriber")
    title = f"Peak rates · {first.size:,} B, {many}, {first.where.network}"
    return Table.of(title, group, columns, notes)


def broken_table(meta: TransportMeta) -> Table | None:
    """Return promises that did not hold; None where all did."""
    broken = [run for run in meta.runs if run.broken]
    columns: list[Column[TransportRun]] = [
        Column("contender", lambda run: f"{run.mware} {run.mode}"),
        Column("case", lambda run: run.case, optional=2),
        Column("what happened", lambda run: run.broken),
        Column("to see it", lambda run: run.reproduce, optional=1),
    ]
    notes = ["Settings that promise that nothing is lost while both ends live, and what happened."]
    return Table.of("Promises that did not hold", broken, columns, notes) if broken else None


def failed_table(meta: TransportMeta) -> Table | None:
    """Return contenders that were not measured; None where all were."""
    body = [[run.case, f"{run.mware} {run.mode}", run.failure] for run in meta.runs if run.failure]
    notes = ["These have no numbers, and are in no other table of their case."]
    headings = ["case", "contender", "why"]
    return Table("Cases that failed", headings, body, notes) if body else None


def binding_table(found: Sequence[MeasuredTransport]) -> Table | None:
    """Return what the Python client takes beside the one in C or C++: not the binding alone."""
    native = {_place(case): case for case in found if case.who.client == NATIVE}
    both = [
        (case, native[_place(case)])
        for case in found
        if case.who.client == PYTHON and _place(case) in native
    ]
    columns: list[Column[tuple[MeasuredTransport, MeasuredTransport]]] = [
        Column(
            "case and middleware",
            lambda of: f"{of[0].case}, {of[0].who.mware} {of[0].who.settings}",
        ),
        Column("Python p50", lambda of: units.time(of[0].p50_ns), "p50"),
        Column("native p50", lambda of: units.time(of[1].p50_ns), "p50"),
        Column("×", lambda of: _quotient(of[0].p50_ns, of[1].p50_ns)),
        Column("Python CPU", lambda of: units.time(of[0].cost_ns), "CPU"),
        Column("native CPU", lambda of: units.time(of[1].cost_ns), "CPU"),
        Column("× CPU", lambda of: _quotient(of[0].cost_ns or None, of[1].cost_ns)),
    ]
    notes = [
        "Medians of latency, and CPU time per message. The difference is the binding's where "
        "both are set alike; they are not alike in nats, mqtt and ros1, which have other queues, "
        "and the Python client often takes messages out of a queue that another thread fills."
    ]
    return (
        Table.of("Python client compared with the native one", both, columns, notes)
        if both
        else None
    )


def _place(case: MeasuredTransport) -> tuple[str, str, str]:
    return case.case, case.who.mware, case.who.settings


def _quotient(value: float | None, other: float | None) -> str:
    return NONE if value is None or not other or other < 0 else units.significant(value / other)


def fault_table(meta: TransportMeta) -> Table | None:
    """Return what became of messages and memory when something failed; None without faults."""
    columns: list[Column[Fault]] = [
        Column("fault and contender", _exposed),
        Column("recovered", _recovered, bar=True),
        Column("lost", lambda fault: units.amount(fault.lost)),
        Column("twice", lambda fault: units.amount(fault.duplicates), optional=3),
        Column("memory", lambda fault: units.size(fault.memory_bytes_before), "memory", 1),
        Column("after", lambda fault: units.size(fault.memory_bytes_after), "memory", 2),
    ]
    notes = [
        "recovered: until messages came again everywhere; lost, twice: messages; memory: of all"
        " processes together, before and afterwards. Below: what became of the publisher and of the"
        " subscriber without a fault.",
        # A column of sentences would fit no terminal, and they alone tell who is held up.
        *(f"{_exposed(fault)}: {others}." for fault in meta.faults if (others := _others(fault))),
    ]
    return Table.of("Faults", meta.faults, columns, notes) if meta.faults else None


def _exposed(fault: Fault) -> str:
    return f"{fault.fault}, {fault.mware} {fault.client} {fault.settings}"


def _others(fault: Fault) -> str:
    return (fault.failure or fault.others).rstrip(".")


def _recovered(fault: Fault) -> str:
    return "failed" if fault.failure else units.time(fault.recovered_ns)


def network_table(meta: TransportMeta) -> Table | None:
    """Return a column for each network; None where nothing is known of any."""
    networks = meta.networks
    keys = dict.fromkeys(key for about in networks.values() for key in about if key != "name")
    notes = ["As asked of the kernel, and as ping found it before anything was measured."]
    return (
        Table.matrix(
            "Networks",
            "",
            [(key.replace("_", " "), key) for key in keys],
            networks.items(),
            lambda key, about: _plain(about.get(key)),
            notes,
        )
        if keys
        else None
    )


def _plain(value: Scalar) -> str:
    if value is None or value == "":
        return NONE
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def settings_table(meta: TransportMeta) -> Table | None:
    """Return the settings of each transport, in words."""
    columns = {
        "against loss": "reliability",
        "sender": "sender_queue",
        "receiver": "receiver_queue",
        "full": "full",
        "promise": "promise",
    }
    notes = ["sender, receiver: messages that may wait there; full: what happens then."]
    notes += [
        f"{mware} runs with defaults that differ from its makers': {changed}."
        for mware, changed in changed_defaults(meta).items()
    ]
    notes += [f"{key}: set in your program: {text}." for key, text in in_programs(meta).items()]
    return (
        Table.matrix(
            "Settings",
            "middleware and settings",
            meta.settings.items(),
            columns.items(),
            lambda about, key: str(about.get(key, "")) or NONE,
            notes,
        )
        if meta.settings
        else None
    )


def in_programs(meta: TransportMeta) -> dict[str, str]:
    """Return what a program sets to have the same, by the groups of settings that say it."""
    texts = {key: str(about.get("in_program", "")) for key, about in meta.settings.items()}
    return {key: text for key, text in texts.items() if text}


def changed_defaults(meta: TransportMeta) -> dict[str, str]:
    """Return the library's options that wirecost changed, by middleware that has such."""
    changed = {name.split()[0]: about.get("changed_defaults") for name, about in
               meta.settings.items()}  # fmt: skip
    return {mware: str(options) for mware, options in changed.items() if options}


def transports_table(meta: TransportMeta) -> Table:
    """Return the version of each transport, and what runs between its ends."""

    def versions(about: TransportAbout) -> str:
        return ", ".join(f"{what} {number}" for what, number in about.versions.items()) or NONE

    return contenders_table(
        {name: about for name, about in meta.contenders.items() if not name.startswith(FLOOR)},
        {"libraries": versions, "runs between": lambda about: about.server or NONE},
        title="Middlewares",
        first="middleware",
    )
