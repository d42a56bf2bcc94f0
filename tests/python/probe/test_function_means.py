# SPDX-License-Identifier: Apache-2.0
"""By what calls are recorded where nobody forces a means: what counts all, and is cheap."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.observe.probe.function.choice import lines, matched
from wirecost.observe.probe.function.listing import Function, Listing
from wirecost.observe.probe.function.means import Means, Taken, take
from wirecost.observe.probe.function.uprobes import COUNTED
from wirecost.system.errors import UserError

NODE = Path("/x/node")
FUNCTION = Function("node", "f()", "f", "f", 0, 64, "", "", "", (), ())


def means(name: str, cost_ns: float | None, why: str = "") -> Means:
    counts = COUNTED if name == "uprobes" else None
    return Means(name, f"by {name}", why, lambda _: "", lambda _: cost_ns, counts)


def taken(asked: str, *every: Means) -> Taken:
    return take(asked, every, [FUNCTION])


@pytest.fixture
def counters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRECOST_PROBE_COUNTERS", "minor-faults,allocations,run-queue-wait-ns")


@pytest.mark.usefixtures("counters")
def test_counters_that_uprobes_do_not_have_choose_patched_entries(
    snapshot: SnapshotAssertion,
) -> None:
    selected = taken("auto", means("uprobes", 900.0), means("trampoline", 6000.0))
    assert selected.means.name == "trampoline"
    (note,) = selected.notes
    assert note == snapshot


@pytest.mark.usefixtures("counters")
def test_forced_uprobes_say_what_they_cannot_count(snapshot: SnapshotAssertion) -> None:
    selected = taken("uprobes", means("uprobes", 900.0), means("trampoline", 100.0))
    assert selected.means.name == "uprobes"
    assert selected.notes == snapshot


@pytest.mark.usefixtures("counters")
def test_uprobes_that_are_the_only_means_are_taken(snapshot: SnapshotAssertion) -> None:
    selected = taken("auto", means("uprobes", 900.0), means("trampoline", 100.0, "static"))
    assert selected.means.name == "uprobes"
    assert selected.notes == snapshot


@pytest.mark.parametrize(("cost_ns", "name"), [(900.0, "uprobes"), (2e4, "trampoline")])
def test_breakpoints_are_taken_where_they_are_cheap(
    cost_ns: float, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WIRECOST_PROBE_COUNTERS", raising=False)
    assert taken("auto", means("uprobes", cost_ns), means("trampoline", 1.0)).means.name == name


def test_a_cost_that_could_not_be_measured_is_not_taken_for_a_low_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("WIRECOST_PROBE_COUNTERS", raising=False)
    selected = taken("auto", means("uprobes", None), means("trampoline", None))
    assert selected.means.name == "trampoline"


def test_what_cannot_be_recorded_at_all_is_refused_with_the_reasons() -> None:
    with pytest.raises(UserError, match="not by uprobes: none here; not by trampoline: static"):
        taken("auto", means("uprobes", 1.0, "none here"), means("trampoline", 1.0, "static"))


def test_too_many_matches_suggest_patterns_of_the_program_itself(
    snapshot: SnapshotAssertion,
) -> None:
    def function(name: str, file: str = "/x/node") -> Function:
        return Function(file, name, name, name, 0, 64, "", "", "", (), ())

    names = ["cluster(int)", "main", "ns::A::f()", "ns::A::g()", "std::vector<int>::size()"]
    functions = [function(name) for name in names] + [
        function(f"z{i}()", "/x/lib") for i in range(60)
    ]
    with pytest.raises(UserError) as few:
        matched(["*"], Listing((), tuple(functions), (), ()), NODE, 64, each=False, later=True)
    text = str(few.value)
    assert text == snapshot
    with pytest.raises(UserError) as many:
        matched(["*"], Listing((), tuple(functions * 5), (), ()), NODE, 64, each=False, later=True)
    assert "--function-limit" not in str(many.value)


def test_listed_functions_have_short_names() -> None:
    long = "std::_Rb_tree<int, std::less<int> >::_M_erase(std::_Rb_tree_node<int>*)"
    erase = Function("/x/node", long, "s", "s", 0, 64, "", "", "", (), ())
    assert lines([erase], lambda _: "") == ["  std::_Rb_tree::_M_erase [node]"]
