# SPDX-License-Identifier: Apache-2.0
"""``bench probe`` as a whole: settings, contenders, and the result folder they fill."""

from __future__ import annotations

from wirecost.measure.bench.engine.measurement import Measurement, Progress
from wirecost.measure.bench.probe import program
from wirecost.measure.bench.probe.choices import ProbeSettings
from wirecost.measure.bench.probe.program import PROGRAM, SECTIONS_OF_A_SAMPLE
from wirecost.measure.bench.probe.race import run_race
from wirecost.results.records.journal import Journal
from wirecost.system import scratch

SCENARIO = "probe"


def run(settings: ProbeSettings, journal: Journal, progress: Progress) -> None:
    """Measure all contenders. Raises UserError on what cannot be run."""
    settings.check()
    PROGRAM.check_installed()
    contenders = program.contenders()
    entries = [contender.entry() for contender in contenders]
    measurement = Measurement(journal, progress, settings.samples * len(entries))
    measurement.about(
        SCENARIO,
        PROGRAM.built(),
        repetitions=settings.samples,
        processes=settings.plan.processes,
        seed=settings.seed,
        sections_of_a_sample=SECTIONS_OF_A_SAMPLE,
        contenders={
            f"{c.case}: {c.label}": {
                "what": c.what,
                "system_calls": c.system_calls,
                "library": "none" if c.name in {"floor", "pmu_analyzer"} else "wirecost",
            }
            for c in contenders
        },
    )
    # In memory, as docs/probe.md advises.
    with scratch.folder("probe", in_memory=True) as folder:
        try:
            with measurement.case("sections", entries, settings.samples) as case:
                run_race(case, settings.plan, folder / "logs")
        finally:
            journal.about(not_run={entry.key: entry.missing for entry in entries if entry.missing})
