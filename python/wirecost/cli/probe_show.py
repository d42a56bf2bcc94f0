# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe show``: what instrumented programs recorded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.ending import answering
from wirecost.cli.figure_files import FigureFormats, Figures, figure_formats, with_figures
from wirecost.cli.options import argument, duration
from wirecost.results.report.shared.answer import Answer
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.results.records.recorded_machine import Started

MORE = "For counters, causes and each miss: probe show --all LOGS, or --report page.html"
ALL = "For counters, causes and each miss: wirecost probe show --all"
EXAMPLE = "wirecost probe show LOGS --deadline 10ms --report page.html"

Files = Annotated[list[Path], argument("FILE", "Probe logs, folders of them, or LTTng traces.")]
Deadline = Annotated[
    float | None,
    duration("Count the executions that took longer, such as 10ms.", "--deadline", unit="ms"),
]


@answering()
def command(
    files: Files,
    deadline: Deadline = None,
    figures: Figures = None,
    form: FigureFormats = None,
) -> Answer:
    """Print which section costs the most, what its slow executions share, and what to do."""
    limit_ns, formats = deadline_ns(deadline), figure_formats(figures, form)
    answer = probe_files_answer(files, limit_ns, more=f"{ALL} {shell_line(*files)}")
    return with_figures(answer, figures, formats)


def deadline_ns(deadline_s: float | None) -> float | None:
    """Return ``--deadline`` in whole nanoseconds, if it was given."""
    return None if deadline_s is None else round(deadline_s * 1e9, 3)


def probe_files_answer(
    files: list[Path],
    limit_ns: float | None,
    *,
    started: Started | None = None,
    more: str = MORE,
) -> Answer:
    """Return the answer of probe logs.

    ``limit_ns``: the deadline; ``started``: None: as is written beside the logs; ``more``: where
    the rest is. Raises UserError.
    """
    from wirecost.results.records.recorded import read_recorded
    from wirecost.results.records.recorded_machine import prices_beside, started_beside
    from wirecost.results.report.probe.answer import probe_answer
    from wirecost.results.report.probe.judged import judged
    from wirecost.results.report.probe.machine import recorded_machines

    logs = read_recorded(files)
    prices = prices_beside(files)
    judgement = judged(logs, prices.ns if prices else {}, limit_ns)
    started = _judging(started or started_beside(files), limit_ns)
    return probe_answer(logs, judgement, recorded_machines(files), started, more)


def _judging(started: Started, limit_ns: float | None) -> Started:
    """Return the same with the deadline, so that the commands to go on with judge it too."""
    if limit_ns is None or "--deadline" in started.options:
        return started
    import msgspec

    options = (*started.options, "--deadline", f"{limit_ns / 1e6:g}ms")
    return msgspec.structs.replace(started, options=options)
