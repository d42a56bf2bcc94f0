# SPDX-License-Identifier: Apache-2.0
"""Runs as rows that can be paired: result folders of every scenario and probe logs alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.folder import SCHEMA
from wirecost.results.records.probe_log import COUNTER, SUFFIX, events_of, read_logs
from wirecost.results.records.reading import read_results
from wirecost.results.records.recorded_machine import examination_in
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas import scenario_of
from wirecost.results.records.schemas.common import Meta, Scalar
from wirecost.results.records.schemas.message import TAKEN_OUT
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

Array = NDArray[np.float64]
Key = tuple[Any, ...]
"""A row's values of the naming columns, in their order."""

LOGS = "probe logs"
"""The scenario of a folder of probe logs."""
TIME, SIZE, VALUE, PROCESS = "ns", "bytes", "value", "process"
STAGE, WIRE, VARIANT = "stage", "wire", "variant"
LARGEST = 1e18
OF_THE_HARNESS = ("lateness",)
"""Stages that say how well a run was driven, nothing about what was measured."""
ORDER = (
    "repetition",
    "round",
    "turn",
    "run",
    "process_run",
    PROCESS,
    "index",
    "callback",
    "cloud",
    "loop",
)
"""Columns that number a row's samples and never name the row."""
COUNTED = (
    "fault", "switch", "migration", "miss", "instruction", "cycle", "allocation", "branch",
    "reference", "dropped",
)  # fmt: skip
"""Parts of the names of counters."""
MOST_LISTED = 12
"""Values of a column that a message lists."""
MOST_VALUES = 64
"""A column of whole numbers with more is a measurement that this module does not know."""


class LogsMeta(Meta, kw_only=True):
    """Facts of probe logs beside their times."""

    program: str
    settings: dict[str, str]


@dataclass(frozen=True)
class ComparedRun:
    """One side of a comparison; ``samples`` has ``names``, ``ns`` and counters."""

    path: Path
    scenario: str
    meta: Meta
    samples: pl.DataFrame
    notes: list[str] = field(default_factory=list)

    def names(self) -> list[str]:
        """Return columns that name a row: text, truth and whole numbers that are no measurement."""
        return [
            name
            for name, kind in self.samples.schema.items()
            if name not in {TIME, SIZE, VALUE, *ORDER}
            and not name.endswith("_ns")
            and not is_counter(name)
            and (kind in {pl.String, pl.Boolean, pl.Null} or self._few(name, kind))
        ]

    def _few(self, name: str, kind: pl.DataType) -> bool:
        return kind.is_integer() and self.samples[name].n_unique() <= MOST_VALUES

    def counters(self) -> list[str]:
        """Return columns that were counted sample by sample."""
        schema = self.samples.schema
        return [name for name in schema if is_counter(name) and schema[name].is_numeric()]


def is_counter(name: str) -> bool:
    return name.startswith(COUNTER) or any(part in name for part in COUNTED)


def read_run(path: Path) -> ComparedRun:
    """Read a result folder, a folder of probe logs, or one probe log. Raises UserError."""
    if path.suffix == SUFFIX or (
        not (path / "meta.json").exists() and any(path.glob(f"*{SUFFIX}"))
    ):
        return _probe_logs(path)
    results = read_results(path)
    samples = with_all_columns(results.samples)
    samples = samples.filter(~pl.col("stage").is_in(OF_THE_HARNESS))
    return ComparedRun(path, results.meta.scenario, results.meta, _in_order(samples))


def _probe_logs(path: Path) -> ComparedRun:
    logs = read_logs([path])
    samples = executions(events_of(logs))
    columns = [name for name in samples.columns if name.startswith(COUNTER)]
    programs = dict.fromkeys(log.program for log in logs)
    counters = dict.fromkeys(f"{c.name} {c.status}" for log in logs for c in log.counters)
    meta = LogsMeta(
        schema=SCHEMA,
        scenario=LOGS,
        created="",
        command=[],
        interrupted=False,
        environment={"doctor": _doctor(path if path.is_dir() else path.parent)},
        contenders={},
        runs=[],
        # Two builds are what is compared: another name of theirs is no other setting.
        program=", ".join(programs),
        settings={"counters": ", ".join(counters)},
    )
    notes = [
        f"{path}: {counted(log.dropped, 'execution')} dropped, which did not fit"
        for log in logs
        if log.dropped
    ]
    return ComparedRun(
        path,
        LOGS,
        meta,
        samples.select("section", pl.col(PROCESS).cast(pl.Int64), TIME, *columns),
        notes,
    )


def _doctor(folder: Path) -> dict[str, Scalar]:
    """Return the verdicts that the doctor wrote beside the logs, as result folders have them."""
    examination = examination_in(folder)
    if examination is None:
        return {}
    checks = {check.title: f"{check.verdict} ({check.value})" for check in examination.checks}
    return {"verdict": examination.verdict, **checks}


