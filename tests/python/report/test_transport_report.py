# SPDX-License-Identifier: Apache-2.0
"""Report of ``bench transport``.

Transports that drop, double, reorder or delay messages are told from a good one in every table
and figure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from support.answers import all_of, first_screen
from support.result_folders import meta_with
from support.snapshots import drawn
from support.transport_folders import FATES, Made, transport_folder
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.analysis.transport.measured_transport import measured
from wirecost.results.records.folder import Results
from wirecost.results.records.longer_run import run_for_tail
from wirecost.results.records.schemas.transport import TransportMeta, TransportRun
from wirecost.results.report.results.answer import interim_answer, results_answer
from wirecost.results.report.results.export import write_report
from wirecost.results.report.scenarios import ScenarioContent, content_of, figures_of
from wirecost.results.report.shared.figure import themed
from wirecost.results.report.shared.table import Linked, Marked
from wirecost.results.report.shared.units import NONE

LOOPBACK = (("loopback", 1, 100),)
CASES = (
    ("loopback", 1, 100),
    ("loopback", 1, 1_000_000),
    ("loopback", 3, 100),
    ("lan", 1, 100),
    ("lossy", 1, 100),
)
NETWORKS = {"lan": {"loss_percent": 0.0}, "lossy": {"loss_percent": 5.0}}
LOSSY = {"lossy": {"loss_percent": 5.0}}
BOTH_SIZES = (("lossy", 1, 100), ("lossy", 1, 1_000_000))
TIMELINE = [[at * 10_000_000, None if at % 50 == 7 else 200_000, at % 3] for at in range(-200, 900)]
FAULT = {
    "fault": "publisher-killed", "mware": "good", "client": "python", "settings": "default",
    "network": "loopback", "recovered_ns": 3_000_000, "lost": 4, "timeline": TIMELINE,
}  # fmt: skip


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    transports = {name: Made(fate) for name, fate in FATES.items()}
    return transport_folder(
        tmp_path_factory.mktemp("transport"),
        transports,
        cases=CASES,
        networks=NETWORKS,
        faults=[FAULT],
    )


@pytest.fixture(scope="module")
def rows(results: Results) -> list[Row]:
    return summarize(results)


def content(of: Results) -> ScenarioContent:
    return content_of(of, summarize(of))


def figures(of: Results, rows: list[Row]) -> dict[str, dict[str, Any]]:
    return {figure.name: themed(figure.chart, "#222222") for figure in figures_of(of, rows)}


def values(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all rows that a chart draws."""
    found = list(chart.get("data", {}).get("values", []))
    for below in ("spec", "layer", "concat"):
        parts = chart.get(below, [])
        for part in [parts] if isinstance(parts, dict) else parts:
            found += values(part)
    return found


@pytest.mark.parametrize("width", [80, 200])
def test_what_is_printed(
    results: Results, rows: list[Row], width: int, snapshot: SnapshotAssertion
) -> None:
    named = dataclasses.replace(results, folder=Path("folder"))
    text = all_of(results_answer(named, rows), width)
    assert max(map(len, text.splitlines())) <= width
    assert text == snapshot


def test_each_tick_leads_to_a_row_that_is_there(results: Results, rows: list[Row]) -> None:
    reported = content_of(results, rows).tables
    marks = [cell.mark for table in reported for row in table.rows for cell in row
             if isinstance(cell, Marked)]  # fmt: skip
    links = [cell.to for row in reported[0].rows for cell in row if isinstance(cell, Linked)]
    assert len(set(marks)) == len(marks) == 5 * len(CASES)
    assert len(links) == 5 * 7
    assert set(links) <= set(marks)
    (page,) = write_report(results, rows, ["html"])
    text = page.read_text()
    assert all(f'href="#{link}"' in text and f'id="{link}"' in text for link in links)


def test_cells_that_lead_somewhere_can_be_kept(results: Results, rows: list[Row]) -> None:
    table = content_of(results, rows).tables[0]
    remaining = dataclasses.asdict(table)
    assert remaining["rows"] == table.rows
    assert remaining["rows"][0][1].to == table.rows[0][1].to  # type: ignore[attr-defined]


