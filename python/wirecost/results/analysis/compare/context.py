# SPDX-License-Identifier: Apache-2.0
"""In what two runs differ beside their numbers: machines, versions, settings, contents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import structs

from wirecost.results.analysis.compare.runs import ComparedRun
from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Meta

MOMENTARY = {"load_average", "empty_step_ns"}
"""Environment entries that differ from one minute to the next."""
SETTINGS = (
    "settings", "seed", "steps", "repetitions", "samples", "fmi", "zstd_level", "interrupted",
)  # fmt: skip
LIBRARY = "library of "
LOAD = "load"
"""The doctor's check of what else runs."""
WHO = ("case", "variant", "build", "lang", "contender", "mode")


@dataclass(frozen=True)
class Difference:
    """``what`` by its path in ``meta.json``; None where a run does not have it."""

    what: str
    a: str | None
    b: str | None


def differences(a: ComparedRun, b: ComparedRun) -> list[Difference]:
    """Return the environment with the doctor's verdicts, versions of contenders, settings."""
    ours, of_b = _facts(a.meta), _facts(b.meta)
    return [
        Difference(what, ours.get(what), of_b.get(what))
        for what in dict.fromkeys([*ours, *of_b])
        if ours.get(what) != of_b.get(what)
        # Contenders that one run alone has are listed as its rows.
        and (not what.startswith(LIBRARY) or (what in ours and what in of_b))
    ]


def other_contents(a: ComparedRun, b: ComparedRun) -> list[str]:
    """Return the runs whose digests differ: what was measured is not the same work."""
    ours, of_b = _digests(a.meta), _digests(b.meta)
    return [who for who in ours if who in of_b and ours[who] != of_b[who]]


def busy(run: ComparedRun) -> str | None:
    """Return the load that the doctor saw when the run began, if that disturbs what is measured."""
    load = str(run.meta.doctor.get(LOAD, ""))
    verdict, _, value = load.partition(" ")
    return value.strip("()") or "unknown" if verdict in ("warn", "fail") else None


def failures(run: ComparedRun) -> list[str]:
    """Return the contenders that were not measured, with the reason."""
    return [
        f"{_who(contender)}: {contender.failure}"
        for contender in run.meta.runs
        if contender.failure
    ]


def _facts(meta: Meta) -> dict[str, str]:
    facts: dict[str, str] = {}
    for name, value in meta.environment.items():
        if name == "doctor" and isinstance(value, dict):
            # A verdict's number moves from run to run; the verdict says whether it matters.
            facts |= {f"doctor {check}": str(v).partition(" ")[0] for check, v in value.items()}
        elif name not in MOMENTARY:
            facts |= _flat(name, value)
    facts |= {f"{LIBRARY}{name}": about.library for name, about in meta.contenders.items()}
    for name in SETTINGS:
        facts |= _flat(name, msgspec.to_builtins(getattr(meta, name, None)))
    return facts


def _flat(name: str, value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {f"{name} {key}": str(entry) for key, entry in value.items()}
    return {} if value is None else {name: str(value)}


def _who(run: common.Run) -> str:
    return " · ".join(filter(None, (getattr(run, name) for name in WHO)))


def _digests(meta: Meta) -> dict[str, str]:
    return {
        f"{_who(run)} ({name.removesuffix('_digest').replace('_', ' ')})": value
        for run in meta.runs
        for name, value in structs.asdict(run).items()
        if name.endswith("_digest") and value
    }
