# SPDX-License-Identifier: Apache-2.0
"""A page can be mailed: 400 kB at most beside the figures' library, which it holds once."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from support.answers import results_page
from support.result_folders import DATA, NAMES
from support.tensor_folders import tensor_folder
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.report.shared.page import bundle, shortened_svg, still_figures, with_data_once

MOST_BYTES = 400_000
SWEEP = tuple(str(8 << 2 * i) for i in range(11))


def _page(results: Results) -> str:
    return results_page(results, stills=True)


def _size(text: str) -> int:
    """Without the library."""
    assert text.count(str(bundle())) == 1
    return len(text.encode()) - len(bundle().encode())


@pytest.mark.parametrize("name", NAMES)
def test_pages_of_every_scenario(name: str) -> None:
    text = _page(read_results(DATA / name))
    assert _size(text) <= MOST_BYTES
    figures = len(re.findall('<div class="figure"', text))
    assert text.count('<div class="still">') == figures  # small enough for all of them


def test_a_page_of_many_contenders_and_sizes_leaves_out_details_not_results(tmp_path: Path) -> None:
    text = _page(tensor_folder(tmp_path, shapes=SWEEP, n=5))
    assert _size(text) <= MOST_BYTES
    assert re.search(r"\d+ more tables: ", text)
    assert "Median by size" in text


def test_stills_take_the_room_there_is_and_the_next_one_may_fit() -> None:
    def of(count: int) -> dict[str, Any]:
        return {
            "data": {"values": [{"x": i} for i in range(count)]},
            "mark": "point",
            "encoding": {"x": {"field": "x", "type": "quantitative"}},
        }

    whole = [len(str(still)) for still in still_figures([of(400), of(5)], 10**6)]
    stills = still_figures([of(400), of(5), of(5)], whole[1])
    assert [bool(still) for still in stills] == [False, True, False]


def test_a_still_is_shorter_to_a_tenth_of_a_pixel_and_its_text_is_unchanged(
    snapshot: SnapshotAssertion,
) -> None:
    svg = (
        '<svg width="10.25"><path aria-label="a: 1.234" role="img" d="M1.234,5.678"/>'
        "<text>1.234 d=9.876</text></svg>"
    )
    assert shortened_svg(svg) == snapshot


def test_the_data_of_several_layers_stand_in_a_figure_once() -> None:
    rows = [{"x": i, "name": f"name {i}"} for i in range(20)]
    layer = {"mark": "point", "data": {"values": rows}}
    ticks = {"values": list(range(100))}
    shared = with_data_once({"layer": [layer, layer], "encoding": {"x": {"axis": ticks}}})
    assert shared["datasets"] == {"d0": rows}
    assert [drawn["data"] for drawn in shared["layer"]] == [{"name": "d0"}] * 2
    assert shared["encoding"]["x"]["axis"] == ticks
