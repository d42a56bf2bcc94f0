# SPDX-License-Identifier: Apache-2.0
"""Result folders as ``bench transport`` writes them, of transports that never were.

The effect of each on its messages is made up; joining, counting and writing are the benchmark's
own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.transport.cases import TransportCase
from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.ground import WireBytes
from wirecost.measure.bench.transport.joining import published
from wirecost.measure.bench.transport.outcome import TransportOutcome
from wirecost.measure.bench.transport.peak import find_peak
from wirecost.measure.bench.transport.price import Price, PricedPart
from wirecost.measure.bench.transport.protocol import Rows
from wirecost.measure.bench.transport.session import TransportBlock, TransportOrder
from wirecost.measure.bench.transport.setting_groups import TransportSetting
from wirecost.results.records.finished import finish
from wirecost.results.records.folder import Results
from wirecost.results.records.journal import Journal
from wirecost.results.records.reading import read_results
from wirecost.results.records.schemas.transport import Peak

COUNT = 1001
MS, US = 1_000_000, 1000
Fate = Callable[[Rows], Rows]
"""What becomes of messages that arrive: rows of (number, received_ns, whole)."""


def good(rows: Rows) -> Rows:
    return rows


def drops(rows: Rows) -> Rows:
    """One of 1,000."""
    return rows[rows[:, 0] % 1000 != 500]


def doubles(rows: Rows) -> Rows:
    return np.sort(np.concatenate([rows, rows[rows[:, 0] % 1000 == 500]]), axis=0)


def reorders(rows: Rows) -> Rows:
    reordered = rows.copy()
    at = np.flatnonzero(reordered[:-1, 0] % 1000 == 500)
    reordered[[*at, *(at + 1)], 0] = reordered[[*(at + 1), *at], 0]
    return reordered


def delays(rows: Rows) -> Rows:
    """By a millisecond."""
    return rows + np.array([0, MS, 0])


FATES: dict[str, Fate] = {
    "good": good, "drops": drops, "doubles": doubles, "reorders": reorders, "delays": delays,
}  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A transport that never was. ``us``: its median latency; ``cpu_us``: of a message, by part."""

    fate: Fate = good
    us: float = 100.0
    cpu_us: float = 20.0
    client: str = "python"
    settings: str = "default"
    promise: bool = True
    most_rate: float = 10_000.0

    def block(self, order: TransportOrder, subscribers: int, seed: int) -> TransportBlock:
        random = np.random.default_rng(seed)
        count = order.count or COUNT
        rate = min(order.rate or self.most_rate, self.most_rate)
        number = np.arange(count)
        due = MS + (number * 1e9 / rate).astype(np.int64)
        begin = due + 5 * US
        sent = np.stack([number, due, begin, begin + 10 * US], axis=1)
        received = []
        for _ in range(subscribers):
            took = (self.us * US * random.lognormal(0, 0.1, count)).astype(np.int64)
            rows = np.stack([number, begin + took, np.ones(count, np.int64)], axis=1)
            received.append(self.fate(rows))
        counts, arrivals = published(sent, received)
        part = PricedPart(1, int(self.cpu_us * US * count / 2), switches=count, memory_bytes=10**7)
        price = Price({"publisher": part, "subscribers": replace(part)}, kernel_ns=count)
        return TransportBlock(
            order, counts, arrivals, price, WireBytes(count * (order.size + 60), None), 1.0
        )


def transport_folder(
    path: Path,
    transports: dict[str, Made],
    *,
    cases: Sequence[tuple[str, int, int]] = (("loopback", 1, 100),),
    networks: dict[str, dict[str, Any]] | None = None,
    peaks: bool = False,
    faults: Sequence[dict[str, Any]] = (),
    requested: Sequence[str] = (),
) -> Results:
    """Write a result folder and read it.

    ``cases``: network, subscribers, size; ``networks``: beside loopback, by name. A suffix
    ``:2`` distinguishes two transports with one name."""
    path.mkdir(parents=True, exist_ok=True)
    journal = Journal(path)
    fill(journal, transports, cases, networks, peaks, faults)
    journal.about(requested=list(requested))
    journal.close()
    finish(path, False)
    return read_results(path)


def fill(
    journal: Journal,
    transports: dict[str, Made],
    cases: Sequence[tuple[str, int, int]] = (("loopback", 1, 100),),
    networks: dict[str, dict[str, Any]] | None = None,
    peaks: bool = False,
    faults: Sequence[dict[str, Any]] = (),
    load: str = "ok (0.10 on 2 CPUs)",
) -> None:
    """``load``: what the doctor said of it."""
    names = dict.fromkeys(name.partition(":")[0] for name in transports)
    journal.about(
        scenario="transport", created="2026-01-01T00:00:00+00:00", command=["bench", "transport"],
        environment={"cpu": "A CPU", "doctor": {"verdict": "ok", "load": load}},
        seconds=1.0, processes=1, seed=1, asked={}, not_run={},
        contenders={name: {"library": f"{name} 1", "versions": {name: "1"}} for name in names},
        settings={f"{name} default": {"reliability": "TCP's"} for name in names},
        networks=networks or {}, faults=list(faults), notes=[],
    )  # fmt: skip
    seed = 0
    for network, many, size in cases:
        for name, transport in transports.items():
            case = TransportCase("pubsub", network, many, size, 1000.0)
            seed += 1
            outcome = _outcome(name.partition(":")[0], transport, case)
            outcome.add(transport.block(TransportOrder(size, case.rate, COUNT), many, seed))
            if peaks:
                outcome.peak = _peak(transport, size, many)
                outcome.state()
            outcome.entry.keep(journal)
            journal.flush()
            outcome.entry.close(journal)


def _peak(made: Made, size: int, many: int) -> Peak:
    def run(order: TransportOrder) -> TransportBlock:
        return made.block(replace(order, count=COUNT), many, 1)

    return find_peak(run, size, 0.0, 30.0)


def _outcome(name: str, made: Made, case: TransportCase) -> TransportOutcome:
    setting = TransportSetting(made.settings, "", "", "", "", made.promise)
    contender = TransportContender(name, ClientProgram(made.client, ()), setting)
    who = {
        "case": case.name, "variant": "raw bytes", "build": "release", "contender": name,
        "mode": contender.mode, "mware": name, "client": made.client, "settings": made.settings,
        "pattern": case.pattern, "network": case.network, "size": case.size,
        "subscribers": case.subscribers,
    }  # fmt: skip
    entry = Entry(contender.name, contender, who, bytes=case.size, digest="abc")
    outcome = TransportOutcome(
        case, entry, ("wirecost", "bench", "transport", "--middlewares", name)
    )
    outcome.state()
    return outcome
