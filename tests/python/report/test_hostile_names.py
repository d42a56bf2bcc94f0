# SPDX-License-Identifier: Apache-2.0
"""Names and texts of a result folder are text on its page.

They make no element, run nothing, turn no words beside them, and leave the page readable."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import html  # type: ignore[import-untyped]

from support.answers import results_page
from support.hostile_results import PAYLOADS, hostile_folder
from support.probe_logs import header, record
from support.result_folders import DATA, NAMES
from wirecost.results.analysis.compare.comparison import CompareSettings, compare
from wirecost.results.analysis.compare.runs import read_run
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.probe_log import read_logs
from wirecost.results.records.reading import read_results
from wirecost.results.report.campaign.content import CampaignContent, campaign_answer
from wirecost.results.report.compare.first import comparison_answer
from wirecost.results.report.probe.answer import probe_answer
from wirecost.results.report.probe.judged import judged
from wirecost.results.report.scenarios import figures_of
from wirecost.results.report.shared.page import bundle, page
from wirecost.results.report.shared.page_text import (
    LONGEST_WORD,
    in_figure,
    on_page,
    plain,
    with_code,
)
from wirecost.results.report.shared.table import Table

SHOWN = {"markup": ("<script>alert(1)", "\\u202egnp", "\\x1b[31m"), "length": ("xxx…xxx",)}
"""What of a payload a reader sees."""
STILLS = {"cloud-rings", "lists", "osi"}
"""Whose figures are also drawn without scripts, which takes long."""
OLDER = {"osi-1", "heap-without-work", "replay-without-inputs", "tensor-of-one-machine"}


def _page(folder: Path, stills: bool = True) -> str:
    results = read_results(folder)
    page_text = results_page(results, stills=stills)
    # The figures' library is ours, and a megabyte to parse.
    return page_text.replace(bundle(), "")


def _elements(text: str) -> set[tuple[str, frozenset[str]]]:
    """Each kind of element within the page, but for those that a still figure consists of."""
    document: Any = html.document_fromstring(text)
    return {
        (str(element.tag), frozenset(map(str, element.attrib)))
        for element in document.iter()
        if element.tag is not html.etree.Comment
        and not any(up.tag == "svg" for up in element.iterancestors())
    }


def _shown(document: Any) -> str:
    """All text but scripts and figures."""
    words = document.find("body").xpath(".//text()[not(ancestor::script or ancestor::svg)]")
    return " ".join(words)


@cache
def _usual() -> set[tuple[str, frozenset[str]]]:
    kinds = set().union(*(_elements(_page(DATA / name, name in STILLS)) for name in NAMES))
    long = {(tag, frozenset({"class"})) for tag in ("caption", "td")}  # wrap where names are long
    return kinds | long | {("bdi", frozenset()), ("td", frozenset({"class", "id"}))}


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("rename", [True, False], ids=["names", "texts"])
@pytest.mark.parametrize("name", sorted(set(NAMES) - OLDER))
def test_the_template_alone_makes_elements(
    name: str, rename: bool, payload: str, tmp_path: Path
) -> None:
    text = _page(
        hostile_folder(name, tmp_path / "r", PAYLOADS[payload], rename), rename and name in STILLS
    )
    document: Any = html.document_fromstring(text)
    assert _elements(text) <= _usual()
    assert len(document.findall(".//script")) == 2
    parts = _shown(document)
    assert all(expected in parts for expected in SHOWN[payload])
    assert max(map(len, parts.split())) <= LONGEST_WORD + 2  # a bracket, a full stop
    assert re.sub(r"[\n\t]", "", parts).isprintable()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_so_it_is_in_comparisons_probes_and_campaigns(payload: str, tmp_path: Path) -> None:
    text = PAYLOADS[payload]
    sides = [hostile_folder("lists", tmp_path / name, text, rename=True) for name in ("a", "b")]
    compared = compare(read_run(sides[0]), read_run(sides[1]), CompareSettings())
    names = [(i, f"section {i} {text[:200]}") for i in range(2)]
    content = header([("minor-faults", 1)], names)
    for i in range(60):
        begin = 10**7 * (i + 1)
        content += record(
            i + 1,
            begin,
            begin + 10_000 + 700 * (i % 10),
            section=i % 2,
            counted=1,
            counters=[i % 10],
        )
    (tmp_path / "a.wprobe").write_bytes(content)
    logs = read_logs([tmp_path / "a.wprobe"])
    table = Table(text, [text], [[text]], [text])
    store = CampaignContent(text, [], [], [table], [text], table, [text], [text])
    pages = (
        page(comparison_answer(compared)),
        page(probe_answer(logs, judged(logs, {}, 1e6))),
        page(campaign_answer(store, text, None)),
    )
    for page_text in pages:
        document: Any = html.document_fromstring(page_text.replace(bundle(), ""))
        assert len(document.findall(".//script")) == 2
        assert not document.xpath("//body//img|//@onclick|//@onerror")
        parts = _shown(document)
        assert all(expected in parts for expected in SHOWN[payload]) or "section 0" in parts
        assert max(map(len, parts.split())) <= LONGEST_WORD + 2  # a bracket, a full stop
        assert re.sub(r"[\n\t]", "", parts).isprintable()


@pytest.mark.parametrize("payload", PAYLOADS)
def test_figures_data_stays_data(payload: str, tmp_path: Path) -> None:
    folder = hostile_folder("osi", tmp_path / "r", PAYLOADS[payload], rename=True)
    text = _page(folder, stills=False)
    script = html.document_fromstring(text).findall(".//script")[1].text
    data, _ = json.JSONDecoder().raw_decode(script.split("const specifications = ", 1)[1])
    results = read_results(tmp_path / "r")
    assert len(data) == len(figures_of(results, summarize(results)))
    assert json.dumps(in_figure("columns" + PAYLOADS[payload])) in json.dumps(data)


def test_words_from_right_to_left_are_apart() -> None:
    assert on_page("a שלום b") == "a <bdi>שלום</bdi> b"
    assert on_page("<i> עולם שלום <i>") == "&lt;i&gt; <bdi>עולם שלום</bdi> &lt;i&gt;"
    assert plain("a שלום b") == "a שלום b"
    assert on_page("usual <text>") == "usual <text>"


def test_a_figure_s_texts_are_printable_and_alike_where_they_were() -> None:
    turned = in_figure({"data": [{"x": "a\u202eb"}], "sort": ["a\u202eb"], "n": 1.5})
    assert turned == {"data": [{"x": "a\\u202eb"}], "sort": ["a\\u202eb"], "n": 1.5}


def test_an_option_is_not_broken_and_a_command_is_code() -> None:
    shown = with_code("<b> add `x --fail-above 5%`; --all")
    assert shown == (
        '&lt;b&gt; add <code>x <span class="option">--fail-above</span> 5%</code>; '
        '<span class="option">--all</span>'
    )
