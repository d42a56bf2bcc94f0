# SPDX-License-Identifier: Apache-2.0
"""What is shown of ``bench transport``: who drops, doubles, reorders or delays messages is told
from a good transport in every table and figure."""

from __future__ import annotations

import dataclasses
import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from support.transport_folders import FATES, Made, transport_folder
from wirecost.analysis.summary import Row, summarize
from wirecost.analysis.transport.measured import measured
from wirecost.records.folder import Results
from wirecost.report.results.export import write_report
from wirecost.report.results.printed import print_results
from wirecost.report.scenarios import Content, content_of, figures_of
from wirecost.report.shared.figure import themed
from wirecost.report.shared.table import Linked, Marked, Table
from wirecost.report.shared.terminal import print_table

FAULTY = [name for name in FATES if name not in {"good", "delays"}]
ONE_WORD = {"drops": "✗ loses", "doubles": "✗ doubles", "reorders": "✗ reorders"}
NETWORKS = {"lan": {"loss_percent": 0.0}, "lossy": {"loss_percent": 5.0}}
CASES = (
    ("loopback", 1, 100),
    ("loopback", 1, 1_000_000),
    ("loopback", 3, 100),
    ("lan", 1, 100),
    ("lossy", 1, 100),
)
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


_rows: dict[Path, list[Row]] = {}


def rows(of: Results) -> list[Row]:
    """Intervals take seconds."""
    if of.folder not in _rows:
        _rows[of.folder] = summarize(of)
    return _rows[of.folder]


def content(of: Results) -> Content:
    return content_of(of, rows(of))


def tables(of: Results) -> dict[str, Table]:
    shown = content(of)
    return {one.title: one for one in (*shown.tables, *shown.details)}


def cells(table: Table, start: str) -> dict[str, str]:
    (row,) = [row for row in table.rows if row[0].startswith(start)]
    return dict(zip(table.headings, row, strict=True))


def figures(of: Results) -> dict[str, dict[str, Any]]:
    return {one.name: themed(one.chart, "#222222") for one in figures_of(of, rows(of))}


