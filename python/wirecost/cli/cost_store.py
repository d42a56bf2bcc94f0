# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost --store``: what the topics of many recordings cost, by vehicle and week."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from wirecost.cli.console import progress
from wirecost.data.recordings.folders import recordings_of
from wirecost.data.recordings.survey import survey
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.system_cost import system_cost
from wirecost.results.analysis.compare.weeks import week_costs
from wirecost.results.records.stored_costs import (
    FORMAT,
    cost_tables,
    gone_recordings,
    read_costs,
    write_costs,
)
from wirecost.results.report.cost.weeks import weeks_answer
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shown
from wirecost.system.progress import silent
from wirecost.system.table_set import TableOrigin, origin_of, written_alone
from wirecost.system.whole_file import made_folder
from wirecost.system.worker_processes import each_done

LEFT_OUT = "left out: "


@dataclass(frozen=True)
class CostReading:
    """How recordings are read and priced."""

    include: Sequence[Path]
    counts: Mapping[str, int]
    pricing: Pricing

    @property
    def prices(self) -> str:
        """What times are by: two that differ say so."""
        pricing = self.pricing
        return json.dumps([pricing.lang, pricing.middleware, dict(pricing.prices.about)])


def stored(
    paths: Sequence[Path], store: Path, rule: str, reading: CostReading, workers: int
) -> Answer:
    """Add the costs of recordings to a store, unless they are there; return what it has.

    Raises UserError.
    """
    names = recordings_of(paths, is_split=True)
    vehicles = vehicles_of(paths, names, rule)
    options = [FORMAT, dict(reading.counts), [str(folder) for folder in reading.include],
               reading.prices]  # fmt: skip
    orders: list[tuple[object, ...]] = []
    notes: dict[Path, tuple[str, ...]] = {}
    there = 0
    try:
        with made_folder(store), written_alone(store), progress() as advance:
            tables = cost_tables(store)
            for path, file in tables.files(names).items():
                try:
                    origin = origin_of(path, json.dumps([*options, vehicles[path]]))
                except UserError as error:
                    notes[path] = (f"{LEFT_OUT}{error}",)
                    continue
                if current := tables.current(file, origin):
                    notes[path] = current.notes
                    there += 1
                    continue
                orders.append((reading, file, vehicles[path], origin))
            for number, (path, notes[path]) in enumerate(each_done(_keep, orders, workers), 1):
                advance(number, len(orders), f"read {path.name}")
            said = [note for path in names for note in notes[path]]
            if all(note.startswith(LEFT_OUT) for note in said) and len(said) == len(names):
                raise UserError(said[0].removeprefix(LEFT_OUT))
            costs = week_costs(read_costs(store))
            said += [
                f"{shown(recording, 240)} is gone and still counts; remove {file} to leave it out"
                for file, recording in gone_recordings(store).items()
            ]
    except OSError as error:
        raise failed_write(store, error, "name another --store") from error
    return weeks_answer(str(store), costs, there, said)


def _keep(
    reading: CostReading, file: Path, vehicle: str, origin: TableOrigin
) -> tuple[Path, tuple[str, ...]]:
    """Write what a recording costs; return the recording, and notes on what is left out."""
    path = Path(origin.recording)
    try:
        read = survey([path], reading.include, silent)
        if not read.topics:
            raise UserError(f"{path}: holds no message")
    except UserError as error:
        return path, (f"{LEFT_OUT}{error}",)
    names = {topic.connection.topic for topic in read.topics}
    counts = {topic: count for topic, count in reading.counts.items() if topic in names}
    cost = system_cost([str(path)], read, reading.pricing, counts)
    noted = msgspec.structs.replace(origin, notes=tuple(read.warnings))
    write_costs(file, cost, read.begin_ns, vehicle, reading.prices, noted)
    return path, noted.notes


def vehicles_of(paths: Iterable[Path], recordings: Iterable[Path], rule: str) -> dict[Path, str]:
    """Return the vehicle of each recording: by a rule, else the first folder below what they share.

    Where all lie in one folder, that is the vehicle. Raises UserError.
    """
    recordings = list(recordings)
    if rule:
        try:
            pattern = re.compile(rule)
        except re.error as error:
            raise UserError(f"--vehicle {rule}: {error}; give a regular expression") from error
        found = {path: pattern.search(str(path)) for path in recordings}
        for path, match in found.items():
            if match is None or not match[match.lastindex or 0]:
                raise UserError(f"--vehicle {rule}: is not in {path}; give another expression")
        return {path: match[match.lastindex or 0] for path, match in found.items() if match}
    roots = [path for path in paths if path not in set(recordings)]
    alone = [path.absolute().parent for path in recordings if path in set(paths)]
    roots += [Path(os.path.commonpath(alone))] if alone else []
    vehicles = {}
    for path in recordings:
        root = next(root.absolute() for root in roots if path.is_relative_to(root)
                    or path.absolute().is_relative_to(root))  # fmt: skip
        below = path.absolute().relative_to(root).parts
        vehicles[path] = below[0] if len(below) > 1 else root.name
    return vehicles
