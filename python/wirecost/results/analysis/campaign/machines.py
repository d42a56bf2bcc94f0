# SPDX-License-Identifier: Apache-2.0
"""Contenders on several machines: ratios on each, and what does not transfer."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import polars as pl

from wirecost.results.analysis.campaign.subjects import Subject, totals
from wirecost.results.analysis.intervals import Estimate
from wirecost.results.analysis.race import Name, Race, Ratio

TOTAL = "total"


@dataclass(frozen=True)
class Flip:
    """``a`` is quicker than ``b`` on one machine and slower on the other; no interval holds 1."""

    a: Name
    b: Name
    quicker_on: str
    quicker: Ratio
    slower_on: str
    slower: Ratio


@dataclass(frozen=True)
class Across:
    """One subject. ``baseline``: whom ratios are to; ``runs``: by machine, how many there were."""

    subject: Subject
    baseline: Name
    hosts: list[str]
    names: list[Name]
    runs: dict[str, int]
    medians: dict[tuple[str, Name], Estimate]
    ratios: dict[tuple[str, Name], Ratio]
    flips: list[Flip] = field(default_factory=list)


def across(
    records: pl.DataFrame, samples: pl.LazyFrame, baseline: str | None = None
) -> list[Across]:
    """Return every subject, by its name.

    ``baseline``: a contender; else the one that is the quickest on most machines.
    """
    return [
        _across(subject, samples_of, baseline) for subject, samples_of in totals(records, samples)
    ]


def _across(subject: Subject, samples: pl.DataFrame, baseline: str | None) -> Across:
    races = {
        str(host): Race(part)
        for (host,), part in samples.sort("host", maintain_order=True).group_by(
            "host", maintain_order=True
        )
    }
    runs = {
        str(host): count
        for host, count in samples.group_by("host").agg(pl.col("task").n_unique()).iter_rows()
    }
    names = list(dict.fromkeys(name for race in races.values() for name in race.names))
    base = _baseline(races, names, baseline)
    medians = {
        (host, name): race.median(name, TOTAL)
        for host, race in races.items()
        for name in race.names
        if (name, TOTAL) in race.series
    }
    ratios = {
        (host, name): ratio
        for host, name in medians
        if base in races[host].names and (ratio := races[host].ratio(name, TOTAL, base))
    }
    names.sort(key=lambda name: min(e.value for (_, n), e in medians.items() if n == name))
    return Across(subject, base, list(races), names, runs, medians, ratios, _flips(races, names))


def _baseline(races: dict[str, Race], names: list[Name], wanted: str | None) -> Name:
    if wanted is not None:
        chosen = next((name for name in names if wanted in (name[0], " ".join(name).strip())), None)
        if chosen is not None:
            return chosen
    quickest = [race.quickest(race.names) for race in races.values()]
    won = [name for name in quickest if name is not None]
    return max(won, key=won.count, default=names[0])


def _flips(races: dict[str, Race], names: list[Name]) -> list[Flip]:
    flips = []
    for a, b in combinations(names, 2):
        ratios = {
            host: ratio
            for host, race in races.items()
            if a in race.names and b in race.names and (ratio := race.ratio(a, TOTAL, b))
        }
        below = {host: of_host for host, of_host in ratios.items() if of_host.ci95[1] < 1}
        above = {host: of_host for host, of_host in ratios.items() if of_host.ci95[0] > 1}
        if below and above:
            least = min(below, key=lambda host: below[host].median)
            most = max(above, key=lambda host: above[host].median)
            flips.append(Flip(a, b, least, below[least], most, above[most]))
    return flips