def test_every_figure_tells_them_apart(results: Results, rows: list[Row]) -> None:
    charts = figures(results, rows)
    latencies = [name for name in charts if name.startswith("transport-latency-")]
    assert len(latencies) == len(CASES)
    for points in (values(charts.pop(name)) for name in latencies):
        quickest = {point["series"]: point["y"] for point in points if point["share"] >= 0.5}
        assert quickest["delays python default"] > quickest["good python default"]
    assert set(charts) == {
        "transport-network-100", "transport-network-1000000", "transport-fault-publisher-killed",
        "transport-cpu-1",
    }  # fmt: skip
    timeline = values(charts.pop("transport-fault-publisher-killed"))
    for name, chart in charts.items():
        marks = values(chart)
        held = {mark["mware"] for mark in marks if mark["outcome"] == "complete"}
        assert held == {"good", "delays"}, name
        p50 = {mark["mware"]: mark["p50"] for mark in marks}
        assert p50["delays"] > p50["good"] + 900
    assert len(timeline) <= 2 * 400
    assert {mark["what"] for mark in timeline} == {"arrived", "lost"}
    assert len({mark["subscriber"] for mark in timeline}) == 3


def test_peaks_are_marked_and_faulty_transports_have_none(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    transports = {"good": Made(), "drops": Made(FATES["drops"], most_rate=5000.0)}
    of = transport_folder(tmp_path, transports, peaks=True)
    marks = values(figures(of, summarize(of))["transport-rate-1"])
    assert {mark["mware"] for mark in marks if "peak" in mark} == {"good"}
    (peak,) = [mark["peak"] for mark in marks if "peak" in mark]
    assert 9000 < peak <= 10_500
    assert len({mark["rate"] for mark in marks if mark["mware"] == "good"}) > 4
    (table,) = [table for table in content(of).tables if table.title.startswith("Peak rates")]
    assert drawn(table) == snapshot


@pytest.mark.parametrize("width", [80, 250])
def test_what_became_of_the_others_is_said_at_every_width(
    tmp_path: Path, width: int, snapshot: SnapshotAssertion
) -> None:
    said = "the other subscriber lost 7; sending took at most 1 ms and 1.7 s"
    faults = [{**FAULT, "others": said}, {**FAULT, "fault": "late-joiner", "failure": "it hangs"}]
    of = transport_folder(tmp_path, {"good": Made()}, faults=faults)
    of = dataclasses.replace(of, folder=Path("folder"))
    assert all_of(results_answer(of, summarize(of)), width) == snapshot


CLOSE = {
    "a": Made(us=100.0, cpu_us=10.0, promise=False),
    "a:2": Made(us=102.0, cpu_us=20.0, settings="matched"),
}
SLOW = {**CLOSE, "a:2": Made(us=300.0, settings="matched")}
SOON = {**CLOSE, "a:2": Made(us=150.0, settings="matched")}
"""Later by less than a tenth of the time between two messages, but not alike."""
TWO = {"a": Made(), "b": Made()}
TWO_SIZES = (("loopback", 1, 100), ("loopback", 1, 1_000_000))
QUICK_AND_CHEAP = {"quick": Made(us=50.0, cpu_us=50.0), "cheap": Made(us=200.0, cpu_us=10.0)}
Case = tuple[str, int, int]
ADVICE: dict[str, tuple[dict[str, Made], Sequence[Case], dict[str, Any]]] = {
    "nothing delivers": ({"a": Made(FATES["drops"])}, LOOPBACK, {}),
    "the cheaper of two quick ones": (
        {"dear": Made(us=100.0, cpu_us=50.0), "cheap": Made(us=102.0, cpu_us=10.0)}, LOOPBACK, {},
    ),
    "the quickest and the cheapest": (QUICK_AND_CHEAP, BOTH_SIZES, {}),
    "who promises no loss before who is a little quicker": (CLOSE, LOOPBACK, {}),
    "who promises no loss, later by what does not matter at this rate": (SOON, LOOPBACK, {}),
    "the same of two sizes": (SOON, TWO_SIZES, {}),
    "who promises nothing, with a word of caution": (SLOW, LOOPBACK, {}),
    "who loses nothing if matched, of a large size": (
        {"a": Made(FATES["drops"]), "a:2": Made(settings="matched"), "b": Made(us=300.0)},
        (("loopback", 1, 1_000_000),), {},
    ),
    "who promises nothing, of two sizes": (SLOW, TWO_SIZES, {}),
    "who promises nothing, alone": ({"a": CLOSE["a"]}, LOOPBACK, {}),
    "no promise was kept": (
        {**CLOSE, "a:2": Made(FATES["drops"], settings="matched")}, LOOPBACK, {},
    ),
    "two of four were not measured": (TWO, LOOPBACK, {"requested": ["c", "a", "b", "d"]}),
    "one of two was not measured": (TWO, LOOPBACK, {"requested": ["a", "c"]}),
    "all were measured": (TWO, LOOPBACK, {"requested": ["a", "b"]}),
    "a loaded machine": (
        TWO, LOOPBACK, {"environment": {"doctor": {"load": "fail (5.00 on 2 CPUs)"}}},
    ),
    "a full queue loses the oldest": (
        SLOW, LOOPBACK,
        {"settings": {"a default": {"full": "the oldest is lost", "receiver_queue": "2"}}},
    ),
    "DDS, whose shared memory was not measured": ({"dds": Made()}, LOOPBACK, {}),
    "the native client beside Python's": (
        {"a": Made(us=200.0, cpu_us=60.0), "a:2": Made(client="native", us=100.0, cpu_us=20.0)},
        LOOPBACK, {},
    ),
    "luck, promises and a rate that was not kept": (
        {
            "lucky": Made(promise=False),
            "sure": Made(promise=False),
            "sure:2": Made(us=900.0, settings="matched"),
            "lossy": Made(FATES["drops"]),
            "slow": Made(most_rate=500.0),
        },
        LOOPBACK, {},
    ),
    "many subscribers of large messages": (TWO, (("loopback", 3, 1_000_000),), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", ADVICE)
def test_the_advice(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    transports, cases, about = ADVICE[name]
    of = transport_folder(tmp_path, transports, cases=cases, networks=LOSSY)
    of = dataclasses.replace(of, meta=meta_with(of.meta, **about))
    reported = content(of)
    assert {"lead": reported.lead, "tables": reported.tables} == snapshot


def test_who_fails_is_in_the_decision_table(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    of = transport_folder(tmp_path, TWO)
    meta = of.meta_as(TransportMeta)
    failed = structs.replace(meta.runs[0], contender="c", mware="c", failure="it hangs")
    meta.runs = [*meta.runs, failed]
    assert content(of).tables == snapshot


def without(of: Results, name: str, size: int) -> ScenarioContent:
    """Return what is said where a transport's messages of that size never arrived."""

    def is_left_out(run: TransportRun) -> bool:
        return (run.mware, run.size) == (name, size)

    remaining = [row for row in summarize(of) if not is_left_out(row.run_as(TransportRun))]
    for run in of.meta_as(TransportMeta).runs:
        if is_left_out(run):
            run.failure = "none arrived"
    return content_of(of, remaining)


@pytest.mark.parametrize("name", ["quick", "cheap"])
def test_who_never_delivered_large_messages(
    name: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    of = transport_folder(tmp_path, QUICK_AND_CHEAP, cases=BOTH_SIZES, networks=LOSSY)
    reported = without(of, name, 1_000_000)
    assert {"lead": reported.lead, "tables": reported.tables} == snapshot


def with_counts(of: Results, mware: str, **counts: int) -> list[Row]:
    return [
        dataclasses.replace(row, run=structs.replace(row.run, **counts))
        if row.fact("mware") == mware else row
        for row in summarize(of)
    ]  # fmt: skip


def test_refusing_is_not_losing(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    of = transport_folder(tmp_path, TWO, cases=BOTH_SIZES, networks=LOSSY)
    assert content_of(of, with_counts(of, "b", refused=3)).tables[0] == snapshot


def test_losses_before_the_timed_messages(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    of = transport_folder(tmp_path, {"a": Made(FATES["drops"])})
    assert content_of(of, with_counts(of, "a", lost_before=2)).tables[0] == snapshot


@pytest.mark.parametrize("received", [10, 1001])
def test_few_messages_have_no_p99_in_advice(
    received: int, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """The one with the longer tail, but the shorter median, is taken."""
    of = transport_folder(tmp_path, {"a": Made(us=100.0), "b": Made(us=200.0)})
    tails = {"a": 9e6, "b": 1e6}
    some = [
        dataclasses.replace(
            row,
            p99_ns=tails[row.run_as(TransportRun).mware],
            run=structs.replace(row.run, received=received),
        )
        for row in summarize(of)
    ]
    assert (content_of(of, some).lead or "") == snapshot


@pytest.mark.parametrize(("received", "shown"), [(989, 0), (990, 1), (9_899, 1), (9_900, 2)])
def test_percentiles_of_too_few_messages_are_not_shown(
    received: int, shown: int, tmp_path: Path
) -> None:
    of = transport_folder(tmp_path, {"a": Made()})
    (table,) = [
        table
        for table in content_of(of, with_counts(of, "a", received=received)).tables
        if "p99.9" in table.headings
    ]
    cells = [table.rows[0][table.headings.index(heading)] for heading in ("p99", "p99.9")]
    assert sum(cell != NONE for cell in cells) == shown
    assert (cells[0] == NONE) >= (shown == 0)


def first_answer(of: Results, rows: list[Row]) -> str:
    named = dataclasses.replace(of, folder=Path("folder"))
    return first_screen(results_answer(named, rows))


def test_the_first_answer(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """It has what a reader needs beside the advice: DDS's path, groups of settings, p99."""
    transports = {
        "dds": Made(FATES["drops"], us=200.0, promise=False),
        "dds:2": Made(us=220.0, settings="matched"),
        "a": Made(us=100.0, promise=False),
        "a:2": Made(us=150.0, settings="matched"),
    }
    of = transport_folder(tmp_path, transports, cases=(("loopback", 1, 1_000_000),))
    load = {"environment": {"doctor": {"load": "warn (1.93 on 2 CPUs)"}}}
    of = dataclasses.replace(of, meta=meta_with(of.meta, **load))
    rows = [*with_counts(of, "a", received=300), *with_counts(of, "dds", received=300)]
    assert first_answer(of, [row for row in rows if row.run.received == 300]) == snapshot


@pytest.mark.parametrize(
    ("arrivals", "longer"),
    [(0, None), (990, None), (135, (12, 3, "--seconds 12")), (1, (1.5, 3000, "--processes 3000"))],
)
def test_the_run_that_has_a_99th_percentile(
    arrivals: int, longer: tuple[float, int, str] | None
) -> None:
    assert run_for_tail(1.5, 3, arrivals) == longer


@pytest.mark.parametrize(("seconds", "option"), [(2.0, "--seconds 200"), (9.0, "--processes 100")])
def test_what_a_99th_percentile_needs(seconds: float, option: str, tmp_path: Path) -> None:
    of = transport_folder(tmp_path, {"a": Made()})
    of = dataclasses.replace(of, meta=meta_with(of.meta, seconds=seconds))
    text = first_answer(of, with_counts(of, "a", received=10))
    assert "p99" in text and f"`{option}`." in text


def test_an_interim_answer_advises_nothing(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, TWO)
    text = first_screen(interim_answer(of, summarize(of), "The verdict follows."))
    assert text.startswith("The verdict follows.") and "take " not in text
    assert "b python default" in text


def test_that_no_shared_memory_was_measured_comes_first(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, {"a": Made()})
    why = "iceoryx2: not installed: pip install iceoryx2"
    of = dataclasses.replace(of, meta=meta_with(of.meta, no_shared_memory=why))
    lead = content(of).lead or ""
    assert lead.startswith("No middleware") and lead.index(why) < lead.index("a python")


def test_a_single_case_is_answered_with_a_row_of_each_contender(tmp_path: Path) -> None:
    transports = {
        "a": Made(FATES["drops"], promise=False), "a:2": Made(settings="matched"),
        "b": Made(us=300.0),
    }  # fmt: skip
    of = transport_folder(tmp_path, transports)
    sets = {"a matched": {"in_program": "NODROP 1"}}
    of = dataclasses.replace(of, meta=meta_with(of.meta, settings=sets))
    first = content(of).first
    assert first is not None
    shown = [dict(zip(first.table.headings, row, strict=True)) for row in first.table.rows]
    assert {row["contender"]: row["losses"] for row in shown} == {
        "a python matched": "none",
        "b python default": "none",
        "a python default": "1 of 1,001 lost",
    }
    assert all(row["p99"] != NONE for row in shown)
    assert "1 of 1,001" in first.sentence
    assert "a python matched" in first.sentence
    assert any(": NODROP 1" in step for step in first.steps)


def test_what_to_set_for_several_is_in_the_report_itself(tmp_path: Path) -> None:
    """A wheel has no pages."""
    transports = {"a": Made(settings="matched"), "b": Made(us=300.0, settings="matched")}
    of = transport_folder(tmp_path, transports, cases=TWO_SIZES)
    rows = [
        dataclasses.replace(row, median_ns=1.0, p99_ns=1.0) if row.run.size > 100 and
        row.contender == "b" else row
        for row in summarize(of)
    ]  # fmt: skip
    sets = {f"{name} matched": {"in_program": f"NODROP {name}"} for name in transports}
    of = dataclasses.replace(of, meta=meta_with(of.meta, settings=sets))
    reported = content_of(of, rows)
    assert reported.first is not None
    assert "a python matched" in reported.first.sentence
    assert "b python matched" in reported.first.sentence
    step, *_ = reported.first.steps
    assert step.endswith("is below table Settings.")
    (settings,) = (table for table in reported.folded if table.title == "Settings")
    assert {f"{name} matched: set in your program: NODROP {name}." for name in transports} <= set(
        settings.notes
    )


def test_several_cases_are_answered_with_a_row_of_each_transport(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, TWO, cases=TWO_SIZES)
    first = content(of).first
    assert first is not None
    assert sorted(row[0] for row in first.table.rows) == ["a", "b"]


@pytest.mark.parametrize(("between", "is_said"), [(1.0, True), (-1.0, False)])
def test_quicker_is_who_is_so_by_more_than_chance(
    between: float, is_said: bool, tmp_path: Path
) -> None:
    """``between``: nanoseconds between the intervals of the two medians."""
    of = transport_folder(tmp_path, CLOSE)
    low = {row.mode: row.median_ns for row in summarize(of)}["python default"]
    intervals = {
        "python default": (low - 10, low),
        "python matched": (low + between, low + between + 10),
    }
    rows = [dataclasses.replace(row, ci95_ns=intervals[row.mode]) for row in summarize(of)]
    assert ("faster" in (content_of(of, rows).lead or "")) == is_said


FLOORS = {
    "floor-spin": Made(us=0.5, cpu_us=1.0, client="native"),
    "floor-futex": Made(us=80.0, client="native"),
    "floor-unix": Made(us=90.9, client="native"),
    "tcp": Made(us=95.0, client="native"),
    "floor-pipe": Made(FATES["drops"], us=9.0, client="native", promise=False),
}


@pytest.mark.parametrize("cases", [LOOPBACK, TWO_SIZES])
def test_floors_are_shown_and_neither_ranked_nor_advised(
    cases: Sequence[Case], tmp_path: Path
) -> None:
    """They would win everything."""
    of = transport_folder(tmp_path, {**FLOORS, **TWO}, cases=cases, requested=["a", "b"])
    without = transport_folder(tmp_path / "without", TWO, cases=cases, requested=["a", "b"])
    reported, plain = content(of), content(without)
    decision, *by_case = reported.tables
    assert not re.search("floor|tcp", str((reported.lead, decision.rows, decision.notes)))
    assert [row[0] for row in decision.rows] == [row[0] for row in plain.tables[0].rows]
    for table in by_case:
        names = [row[0] for row in table.rows][2:]
        assert names == ["floor-spin", "floor-futex", "floor-unix", "tcp", "floor-pipe"]
    assert "no middleware, for comparison" in str(by_case[-1].notes)
    assert not [figure for figure in figures_of(of, summarize(of)) if "floor-" in str(figure)]
    assert reported.first is not None
    answer = str((reported.first.sentence, reported.first.table.rows))
    assert not re.search("floor|tcp", answer)
    (line,) = (note for note in reported.first.table.notes if "middleware, 100 B" in note)
    assert re.fullmatch(
        r"No middleware, 100 B: spin \S+ ns, futex \S+ µs, unix \S+ µs, tcp \S+ µs\.", line
    )
    screen = first_answer(of, summarize(of)).splitlines()
    assert line in screen and len(screen) <= 24 and max(map(len, screen)) <= 80


def test_floors_alone_are_a_table_without_advice(tmp_path: Path) -> None:
    reported = content(transport_folder(tmp_path, FLOORS))
    assert reported.lead is None and reported.first is None
    assert {row[0] for row in reported.tables[0].rows} == set(FLOORS)


def test_one_transport_needs_no_decision(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, {"a": Made()})
    assert not [table for table in content(of).tables if table.title.startswith("Which middleware")]
    (only,) = measured(summarize(of))
    assert only.cost_ns == pytest.approx(20_001)
    assert only.delivers
