# SPDX-License-Identifier: Apache-2.0
"""``wirecost compare``: what became slower or faster from one run to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.ending import answering
from wirecost.cli.figure_files import FigureFormats, Figures, figure_formats, with_figures
from wirecost.cli.options import RecordingPath, argument, option
from wirecost.results.analysis.compare.choices import MARGIN
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.results.analysis.compare.comparison import CompareSettings, Comparison
    from wirecost.results.analysis.compare.costs import TopicChange
    from wirecost.results.records.cost import SystemCost

EXAMPLE = "wirecost compare results/before results/after --fail-above 5%"

RUN = RecordingPath("`wirecost cost")
REGRESSION = 3
IMPRECISE = 4
"""Exit codes; 2 is that of runs that cannot be compared."""


@answering(markdown=True)
def command(
    a: Annotated[
        str,
        argument(
            "A",
            "Result folder, --json file or probe logs of the earlier run; or a store of a campaign "
            "or of `cost`.",
        ),
        RUN,
    ],
    b: Annotated[
        Path | None,
        argument("B", "The same of the later run; leave it out if A is a store."),
        RUN,
    ] = None,
    margin: Annotated[
        str | None,
        option(
            f"Ignore smaller changes: {100 * MARGIN:g}%, or --fail-above where that is less.",
            metavar="PERCENT",
        ),
    ] = None,
    fail_above: Annotated[
        str | None,
        option(
            "Exit with status 3 if a time (its whole interval) or a size on the wire grew by more.",
            metavar="PERCENT",
        ),
    ] = None,
    fail_size_above: Annotated[
        str | None,
        option(
            "With --fail-above: the limit for sizes, which have no noise, such as 0%.",
            metavar="PERCENT",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        option(
            "Compare only rows that contain all these words, such as 'protobuf encode'; "
            "repeatable.",
            metavar="WORDS",
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        option(
            "With --fail-above: a percentile or counter to which the limit applies, such as p50 "
            "or instructions; repeatable. Default: every percentile of a time.",
            metavar="WHAT",
        ),
    ] = None,
    require_precision: Annotated[
        bool,
        option(
            "Exit with status 4 if nothing regressed, but a change of --fail-above could not "
            "have been detected.",
            "--require-precision",
        ),
    ] = False,
    again: Annotated[
        Path | None,
        option(
            "A second run of A: changes not larger than between A and this one are noise.",
            metavar="DIR",
        ),
    ] = None,
    baseline: Annotated[
        str | None, option("With a store: the earlier revision, or week.", metavar="REVISION")
    ] = None,
    against: Annotated[
        str | None, option("With a store: the later revision, or week.", metavar="REVISION")
    ] = None,
    figures: Figures = None,
    format_: FigureFormats = None,
) -> Answer:
    """Compare run B with run A, row by row: slower or faster.

    In a campaign's store, --baseline and --against name what is compared, machine by machine.
    """
    from wirecost.results.analysis.compare.comparison import CompareSettings, compare
    from wirecost.results.analysis.compare.runs import read_run
    from wirecost.results.records.cost import is_cost
    from wirecost.results.report.compare.first import comparison_answer

    formats = figure_formats(figures, format_)
    needing = {
        "--of": of,
        "--require-precision": require_precision,
        "--fail-size-above": fail_size_above,
    }
    for name, dependent in needing.items():
        if dependent and fail_above is None:
            raise UserError(f"{name}: is for --fail-above; give a percentage there")
    size_limit = None if fail_size_above is None else share("--fail-size-above", fail_size_above)
    settings = CompareSettings(
        *_limits(margin, fail_above), size_limit, tuple(of or ()), tuple(only or ())
    )
    if baseline is not None or against is not None:
        if b is not None or baseline is None or against is None:
            raise UserError("--baseline and --against: give both, and one store")
        _refuse(
            {"--again": again, "--figures": figures}, "is for two runs; of a store there is --json"
        )
        from wirecost.results.records.stored_costs import is_cost_store

        if is_cost_store(Path(a)):
            _refuse({"--only": only, **needing}, "is for measured runs; of costs there is --json")
            return _compare_weeks(a, (baseline, against), settings)
        answer, compared = _of_store(a, baseline, against, settings)
        return replace(answer, status=_status(compared, require_precision))
    if b is not None and is_cost(Path(a)) and is_cost(b):
        of_runs: dict[str, object] = {"--only": only, "--again": again, "--figures": figures}
        _refuse(of_runs | needing, "is for two runs; of two costs there is --json")
        return _compare_costs(Path(a), b, settings)
    if b is None:
        raise UserError(f"{a}: name run B too; of a campaign's store give --baseline and --against")
    _refuse_recordings(Path(a), b)
    comparison = compare(
        read_run(Path(a)), read_run(b), settings, None if again is None else read_run(again)
    )
    answer = with_figures(comparison_answer(comparison), figures, formats)
    return replace(answer, status=_status([comparison], require_precision))


def _refuse_recordings(*paths: Path) -> None:
    """Raise UserError on a recording, of which only the cost can be compared."""
    from wirecost.data.recordings.recording import is_recording

    for path in paths:
        if is_recording(path):
            raise UserError(
                f"{path}: a recording; compare files of "
                f"`wirecost cost {shell_line(path)} --json NAME.json`"
            )


def _refuse(options: Mapping[str, object], why: str) -> None:
    """Raise UserError on an option that was given."""
    for name, value in options.items():
        if value:
            raise UserError(f"{name}: {why}")


def _compare_costs(a: Path, b: Path, settings: CompareSettings) -> Answer:
    """Compare two states of a system; the status says if a topic grew by too much."""
    from wirecost.results.analysis.compare.costs import cost_changes
    from wirecost.results.records.cost import read_cost

    before, after = read_cost(a), read_cost(b)
    return _changed(before, after, cost_changes(before, after, settings.margin), settings)


def _compare_weeks(store: str, weeks: tuple[str, str], settings: CompareSettings) -> Answer:
    """Compare two weeks of the recordings of each vehicle, likewise. Raises UserError."""
    from wirecost.results.analysis.compare.weeks import week_changes
    from wirecost.results.records.stored_costs import read_costs

    costs = read_costs(Path(store))
    answer = _changed(*week_changes(store, costs, weeks, settings.margin), settings)
    if costs.filter(costs["week"].is_in(weeks))["prices"].n_unique() > 1:
        text = "CPU shares are by different prices; run `cost --store` of all recordings again."
        return replace(answer, doubts=[*answer.doubts, (text, "bold yellow")])
    return answer


def _changed(
    before: SystemCost, after: SystemCost, changes: list[TopicChange], settings: CompareSettings
) -> Answer:
    from wirecost.results.report.cost.changes import changes_answer

    limit = settings.fail_above
    has_grown = limit is not None and any(
        change.bytes_per_s > limit * before.bytes_per_s or change.share > limit * before.share > 0
        for change in changes
    )
    return replace(changes_answer(before, after, changes), status=REGRESSION if has_grown else 0)


def _status(comparisons: list[Comparison], require_precision: bool) -> int:
    from wirecost.results.analysis.compare.gate import unseen

    if any(comparison.regressions() for comparison in comparisons):
        return REGRESSION
    if require_precision and any(unseen(comparison) for comparison in comparisons):
        return IMPRECISE
    return 0


def _of_store(
    named: str, baseline: str, against: str, settings: CompareSettings
) -> tuple[Answer, list[Comparison]]:
    """Compare each machine that measured both revisions with itself. Raises UserError."""
    from wirecost.results.analysis.campaign.subjects import described
    from wirecost.results.analysis.compare.comparison import compare
    from wirecost.results.analysis.compare.of_store import runs_of
    from wirecost.results.report.compare.first import store_answer
    from wirecost.results.store.store import SAMPLES, Store

    store = Store(named)
    records = store.records()
    samples = store.scan(SAMPLES)
    there = sorted(set(described(records)["revision"]))
    for name, revision in (("--baseline", baseline), ("--against", against)):
        if revision not in there or samples is None:
            revisions = ", ".join(name or "(none)" for name in there) or "nothing"
            raise UserError(
                f"{name} {revision}: {named} has no measurement of it; there are {revisions}"
            )
    assert samples is not None
    before, after = (runs_of(named, records, samples, name) for name in (baseline, against))
    both = [key for key in before if key in after]
    if not both:
        raise UserError(f"{named}: no machine measured both; run the campaign for both on one")
    compared = {key: compare(before[key], after[key], settings) for key in both}
    return store_answer(compared), list(compared.values())


def _limits(margin: str | None, fail_above: str | None) -> tuple[float, float | None]:
    """Return both limits as shares; the margin hides nothing that the gate is to see.

    Raises UserError.
    """
    limit = None if fail_above is None else share("--fail-above", fail_above)
    if margin is None:
        return MARGIN if limit is None else min(MARGIN, limit), limit
    ignored = share("--margin", margin)
    if limit is not None and ignored > limit:
        raise UserError(
            f"--margin {margin}: would hide changes that --fail-above {fail_above} is to see; "
            "give a smaller one, or none"
        )
    return ignored, limit


def share(option: str, text: str) -> float:
    """Parse ``5%`` or ``5`` as 0.05. Raises UserError."""
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = -1.0
    if not 0 <= percent < 1e6:
        raise UserError(f"{option} {text}: give a percentage, such as 5%")
    return percent / 100
