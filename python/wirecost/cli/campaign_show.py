# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign show``: what a store says, across machines and over time."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.ending import answering
from wirecost.cli.options import Store, option
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.results.report.campaign.content import CampaignContent

EXAMPLE = "wirecost campaign show STORE"


@answering()
def command(
    store: Store,
    baseline: Annotated[
        str | None,
        option(
            "The contender to which ratios are taken; default: the one that is "
            "fastest on most machines.",
            metavar="CONTENDER",
        ),
    ] = None,
    revision: Annotated[
        str | None, option("Revision to show; default: the latest.", metavar="NAME")
    ] = None,
) -> Answer:
    """Show ratios on each machine, what does not transfer between machines, and what changed."""
    from wirecost.results.report.campaign.content import campaign_answer

    content = _content(store, baseline, revision)
    return campaign_answer(content, store, document(content))


def _content(named: str, baseline: str | None, revision: str | None) -> CampaignContent:
    """Raise UserError for an empty store, and for a revision that it has not."""
    from wirecost.results.report.campaign.content import content
    from wirecost.results.store.store import ROWS, SAMPLES, Store

    store = Store(named)
    records = store.records()
    if records.is_empty():
        raise UserError(f"{named}: has no results yet; name a store that a campaign has filled")
    there = sorted(set(records["revision"]))
    if revision is not None and revision not in there:
        revisions = ", ".join(name or "(none)" for name in there)
        raise UserError(f"--revision {revision}: {named} has none; there are {revisions}")
    return content(records, store.scan(SAMPLES), store.scan(ROWS), baseline, revision)


def document(content: CampaignContent) -> dict[str, object]:
    """Return all numbers; times in nanoseconds."""
    from wirecost.results.analysis.race import label

    return {
        "lead": content.lead,
        "machines": [
            {
                **asdict(row.subject),
                "machine": host,
                "contender": label(name),
                "median_ns": median.value,
                "ci95_ns": [median.low, median.high],
                "ratio": asdict(ratio) if (ratio := row.ratios.get((host, name))) else None,
            }
            for row in content.across
            for (host, name), median in row.medians.items()
        ],
        "does_not_transfer": [
            {
                **asdict(row.subject),
                "contender": label(flip.a),
                "other": label(flip.b),
                "quicker_on": flip.quicker_on,
                "quicker": asdict(flip.quicker),
                "slower_on": flip.slower_on,
                "slower": asdict(flip.slower),
            }
            for row in content.across
            for flip in row.flips
        ],
        "changes": [
            {
                **asdict(series.subject),
                "machine": series.host,
                "contender": label(series.name),
                "task": series.points[change.at].task,
                "revision": series.points[change.at].revision,
                "created": series.points[change.at].created,
                "factor": change.factor.value,
                "ci95": [change.factor.low, change.factor.high],
                "q": change.q,
            }
            for series in content.series
            for change in series.changes
        ],
        "moved_together": content.moved,
        "missing": content.missing,
    }
