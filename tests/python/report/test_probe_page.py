# SPDX-License-Identifier: Apache-2.0
"""The page of probe logs: what it says, of whom, and what it must not let through."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from lxml import html  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion

from support.probe_logs import header, record
from wirecost.results.analysis.probe_tree import Node
from wirecost.results.records.probe_log import read_logs
from wirecost.results.report.probe.answer import probe_answer
from wirecost.results.report.probe.figures import nested_sections
from wirecost.results.report.probe.judged import DRAWN, judged
from wirecost.results.report.probe.machine import UNKNOWN, recorded_machines
from wirecost.results.report.shared.page import page

COUNTERS = [("minor-faults", 1), ("LLC-load-misses", 0)]


def rendered(folder: Path) -> str:
    logs = read_logs([folder])
    text = page(probe_answer(logs, judged(logs, {}, 1e6), recorded_machines([folder])))
    return text.split("<script>")[0]


def said(folder: Path) -> list[str]:
    """Return headings, paragraphs and items of the page."""
    document: Any = html.document_fromstring(rendered(folder))
    return [
        " ".join(element.text_content().split()) for element in document.xpath("//h1|//h2|//p|//li")
    ]


def write(folder: Path, names: list[str], count: int = 40, **fields: int) -> None:
    content = header(COUNTERS, list(enumerate(names)), **fields)
    sequence = 0
    for identifier in range(len(names)):
        for i in range(count):
            sequence += 1
            begin = 10**7 * sequence
            faults = i % 10
            content += record(
                sequence,
                begin,
                begin + 10_000 + 700 * faults,
                section=identifier,
                counted=1,
                counters=[faults],
            )
    (folder / "a.wprobe").write_bytes(content)


def test_the_page_tells_what_the_terminal_does(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    write(tmp_path, ["filter"], dropped=12, offset=1_700_000_000 * 10**9)
    text = rendered(tmp_path)
    assert said(tmp_path) == snapshot
    assert text.count("<figure ") == 4
    assert "<td>minor-faults</td>" in text


def test_the_doctor_of_the_time_is_shown_and_nothing_else(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    write(tmp_path, ["filter"])
    assert UNKNOWN.split(".")[0] in rendered(tmp_path)
    checks = [{"title": "Swap", "verdict": "warn", "value": "2 GB", "advice": "swapoff <all>"}]
    document = {"verdict": "fail", "checks": checks}
    (tmp_path / "doctor.json").write_text(json.dumps(document))
    os.utime(tmp_path / "doctor.json", (0, 0))
    text = rendered(tmp_path)
    assert "swapoff &lt;all&gt;</td>" in text
    assert said(tmp_path) == snapshot


@pytest.mark.parametrize(
    "content",
    ["", "[", "[]", "3", '{"checks": 3, "verdict": 1}', '{"checks": [{}]}', "[" * 100_000],
)
def test_a_damaged_document_of_the_doctor_is_none(tmp_path: Path, content: str) -> None:
    (tmp_path / "doctor.json").write_text(content)
    assert recorded_machines([tmp_path]) == []


def test_names_are_text_not_markup(tmp_path: Path) -> None:
    write(tmp_path, ["</script><img src=x onerror=alert(1)>"])
    logs = read_logs([tmp_path])
    text = page(probe_answer(logs, judged(logs, {}, None)))
    specifications = text.split("const specifications = ")[1].split("\n")[0]
    assert "<" not in specifications
    assert "<img" not in text.split("<script>")[0]


def test_only_the_longest_of_many_sections_are_drawn(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    names = [f"section {i:02}" for i in range(DRAWN + 2)]
    write(tmp_path, names, count=2)
    text = rendered(tmp_path)
    assert text.count("<h2>section ") == DRAWN
    assert said(tmp_path) == snapshot


def test_an_empty_log_has_a_page(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    write(tmp_path, [])
    assert said(tmp_path) == snapshot


def test_the_answer_and_a_figure_come_before_the_first_table(tmp_path: Path) -> None:
    write(tmp_path, ["filter"])
    text = rendered(tmp_path)
    places = [text.index(part) for part in ("<h1>", 'class="lead answer"', "<figure", "<table")]
    assert places == sorted(places)


def test_sections_inside_sections_are_as_wide_as_their_share() -> None:
    nodes = [
        Node("callback", 0, 10, 1000, None, None, 0.0, 0.1),
        Node("filter", 1, 10, 600, 10, 1000, 0.0, 0.5),
        Node("copy.all", 2, 10, 300, 10, 600, 0.0, 1.0),
        Node("sum", 1, 10, 300, 10, 1000, 0.0, 1.0),
    ]
    figure = nested_sections(nodes, {"sum": "total"})
    assert figure is not None
    marks = figure.chart.to_dict()["data"]["values"]
    assert [
        (mark["name"], mark["top"], round(mark["left"], 3), round(mark["right"], 3))
        for mark in marks
    ] == [
        ("callback", 0, 0.0, 1.0),
        ("filter", 1, 0.0, 0.6),
        ("copy.all", 2, 0.0, 0.3),
        ("total", 1, 0.6, 0.9),
    ]
    assert nested_sections(nodes[:1], {}) is None
