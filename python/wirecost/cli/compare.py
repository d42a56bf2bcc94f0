# SPDX-License-Identifier: Apache-2.0
"""``wirecost compare``: what became slower or faster from one run to another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirecost.cli.json_file import JsonFile, check_page, write_json, write_text
from wirecost.cli.options import argument, option
from wirecost.results.analysis.compare.choices import MARGIN
from wirecost.results.report.choices import FIGURE_FORMATS
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.chosen import chosen
from wirecost.system.errors import UserError
from wirecost.system.printable import printable
from wirecost.system.shell import quoted
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.results.analysis.compare.comparison import CompareSettings, Comparison

EXAMPLE = "wirecost compare results/before results/after --fail-above 5%"

MACHINE = "machine"
REGRESSION = 3
IMPRECISE = 4
"""Exit codes; 2 is that of runs that cannot be compared."""
LEAST_NAME = 24
"""Characters of a row's name that are shown however narrow the terminal."""


def command(
    a: Annotated[
        str,
        argument(
            "A", "Result folder, probe logs or cost of the run before; or a campaign's store."
        ),
    ],
    b: Annotated[
        Path | None,
        argument(
            "B", "Result folder or probe logs of the run after; leave it out if A is a store."
        ),
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
            "Exit with 3 if a time (its whole interval) or a size on the wire grew by more.",
            metavar="PERCENT",
        ),
    ] = None,
    fail_size_above: Annotated[
        str | None,
        option(
            "With --fail-above: the limit of sizes, which have no noise, such as 0%.",
            metavar="PERCENT",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        option(
            "Compare rows with all these words, such as 'protobuf encode'; repeatable.",
            metavar="WORDS",
        ),
    ] = None,
    of: Annotated[
        list[str] | None,
        option(
            "With --fail-above: a percentile or a counter that fails, such as p50 or "
            "instructions; repeatable. Without it, every percentile of a time.",
            metavar="WHAT",
        ),
    ] = None,
    require_precision: Annotated[
        bool,
        option(
            "Exit with 4 if nothing regressed, but a change of --fail-above would not have "
            "been seen.",
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
        str | None, option("With a store: the revision before.", metavar="REVISION")
    ] = None,
    against: Annotated[
        str | None, option("With a store: the revision after.", metavar="REVISION")
    ] = None,
    by: Annotated[
        str,
        option(
            "With a store: machine, which compares each machine with itself.",
            metavar="WHAT",
            known=[MACHINE],
        ),
    ] = MACHINE,
    every: Annotated[bool, option("Print every change and warning.", "--all")] = False,
    json_file: JsonFile = None,
    markdown_file: Annotated[
        Path | None,
        option(
            "Write a comment for a pull request; - is standard output.",
            "--markdown",
            metavar="FILE",
        ),
    ] = None,
    report: Annotated[
        Path | None, option("Write an HTML page with figures of both runs.", metavar="FILE.html")
    ] = None,
    figures: Annotated[
        Path | None, option("Write each figure into a file there.", metavar="DIR")
    ] = None,
    format_: Annotated[
        str, option(f"Format of --figures: {', '.join(FIGURE_FORMATS)}.", "--format")
    ] = FIGURE_FORMATS[0],
) -> None:
    """Compare run B with run A, row by row: slower or faster.

    In a campaign's store, --baseline and --against name what is compared, machine by machine.
    """
    from wirecost.results.analysis.compare.comparison import CompareSettings, compare
    from wirecost.results.analysis.compare.runs import read_run
    from wirecost.results.records.cost import is_cost
    from wirecost.results.report.compare.document import document, markdown
    from wirecost.results.report.compare.figures import comparison_figures
    from wirecost.results.report.compare.page import page
    from wirecost.results.report.shared.figure_files import write_figures

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
    check_page("--report", report)
    if Path("-") == json_file == markdown_file:
        raise UserError("--json - and --markdown -: name a file for one of them")
    console = Console(stderr=Path("-") in {json_file, markdown_file})
    if baseline is not None or against is not None:
        if b is not None or baseline is None or against is None:
            raise UserError("--baseline and --against: give both, and one store")
        of_runs = {
            "--again": again, "--markdown": markdown_file, "--report": report, "--figures": figures,
        }  # fmt: skip
        _check_store(by, of_runs)
        compared = _comparisons(a, baseline, against, settings)
        for scenario, machine, comparison in compared:
            _say(console, f"{scenario} on {machine}", "bold")
            _print(console, comparison, every)
        _write_store(compared, json_file)
        _exit([comparison for *_, comparison in compared], require_precision)
        return
    if b is not None and is_cost(Path(a)) and is_cost(b):
        _check_costs(
            {
                "--only": only,
                "--of": of,
                "--require-precision": require_precision,
                "--fail-size-above": fail_size_above,
                "--again": again,
                "--markdown": markdown_file,
                "--report": report,
                "--figures": figures,
            }
        )
        _compare_costs(console, Path(a), b, settings, json_file, every=every)
        return
    if b is None:
        raise UserError(f"{a}: name run B too; of a campaign's store give --baseline and --against")
    _refuse_recordings(Path(a), b)
    comparison = compare(
        read_run(Path(a)), read_run(b), settings, None if again is None else read_run(again)
    )
    _print(console, comparison, every)
    write_json(json_file, document(comparison))
    if markdown_file is not None:
        write_text("--markdown", markdown_file, markdown(comparison))
    if report is not None:
        write_text("--report", report, page(comparison))
    if figures is not None:
        write_figures(
            comparison_figures(comparison), figures, chosen("--format", format_, FIGURE_FORMATS)
        )
    _exit([comparison], require_precision)


def _refuse_recordings(*paths: Path) -> None:
    """Raise UserError on a recording, of which only the cost can be compared."""
    from wirecost.data.recordings.recording import is_recording

    for path in paths:
        if is_recording(path):
            raise UserError(
                f"{path}: a recording; compare files of "
                f"`wirecost cost {quoted(path)} --json NAME.json`"
            )


def _check_costs(of_runs: dict[str, object]) -> None:
    """Refuse options that costs have not. Raises UserError."""
    for name, value in of_runs.items():
        if value:
            raise UserError(f"{name}: is for two runs; of two costs there is --json")


def _compare_costs(
    console: Console,
    a: Path,
    b: Path,
    settings: CompareSettings,
    json_file: Path | None,
    *,
    every: bool,
) -> None:
    """Compare two states of a system. Raises UserError, Exit where a topic grew by too much."""
    import msgspec

    from wirecost.results.analysis.compare.costs import cost_changes
    from wirecost.results.records.cost import read_cost
    from wirecost.results.report.cost.changes import changes_answer, changes_table
    from wirecost.results.report.shared.first import print_answer

    before, after = read_cost(a), read_cost(b)
    changes = cost_changes(before, after, settings.margin)
    if every:
        print_table(console, changes_table(changes))
    else:
        print_answer(console, changes_answer(before, after, changes), "Everything: --all")
    write_json(json_file, {"changes": msgspec.to_builtins(changes)})
    limit = settings.fail_above
    if limit is not None and any(
        change.bytes_per_s > limit * before.bytes_per_s or change.share > limit * before.share > 0
        for change in changes
    ):
        raise typer.Exit(REGRESSION)


def _exit(comparisons: list[Comparison], require_precision: bool) -> None:
    from wirecost.results.analysis.compare.gate import unseen

    if any(comparison.regressions() for comparison in comparisons):
        raise typer.Exit(REGRESSION)
    if require_precision and any(unseen(comparison) for comparison in comparisons):
        raise typer.Exit(IMPRECISE)


def _check_store(by: str, of_runs: dict[str, Path | None]) -> None:
    """Check options of the comparison of a store's revisions. Raises UserError."""
    if by != MACHINE:
        raise UserError(f"--by {by}: there is {MACHINE}")
    for name, value in of_runs.items():
        if value is not None:
            raise UserError(f"{name}: is for two runs; of a store there is --json")


def _write_store(compared: list[tuple[str, str, Comparison]], json_file: Path | None) -> None:
    from wirecost.results.report.compare.document import document

    rows = [
        {"scenario": scenario, "machine": machine, **document(comparison)}
        for scenario, machine, comparison in compared
    ]
    write_json(json_file, {"comparisons": rows})


def _comparisons(
    named: str, baseline: str, against: str, settings: CompareSettings
) -> list[tuple[str, str, Comparison]]:
    """Return scenario, machine and comparison of each machine that has both. Raises UserError."""
    from wirecost.results.analysis.campaign.subjects import described
    from wirecost.results.analysis.compare.comparison import compare
    from wirecost.results.analysis.compare.of_store import runs_of
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
    return [(*key, compare(before[key], after[key], settings)) for key in both]


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


def _print(console: Console, comparison: Comparison, every: bool) -> None:
    from wirecost.results.report.compare.first import doubts, first_answer
    from wirecost.results.report.shared.first import print_answer

    if every:
        _print_all(console, comparison)
        return
    first = first_answer(comparison)
    first = replace(first, table=_fitted(first.table, console.width))
    more = "Everything: --all; with figures: --report FILE.html"
    print_answer(console, first, more, doubts(comparison))


def _print_all(console: Console, comparison: Comparison) -> None:
    from wirecost.results.analysis.compare.gate import looks_at_times
    from wirecost.results.report.compare import tables
    from wirecost.results.report.compare.first import lists_every_row, result

    _print_environment(console, tables.environment(comparison))
    changed = tables.changed(comparison)
    every = lists_every_row(comparison)
    undecided = tables.undecided(comparison) if looks_at_times(comparison) else None
    printed = (
        replace(changed, notes=changed.notes[1:]),  # the tally is printed at the end
        tables.unchanged(comparison) if every else undecided,
        tables.counts(comparison, every=every),
        tables.outputs(comparison),
    )
    for table in printed:
        if table is not None and table.rows:
            print_table(console, _fitted(table, console.width))
    for side, rows in tables.one_sided(comparison):
        _say(console, f"only in {side}: {'; '.join(rows)}")
    for text in tables.warnings(comparison):
        _say(console, f"warning: {text}", "bold red")
    _say(console, tables.method(comparison), "dim")
    style = "bold red" if comparison.regressions() else "bold"
    _say(console, f"{result(comparison)}.", style)


def _print_environment(console: Console, table: Table | None) -> None:
    """Print the table, as lines where it does not fit: nothing of a label may be missing."""
    if table is None:
        return
    widths = (max(map(len, cells)) for cells in zip(*table.rows, strict=True))
    if sum(widths) + len(table.headings) <= console.width:
        print_table(console, table)
        return
    _say(console, table.title, "bold")
    for what, a, b in table.rows:
        _say(console, f"{what}: {a} → {b}")
    for note in table.notes:
        _say(console, note, "dim")
    console.print()


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(
        printable(text),
        style=style,
        highlight=False,
        markup=False,
        soft_wrap=not console.is_terminal,  # one line each in a file
    )


def _fitted(table: Table, width: int) -> Table:
    """Return the table with long names in its first column shortened in their middle.

    The columns that may not be left out then fit.
    """
    if not table.rows:
        return table
    others = [
        1 + max(map(len, (heading, *cells)))
        for heading, cells in zip(table.headings, zip(*table.rows, strict=True), strict=True)
        if heading not in table.optional
    ]
    most = max(LEAST_NAME, width - sum(others[1:]))
    rows = [[_shortened(row[0], most), *row[1:]] for row in table.rows]
    return replace(table, rows=rows)


def _shortened(name: str, most: int) -> str:
    if len(name) <= most:
        return name
    head = (most - 1) // 2
    return f"{name[:head]}…{name[-(most - 1 - head) :]}"