def _in_order(samples: pl.DataFrame) -> pl.DataFrame:
    """Return each row's samples in the order in which they were taken."""
    order = [name for name in ORDER if name in samples.columns]
    return samples.sort(order, maintain_order=True)


def common_names(a: ComparedRun, b: ComparedRun) -> list[str]:
    """Return what names a row in both runs.

    A column that one run lacks, as older folders do, names nothing where the other run's rows are
    distinct without it.
    """
    names = list(dict.fromkeys([*a.names(), *b.names()]))
    both = [name for name in names if name in a.names() and name in b.names()]
    for name in names:
        if name in both:
            continue
        side = a if name in a.names() else b
        naming = [n for n in names if n in side.names()]
        if _groups(side, naming) != _groups(side, [n for n in naming if n != name]):
            both.append(name)
        else:
            names = [n for n in names if n != name]
    return [name for name in names if name in both]


def _groups(run: ComparedRun, names: list[str]) -> int:
    return run.samples.select(names).n_unique() if names else 1


def rows_of(run: ComparedRun, names: list[str]) -> dict[Key, pl.DataFrame]:
    """Return the samples of each row, in the order in which rows first appear."""
    samples = run.samples.with_columns(
        pl.lit(None).alias(name) for name in names if name not in run.samples.columns
    )
    if not names:
        return {(): samples}
    return dict(samples.group_by(names, maintain_order=True))


def without_stage(key: Key, names: list[str]) -> Key:
    """Return what names a row's contender: sizes are the same in all stages."""
    return tuple(value for name, value in zip(names, key, strict=True) if name not in {STAGE, WIRE})


def is_explanatory(key: Key, names: list[str]) -> bool:
    """Say whether a row measures messages without a field: why one costs, not what it costs."""
    return dict(zip(names, key, strict=True)).get(VARIANT) == TAKEN_OUT


def with_words(keys: list[Key], names: list[str], only: tuple[str, ...]) -> set[Key]:
    """Return the rows that have, for one text of ``only``, all its words in their values.

    A wire, which several contenders have, and messages without a field are looked at only where
    nothing else has the words. Raises UserError.
    """
    whole = [key for key in keys if not is_explanatory(key, names)]
    chosen: set[Key] = set()
    for text in only:
        words = _words(text)
        for among, hidden in ((whole, {WIRE}), (whole, set()), (keys, set())):
            matching = {key for key in among if words <= _words_of(key, names, hidden)}
            if matching and words:
                chosen |= matching
                break
        else:
            raise UserError(
                f"--only '{text}': no row has all these words; there are {_values(whole, names)}"
            )
    return chosen


def _words(text: str) -> set[str]:
    return set(text.lower().replace("c++", "cpp").replace(",", " ").replace("·", " ").split())


def _words_of(key: Key, names: list[str], hidden: set[str]) -> set[str]:
    values = (v for name, v in zip(names, key, strict=True) if name not in hidden and v is not None)
    return set().union(*(_words(str(value)) for value in values))


def _values(keys: list[Key], names: list[str]) -> str:
    """List what tells rows apart: ``lang cpp, python; stage encode, decode``."""
    columns = zip(names, zip(*keys, strict=True), strict=True)
    values = {
        name: list(dict.fromkeys(str(v) for v in column if v not in {None, ""}))
        for name, column in columns
    }
    return "; ".join(
        f"{name} {', '.join(own[:MOST_LISTED])}{', …' if len(own) > MOST_LISTED else ''}"
        for name, own in values.items()
        if len(own) > 1
    )


def in_use(run: ComparedRun) -> set[tuple[str, str, str]]:
    """Return language, contender and mode of what others are compared with, mostly what is used."""
    columns = ["lang", "contender", "mode"]
    if not set(columns) <= set(run.samples.columns):
        return set()
    taking_part: dict[str, list[tuple[str, str]]] = {}
    for lang, contender, mode in run.samples.select(columns).unique(maintain_order=True).rows():
        taking_part.setdefault(lang, []).append((contender, mode))
    scenario = scenario_of(run.meta)
    return {(lang, *scenario.compared_with(names)[0]) for lang, names in taking_part.items()}


def finite(samples: pl.DataFrame, column: str) -> Array:
    """Return the column's values that can be measurements, shape (n,): numbers, no 31 years."""
    values: Array = _with_value(samples, column)[column].cast(pl.Float64).to_numpy()
    return values


def processes_of(samples: pl.DataFrame, column: str) -> NDArray[np.int64] | None:
    """Return which process took each of the column's ``finite`` values.

    It is None where nothing says it.
    """
    if PROCESS not in samples.columns:
        return None
    numbers: NDArray[np.int64] = _with_value(samples, column)[PROCESS].to_numpy()
    return numbers


def _with_value(samples: pl.DataFrame, column: str) -> pl.DataFrame:
    return samples.filter(pl.col(column).cast(pl.Float64).abs() < LARGEST)
