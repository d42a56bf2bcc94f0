# SPDX-License-Identifier: Apache-2.0
"""The page of losses made on purpose: what is right, what is wrong, and a mode's every name."""

from __future__ import annotations

from itertools import pairwise

from wirecost.results.records.lost_live import READER, WAY
from wirecost_scenarios.lost.faults import FAST, FAULTS, HEALTHY, REFUSED
from wirecost_scenarios.lost.page import PAGE, Row1, healthy_of, row_of, text
from wirecost_scenarios.lost.recorder import RecorderRow
from wirecost_scenarios.lost.ros1 import PAIRS, STEADY
from wirecost_scenarios.lost.ros1 import Watched as Watched1
from wirecost_scenarios.lost.runs import NODE, Watched

SLOW, _, _, MISMATCH, *_ = FAULTS


def run(mode: str, numbers: list[int], places: dict[str, int], **about: object) -> Watched:
    """Return a run with one subscription, which the command has counted so."""
    missing = sum(after - before - 1 for before, after in pairwise(numbers))
    subscription = {
        "topic": f"/{mode}", "places": places, "taken": len(numbers),
        "published": len(numbers) + missing, "refusals": {},
    }  # fmt: skip
    return Watched({"subscriptions": [subscription | about]}, {mode: numbers}, share=0.013)


def test_a_row_is_right_only_with_the_count_and_the_place() -> None:
    assert row_of(SLOW, "jazzy", run("slow", [1, 2, 5], {READER: 2})).is_right
    for numbers, places in (([1, 2, 5], {READER: 3}), ([1, 2, 5], {WAY: 2}), ([1, 2], {READER: 1})):
        assert not row_of(SLOW, "jazzy", run("slow", numbers, places)).is_right
    assert not row_of(SLOW, "jazzy", run("slow", [1, 2], {})).is_right  # nothing was lost


def test_a_refusal_is_right_where_nothing_came() -> None:
    refused = {"refusals": {"why": ["/talker"]}}
    assert row_of(MISMATCH, "jazzy", run("mismatch", [], {}, **refused)).is_right
    assert not row_of(MISMATCH, "jazzy", run("mismatch", [], {})).is_right
    assert not row_of(MISMATCH, "jazzy", run("mismatch", [1], {}, **refused)).is_right


def test_the_page_shows_what_was_wrong() -> None:
    wrong = row_of(SLOW, "jazzy", run("slow", [1, 2, 5], {WAY: 2}))
    right = row_of(MISMATCH, "kilted", run("mismatch", [], {}, refusals={"why": ["/talker"]}))
    page = text(
        [wrong, right],
        healthy_of(run("healthy", [1, 2], {}), ["healthy"], 300),
        0.013,
        [
            Row1(PAIRS[0], is_right=False),
            Row1(PAIRS[3], is_right=True),
            Row1(PAIRS[4], is_right=False),
        ],
        RecorderRow(190, 200, 0),
    )
    assert "counts 190 of 200 messages that fell out of a recorder's cache" in page
    assert "counts and places 1 of 2 losses as they were made. In 5 minutes of 2" in page
    assert "of 2 messages it calls 0 lost; 0 were.**" in page
    assert f"{SLOW.made}  {SLOW.place}  2, wrong: 2 on the way\n" in page
    assert [*MISMATCH.made.split(), REFUSED, "all"] in map(str.split, page.splitlines())
    assert "places 1 of 2 losses in queues" in page
    assert "accuses 1 of 1 healthy" in page


def test_a_steady_overload_is_right_with_no_more_than_was_lost() -> None:
    pair = STEADY[0]
    for counted, right in ((2, True), (3, False), (0, False)):
        own = {"topic": f"/{pair.name}", "subscribers": [f"/{pair.name}_listener"]}
        answer = {"subscriptions": [own | {"places": {pair.place: counted}}]}
        assert Watched1(answer, "", {pair.name: [1, 2, 5]}).is_right(pair) == right


def test_a_recording_is_right_only_with_the_count() -> None:
    assert RecorderRow(9, 9, 0).is_right
    for row in (RecorderRow(8, 9, 1), RecorderRow(9, 9, 1), RecorderRow(0, 0, 0)):
        assert not row.is_right


def test_each_fault_is_a_mode_and_on_the_page() -> None:
    node = NODE.read_text()
    assert all(f'"{name}": Mode(' in node for name in (*HEALTHY, FAST))
    page = PAGE.read_text()
    for fault in FAULTS:
        assert f'"{fault.mode}": Mode(' in node
        assert f"\n{fault.made} " in page
    assert len(page.splitlines()) <= 60
