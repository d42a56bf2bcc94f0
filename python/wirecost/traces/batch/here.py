# SPDX-License-Identifier: Apache-2.0
"""Traces one after another, in this process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wirecost.traces.batch.jobs import Job, Options
from wirecost.traces.batch.journal import Journal
from wirecost.traces.batch.work import Outcome, convert_job


def converted(
    jobs: Sequence[Job], options: Options, most: int | None, journal: Journal
) -> Iterator[Outcome]:
    """The outcome of each."""
    for job in jobs:
        journal.begin([job])
        yield convert_job(job, options, most)