def values(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """All rows that a chart draws."""
    found = list(chart.get("data", {}).get("values", []))
    for below in ("spec", "layer", "concat"):
        parts = chart.get(below, [])
        for part in [parts] if isinstance(parts, dict) else parts:
            found += values(part)
    return found


def test_the_decision_table_tells_faulty_transports_from_a_good_one(results: Results) -> None:
    table = tables(results)["Which transport for what"]
    good = cells(table, "good")
    assert len(good) == 8
    assert all(cell.startswith("✓") for need, cell in good.items() if need != "transport")
    for name in FAULTY:
        found = cells(table, name)
        assert {cell for need, cell in found.items() if need != "transport"} == {ONE_WORD[name]}
    late = cells(table, "delays")
    assert late["survives loss"].startswith("✓")
    assert all(late[need].startswith("✗ 1.1") for need in ("fastest", "large messages"))


def test_each_tick_leads_to_a_row_that_is_there(results: Results) -> None:
    shown = content(results).tables
    marks = [cell.mark for table in shown for row in table.rows for cell in row
             if isinstance(cell, Marked)]  # fmt: skip
    links = [cell.to for row in shown[0].rows for cell in row if isinstance(cell, Linked)]
    assert len(set(marks)) == len(marks) == 5 * len(CASES)
    assert len(links) == 5 * 7
    assert set(links) <= set(marks)
    (page,) = write_report(results, rows(results), ["html"])
    text = page.read_text()
    assert all(f'href="#{link}"' in text and f'id="{link}"' in text for link in links)


def test_cells_that_lead_somewhere_can_be_kept(results: Results) -> None:
    table = content(results).tables[0]
    kept = dataclasses.asdict(table)
    assert kept["rows"] == table.rows
    assert kept["rows"][0][1].to == table.rows[0][1].to  # type: ignore[attr-defined]


def test_every_table_of_a_case_tells_them_apart(results: Results) -> None:
    cases = [table for table in content(results).tables if " Hz, " in table.title]
    assert len(cases) == len(CASES)
    for table in cases:
        wrong = {name: cells(table, f"{name} ")["went wrong"] for name in FATES}
        assert wrong["good"] == wrong["delays"] == "nothing"
        assert "lost" in wrong["drops"]
        assert "twice" in wrong["doubles"]
        assert "out of order" in wrong["reorders"]
        assert cells(table, "delays ")["p50"].startswith("1.1")
        assert cells(table, "good ")["p50"].endswith(" µs")


def test_promises_that_did_not_hold_are_named_with_a_command(results: Results) -> None:
    table = tables(results)["Promises that did not hold"]
    assert {row[0].split()[0] for row in table.rows} == {"drops"}
    assert len(table.rows) == len(CASES)
    assert all(row[3].startswith("wirecost bench transport") for row in table.rows)


def test_the_recommendation_names_a_good_transport_for_what_was_asked(results: Results) -> None:
    lead = content(results).lead
    assert lead is not None
    first = lead.partition(". ")[0]
    assert "For 100 B to 1.00 MB at 1000 Hz, 1 subscriber on loopback, take good" in first
    assert "5 promises of no loss did not hold" in lead


def test_nothing_is_recommended_where_nothing_delivers(tmp_path: Path) -> None:
    lead = content(transport_folder(tmp_path, {"a": Made(FATES["drops"])})).lead
    assert lead is not None
    assert (
        "nothing delivered every message; a python default came nearest (1 of 1,001 lost)" in lead
    )


def test_the_cheaper_of_two_quick_ones_is_taken(tmp_path: Path) -> None:
    both = {"dear": Made(us=100.0, cpu_us=50.0), "cheap": Made(us=102.0, cpu_us=10.0)}
    lead = content(transport_folder(tmp_path, both)).lead
    assert lead is not None and "take cheap" in lead


def test_every_figure_tells_them_apart(results: Results) -> None:
    drawn = figures(results)
    assert set(drawn) == {
        "transport-network-100", "transport-network-1000000", "transport-fault-publisher-killed",
        "transport-cpu-1",
    }  # fmt: skip
    for name, chart in drawn.items():
        if "fault" in name:
            continue
        marks = values(chart)
        held = {mark["mware"] for mark in marks if mark["outcome"] == "complete"}
        assert held == {"good", "delays"}, name
        p50 = {mark["mware"]: mark["p50"] for mark in marks}
        assert p50["delays"] > p50["good"] + 900


def test_peaks_are_marked_and_faulty_transports_have_none(tmp_path: Path) -> None:
    of = transport_folder(
        tmp_path,
        {"good": Made(), "drops": Made(FATES["drops"], most_rate=5000.0)},
        peaks=True,
    )
    marks = values(figures(of)["transport-rate-1"])
    assert {mark["mware"] for mark in marks if "peak" in mark} == {"good"}
    (peak,) = [mark["peak"] for mark in marks if "peak" in mark]
    assert 9000 < peak <= 10_500
    assert len({mark["rate"] for mark in marks if mark["mware"] == "good"}) > 4
    table = tables(of)["Peak rates · 100 B, 1 subscriber, loopback"]
    assert [row[3] for row in table.rows] == ["yes", "no"]
    assert "lost" in table.rows[1][5]


def test_a_time_line_has_what_arrived_and_what_was_lost(results: Results) -> None:
    marks = values(figures(results)["transport-fault-publisher-killed"])
    assert len(marks) <= 2 * 400
    assert {mark["what"] for mark in marks} == {"arrived", "lost"}
    assert {mark["subscriber"] for mark in marks} == {
        "without a fault", "with the fault", "came in its place",
    }  # fmt: skip


@pytest.mark.parametrize("width", [80, 250])
def test_what_became_of_the_others_is_said_at_every_width(tmp_path: Path, width: int) -> None:
    said = "the other subscriber lost 7; sending took at most 1 ms and 1.7 s"
    faults = [{**FAULT, "others": said}, {**FAULT, "fault": "late-joiner", "failure": "it hangs"}]
    of = transport_folder(tmp_path, {"good": Made()}, faults=faults)
    out = io.StringIO()
    print_results(Console(file=out, width=width), of, rows(of))
    text = " ".join(out.getvalue().split())
    assert f"publisher-killed, good python default: {said}." in text
    assert "late-joiner, good python default: it hangs." in text


def test_who_fails_is_in_the_decision_table(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, {"a": Made(), "b": Made()})
    failed = [{**run, "contender": "c", "mware": "c", "failure": "it hangs"}
              for run in of.meta["runs"][:1]]  # fmt: skip
    kept = dataclasses.replace(of, meta={**of.meta, "runs": [*of.meta["runs"], *failed]})
    table = content_of(kept, rows(of)).tables[0]
    assert list(cells(table, "c").values())[1:] == ["✗ fails"] * 3


LOSSY = {"lossy": {"loss_percent": 5.0}}
BOTH_SIZES = (("lossy", 1, 100), ("lossy", 1, 1_000_000))


def without(of: Results, name: str, size: int) -> tuple[Results, list[Row]]:
    """A transport's large messages never arrived."""

    def runs_so(run: dict[str, Any]) -> bool:
        return (run["mware"], run["size"]) == (name, size)

    runs = [{**run, "failure": "none arrived"} if runs_so(run) else run for run in of.meta["runs"]]
    kept = [row for row in rows(of) if not runs_so(row.facts)]
    return dataclasses.replace(of, meta={**of.meta, "runs": runs}), kept


def test_who_never_delivered_large_messages_does_not_survive_loss(tmp_path: Path) -> None:
    made = {"a": Made(), "b": Made()}
    of = transport_folder(tmp_path, made, cases=BOTH_SIZES, networks=LOSSY)
    table = content_of(*without(of, "b", 1_000_000)).tables[0]
    assert cells(table, "a")["survives loss"].startswith("✓")
    found = cells(table, "b")
    assert (found["survives loss"], found["large messages"]) == ("✗ fails", "✗ fails")
    assert found["fastest"].startswith("✓")
    (failed,) = (one for one in content_of(*without(of, "b", 1_000_000)).tables
                 if one.title == "Cases that failed")  # fmt: skip
    (row,) = failed.rows
    assert "1,000,000 B" in row[0] and row[1:] == ["b python default", "none arrived"]


def test_refusing_is_not_losing(tmp_path: Path) -> None:
    made = {"a": Made(), "b": Made()}
    of = transport_folder(tmp_path, made, cases=BOTH_SIZES, networks=LOSSY)
    refusing = [
        dataclasses.replace(row, facts={**row.facts, "refused": 3})
        if row.facts["mware"] == "b" else row
        for row in rows(of)
    ]  # fmt: skip
    found = cells(content_of(of, refusing).tables[0], "b")
    assert found["survives loss"].startswith("✓") and found["survives loss"].endswith(", refuses")
    assert found["fastest"] == "✗ refuses"


def test_few_messages_have_no_p99_in_advice(tmp_path: Path) -> None:
    """The one with the longer tail, but the shorter median, is taken."""
    of = transport_folder(tmp_path, {"a": Made(us=100.0), "b": Made(us=200.0)})
    tails = {"a": 9e6, "b": 1e6}

    def advice(received: int) -> str:
        few = [
            dataclasses.replace(
                row, p99_ns=tails[row.facts["mware"]], facts={**row.facts, "received": received}
            )
            for row in rows(of)
        ]
        return content_of(of, few).lead or ""

    assert "take a " in advice(10) and "p99" not in advice(10)
    assert "take b " in advice(1001) and "p99 1.00 ms" in advice(1001)


def test_the_cheapest_is_named_only_where_it_delivers_at_all_sizes(tmp_path: Path) -> None:
    made = {"quick": Made(us=50.0, cpu_us=50.0), "cheap": Made(us=200.0, cpu_us=10.0)}
    of = transport_folder(tmp_path, made, cases=BOTH_SIZES, networks=LOSSY)
    assert "(cheap " in (content_of(of, rows(of)).lead or "")
    changed, kept = without(of, "cheap", 1_000_000)
    lead = content_of(changed, kept).lead or ""
    assert "For 100 B to 1.00 MB" in lead and "take quick" in lead and "cheap" not in lead


def test_what_the_binding_adds_is_a_row_for_each_pair(tmp_path: Path) -> None:
    both = {"a": Made(us=200.0, cpu_us=60.0), "a:2": Made(client="native", us=100.0, cpu_us=20.0)}
    row = tables(transport_folder(tmp_path, both))["Python client beside the native one"].rows[0]
    assert float(row[3]) == pytest.approx(2.0, abs=0.1)
    assert float(row[6]) == pytest.approx(3.0, abs=0.1)


def test_the_decision_table_tells_a_promise_from_luck(tmp_path: Path) -> None:
    """Who lost nothing, who promises it, and who did not keep the rate."""
    made = {
        "lucky": Made(promise=False),
        "sure": Made(promise=False),
        "sure:2": Made(us=900.0, settings="matched"),
        "lossy": Made(FATES["drops"]),
        "slow": Made(most_rate=500.0),
    }
    table = content(transport_folder(tmp_path, made)).tables[0]
    found = {name: cells(table, name) for name in ("lucky", "sure", "lossy", "slow")}
    said = {name: one["loses nothing"] for name, one in found.items()}
    assert said == {"lucky": "○", "sure": "✓", "lossy": "✗ loses", "slow": "✓"}
    assert found["slow"]["fastest"] == "✗ rate not kept"
    assert any(note.startswith("○ all arrived") for note in table.notes)
    both = content(transport_folder(tmp_path / "both", {"a": Made(), "b": Made()})).tables[0]
    assert not any("○" in note for note in both.notes)


def test_one_transport_needs_no_decision(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, {"a": Made()})
    assert "Which transport for what" not in tables(of)
    (one,) = measured(rows(of))
    assert one.cost_ns == pytest.approx(20_001)
    assert one.delivers


@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_shows_every_needed_column(results: Results, width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width)
    print_results(console, results, rows(results))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    text = out.getvalue()
    assert "many" in text and "✗ reorders" in text and "went" in text
    said = " ".join(text.split())
    command = rf"or with COLUMNS=200 wirecost report \S*{results.folder.name} --tables: switches,"
    assert re.search(command, said) and "p50 to max" not in said


CLOSE = {
    "a": Made(us=100.0, cpu_us=10.0, promise=False),
    "a:2": Made(us=102.0, cpu_us=20.0, settings="matched"),
}


def test_who_promises_no_loss_is_taken_before_who_is_a_little_quicker(tmp_path: Path) -> None:
    lead = content(transport_folder(tmp_path, CLOSE)).lead or ""
    assert "take a python matched: " in lead
    assert "(a python default, which promises nothing: " in lead
    assert lead.endswith("None of 1,001 deliveries was lost.")


def test_who_promises_nothing_is_taken_with_a_word_of_caution(tmp_path: Path) -> None:
    slow = {**CLOSE, "a:2": Made(us=200.0, settings="matched")}
    of = transport_folder(tmp_path, slow)
    about = {"full": "the oldest is lost", "receiver_queue": "2"}
    settings = {**of.meta["settings"], "a default": about}
    of = dataclasses.replace(of, meta={**of.meta, "settings": settings})
    lead = content_of(of, rows(of)).lead or ""
    assert (
        "take a python default (does not promise that nothing is lost; when the queue of 2 is full:"
        " the oldest is lost): " in lead
    )
    assert "None of 1,001 deliveries was lost; losses below 0.3 % would not show. With a" in lead


def test_the_advice_says_what_to_take_where_a_promise_is_needed(tmp_path: Path) -> None:
    """Or how to measure it."""
    slow = {**CLOSE, "a:2": Made(us=200.0, settings="matched")}
    two = (("loopback", 1, 100), ("loopback", 1, 1_000_000))
    lead = content(transport_folder(tmp_path / "both", slow, cases=two)).lead or ""
    assert "take a python default (does not promise that nothing is lost)" in lead
    (promised,) = re.findall(
        r"With a promise of no loss: a python matched, median (.*?), p99", lead
    )
    assert " to " in promised and promised.startswith(("199 µs", "200 µs", "201 µs"))
    lead = content(transport_folder(tmp_path / "one", {"a": CLOSE["a"]})).lead or ""
    assert lead.endswith("For settings that promise no loss add `--settings matched`.")
    broken = {**CLOSE, "a:2": Made(FATES["drops"], settings="matched")}
    lead = content(transport_folder(tmp_path / "broken", broken)).lead or ""
    assert "No settings that promise no loss delivered everything." in lead
    lead = content(transport_folder(tmp_path / "taken", CLOSE)).lead or ""
    assert "With a promise" not in lead and "add `--settings" not in lead


def test_the_advice_says_what_was_not_measured_and_that_the_machine_was_loaded(
    tmp_path: Path,
) -> None:
    both = {"a": Made(), "b": Made()}
    of = transport_folder(tmp_path, both, requested=("c", "a", "b", "d"))
    said = content(of).lead or ""
    assert said.endswith(" 2 of 4 requested were not measured: c, d.")

    def lead(**about: Any) -> str:
        changed = dataclasses.replace(of, meta={**of.meta, **about})
        return content_of(changed, rows(of)).lead or ""

    assert "requested" not in lead(requested=[]) and "requested" not in lead(requested=["a", "b"])
    assert lead(requested=["a", "c"]).endswith(" 1 of 2 requested was not measured: c.")
    assert "loaded" not in lead()
    doctor = {"doctor": {"load": "fail (5.00 on 2 CPUs)"}}
    assert "trust the order, not the times" in lead(environment=doctor)


def test_a_need_that_a_run_cannot_tell_from_another_has_no_column(tmp_path: Path) -> None:
    both = {"a": Made(), "b": Made()}
    large = transport_folder(tmp_path, both, cases=(("loopback", 3, 1_000_000),))
    table = content(large).tables[0]
    assert table.headings == ["transport", "loses nothing", "fastest", "cheapest"]
    assert "many subscribers (several --subscribers)" in table.notes[-1]
    assert not any("Tail" in note for note in table.notes)


def test_losses_before_the_timed_messages_are_short_and_explained(tmp_path: Path) -> None:
    of = transport_folder(tmp_path, {"a": Made(FATES["drops"])})
    before = [dataclasses.replace(one, facts={**one.facts, "lost_before": 2}) for one in rows(of)]
    table = content_of(of, before).tables[0]
    assert cells(table, "a ")["went wrong"] == "2 + 1 of 1,001 lost"
    (note,) = (note for note in table.notes if "compared before any is timed" in note)
    assert note.startswith("2 + 1 of 1,001 lost: 2 of those") and "then 1 of the 1,001" in note
    assert not any("compared before" in note for note in content(of).tables[0].notes)


def test_that_dds_has_no_shared_memory_here_is_said_with_its_numbers(tmp_path: Path) -> None:
    def notes(name: str) -> str:
        return " ".join(content(transport_folder(tmp_path / name, {name: Made()})).tables[0].notes)

    assert "shared memory, which was not measured" in notes("dds")
    assert "shared memory" not in notes("zeromq")


def test_what_is_not_shown_is_not_explained() -> None:
    headings = ["what", "wire", "memory"]
    notes = ["wire: bytes", "wire, memory: both", "wire, air: more", "total: all"]
    table = Table("T", headings, [["x" * 20, "1", "2"]], notes, ("memory", "wire"))
    for width, left in ((80, 4), (28, 4), (21, 2)):
        out = io.StringIO()
        print_table(Console(file=out, width=width), table)
        text = out.getvalue()
        assert sum(note in text for note in notes) == left, text
