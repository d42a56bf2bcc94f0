# SPDX-License-Identifier: Apache-2.0
"""In what two runs differ beside their numbers: machines, versions, settings, contents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirecost.analysis.compare.runs import Run

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


def differences(a: Run, b: Run) -> list[Difference]:
    """Environment with the doctor's verdicts, versions of contenders, settings."""
    ours, theirs = _facts(a.meta), _facts(b.meta)
    return [
        Difference(what, ours.get(what), theirs.get(what))
        for what in dict.fromkeys([*ours, *theirs])
        if ours.get(what) != theirs.get(what)
        # Contenders that one run alone has are listed as its rows.
        and (not what.startswith(LIBRARY) or (what in ours and what in theirs))
    ]


def other_contents(a: Run, b: Run) -> list[str]:
    """Runs whose digests differ: what was measured is not the same work."""
    ours, theirs = _digests(a.meta), _digests(b.meta)
    return [who for who in ours if who in theirs and ours[who] != theirs[who]]


def busy(run: Run) -> str | None:
    """The load that the doctor found when the run began, if that disturbs what is measured."""
    environment = run.meta.get("environment")
    doctor = environment.get("doctor") if isinstance(environment, dict) else None
    load = str(doctor.get(LOAD, "")) if isinstance(doctor, dict) else ""
    verdict, _, value = load.partition(" ")
    return value.strip("()") or "unknown" if verdict in ("warn", "fail") else None


def failures(run: Run) -> list[str]:
    """Contenders that were not measured, with the reason."""
    return [f"{_who(one)}: {one['failure']}" for one in _runs(run.meta) if one.get("failure")]


def _facts(meta: dict[str, Any]) -> dict[str, str]:
    facts: dict[str, str] = {}
    environment = meta.get("environment")
    if isinstance(environment, dict):
        for name, value in environment.items():
            if name == "doctor" and isinstance(value, dict):
                # A verdict's number moves from run to run; the verdict says whether it matters.
                facts |= {f"doctor {check}": str(v).partition(" ")[0] for check, v in value.items()}
            elif name not in MOMENTARY:
                facts |= _flat(str(name), value)
    contenders = meta.get("contenders")
    if isinstance(contenders, dict):
        for name, about in contenders.items():
            library = about.get("library") if isinstance(about, dict) else None
            if library is not None:
                facts[f"{LIBRARY}{name}"] = str(library)
    for name in SETTINGS:
        if name in meta:
            facts |= _flat(name, meta[name])
    return facts


def _flat(name: str, value: Any) -> dict[str, str]:
    if isinstance(value, dict):
        return {f"{name} {key}": str(entry) for key, entry in value.items()}
    return {} if value is None else {name: str(value)}


def _runs(meta: dict[str, Any]) -> list[dict[str, Any]]:
    runs = meta.get("runs")
    return [one for one in runs if isinstance(one, dict)] if isinstance(runs, list) else []


def _who(run: dict[str, Any]) -> str:
    return " · ".join(str(run[name]) for name in WHO if run.get(name))


def _digests(meta: dict[str, Any]) -> dict[str, str]:
    return {
        f"{_who(one)} ({name.removesuffix('_digest').replace('_', ' ')})": str(value)
        for one in _runs(meta)
        for name, value in one.items()
        if name.endswith("_digest") and value
    }
