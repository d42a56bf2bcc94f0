# SPDX-License-Identifier: Apache-2.0
"""What ``probe show`` says of a slow callback: first its cause, with --all everything."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from support.answers import show_logs
from support.probe_logs import header, record
from wirecost.cli.probe_show import probe_files_answer
from wirecost.results.records.recorded_machine import STARTED, Started
from wirecost.results.report.shared.screen import SCREEN

MS = 1_000_000
COUNT = 60
NAMES = [(0, "callback"), (1, "fill"), (2, "note")]
OWN = "this code's own CPU time"


def write(
    folder: Path,
    counters: Sequence[str],
    counts: dict[str, float],
    inner: dict[int, float] | None = None,
) -> None:
    """Write executions that compute for 30 ms and wait up to 40 ms.

    ``counts``: of every one, as a share of the time computed or, if negative, waited. ``inner``:
    sections by their share of it all."""
    content = header([(name, 1) for name in counters], NAMES)
    random = np.random.default_rng(3)
    begin = sequence = 0
    for waited in random.integers(10 * MS, 40 * MS, COUNT):
        begin += 200 * MS
        ns = 30 * MS + int(waited)
        values = [
            int(counts[name] * 30 * MS if counts[name] >= 0 else -counts[name] * waited)
            for name in counters
        ]
        for section, share in {**(inner or {}), 0: 1.0}.items():
            sequence += 1
            parts = [int(share * one) for one in values]
            content += record(
                sequence,
                begin,
                begin + int(share * ns),
                section=section,
                parent=0 if section else 0xFFFFFFFF,
                depth=1 if section else 0,
                counted=(1 << len(counters)) - 1,
                counters=parts,
            )
    (folder / "a.wprobe").write_bytes(content)


def shown(
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    limit_ns: float | None = None,
    *,
    every: bool = True,
) -> str:
    show_logs([folder], limit_ns, None, every=every)
    return capsys.readouterr().out


def printed(capsys: pytest.CaptureFixture[str], folder: Path) -> str:
    return " ".join(shown(capsys, folder).split())


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


WAITS = ("run-queue-wait-ns", "blocked-ns")
KNOWN = {"run-queue-wait-ns": -1.0, "blocked-ns": 0.0, "perf::TASK-CLOCK": 1.0}


@pytest.mark.parametrize("counters", [WAITS, ("run-queue-wait-ns", "perf::TASK-CLOCK")])
def test_what_no_counter_explains_is_the_code_itself_where_that_is_known(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    counters: Sequence[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, counters, KNOWN)
    assert shown(capsys, tmp_path) == snapshot


def test_nothing_is_claimed_of_time_that_may_have_been_waited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, ["minor-faults"], {"minor-faults": 0.0})
    assert OWN not in printed(capsys, tmp_path)
    counts = {"run-queue-wait-ns": -1.0, "perf::TASK-CLOCK": 0.1}
    write(tmp_path, list(counts), counts)
    assert OWN not in printed(capsys, tmp_path)


def test_the_section_inside_that_computes_most_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, WAITS, KNOWN, {1: 0.9, 2: 0.005})
    assert shown(capsys, tmp_path) == snapshot


def test_what_to_record_next_is_right_below_the_times(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, ["context-switches"], {"context-switches": -1e-6})
    assert shown(capsys, tmp_path) == snapshot


def test_times_among_counters_have_units(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, [*WAITS, "perf::TASK-CLOCK"], KNOWN)
    assert shown(capsys, tmp_path) == snapshot


def test_columns_that_are_hidden_have_no_caption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, WAITS, KNOWN)
    monkeypatch.setenv("COLUMNS", "80")
    text = printed(capsys, tmp_path)
    assert "other 99 %: " not in text
    monkeypatch.setenv("COLUMNS", "160")
    assert "other 99 %: " in printed(capsys, tmp_path)


def test_an_event_that_misses_the_deadline_is_listed_once(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    write(tmp_path, ["minor-faults"], {"minor-faults": 0.0}, {1: 0.95})
    assert shown(capsys, tmp_path, 45.0 * MS).split("Missed deadlines")[1] == snapshot


def write_calls(folder: Path, slow_ns: Sequence[int], counts: dict[str, Sequence[int]]) -> None:
    """Write calls of ``callback`` that take 0.5 ms and ``slow_ns`` more, and a short ``note``.

    ``counts``: of each call; ``value`` is what the program recorded with it.
    """
    counters = [name for name in counts if name != "value"]
    content = header([(name, 1) for name in counters], NAMES)
    values = counts.get("value", [0] * len(slow_ns))
    for call, ns in enumerate(slow_ns):
        begin = 600 * MS * (call + 1)
        end = begin + MS // 2 + ns + 97 * (call * 7919 % 31)
        of_call = [counts[name][call] for name in counters]
        mask = (1 << len(counters)) - 1
        content += record(
            2 * call + 1, begin, end, section=0, counted=mask, counters=of_call, value=values[call]
        )
        content += record(
            2 * call + 2, end, end + 1000, section=2, counted=mask, counters=[0] * len(counters)
        )
    (folder / "a.wprobe").write_bytes(content)


def seventeenth(call: int) -> bool:
    return call % 17 == 16


PAGES = 81_928
CASES = {
    "new pages": lambda call: {"minor-faults": PAGES * seventeenth(call)},
    "a lock": lambda call: {
        "blocked-ns": (9 * MS + call) * seventeenth(call),
        "lock-wait-ns": (8 * MS + call) * seventeenth(call),
    },
    "not counted": lambda call: {"context-switches": int(seventeenth(call))},
    "unknown": lambda _: {"minor-faults": 0},
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("limit_ns", [None, 5.0 * MS])
def test_the_first_answer_names_what_slow_calls_have_in_common(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    case: str,
    limit_ns: float | None,
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    counts = [CASES[case](call) for call in range(400)]
    slow_ns = [(300 if case == "new pages" else 10) * MS * seventeenth(call) for call in range(400)]
    write_calls(tmp_path, slow_ns, {name: [c[name] for c in counts] for name in counts[0]})
    lines = shown(capsys, tmp_path, limit_ns, every=False).splitlines()
    assert len(lines) <= SCREEN
    prose = [line for line in lines if not line.startswith(("WIRECOST_", "wirecost "))]
    assert max(map(len, prose)) <= 80
    assert lines == snapshot


def test_the_first_answer_of_a_bad_complexity(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    values = [200 + call * 7919 % 1800 for call in range(400)]
    slow_ns = [value**2 * 5 for value in values]
    write_calls(tmp_path, slow_ns, {"value": values})
    assert shown(capsys, tmp_path, 12.0 * MS, every=False) == snapshot


@pytest.mark.parametrize(("slow", "said"), [(4, "takes the most"), (5, "5 of 400 calls")])
def test_without_a_deadline_a_long_p99_is_what_is_slow(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], slow: int, said: str
) -> None:
    slow_ns = [10 * MS * (call % 50 == 7 and call < 50 * slow) for call in range(400)]
    write_calls(tmp_path, slow_ns, {"minor-faults": [0] * 400})
    assert said in shown(capsys, tmp_path, every=False)


def test_marks_alone_have_an_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = header([], NAMES)
    for mark in range(40):
        content += record(mark + 1, MS * mark, MS * mark, section=0, part=mark % 2, kind=2)
    (tmp_path / "a.wprobe").write_bytes(content)
    assert shown(capsys, tmp_path, every=False).startswith("callback 0→1 takes")


def test_what_varies_by_chance_is_no_cause(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Calls are slow, and have as many faults as the others."""
    random = np.random.default_rng(2)
    slow_ns = [10 * MS * bool(slow) for slow in random.random(400) < 0.06]
    faults = [int(number) for number in random.poisson(20, 400)]
    write_calls(tmp_path, slow_ns, {"minor-faults": faults})
    text = shown(capsys, tmp_path, 5.0 * MS, every=False)
    assert "no counter" in text
    assert "every" not in text


def test_waiting_does_not_hide_what_marks_slow_calls_in_regular_turns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Huge pages: few faults, whose price would account for a small part of the time."""
    slow = [seventeenth(call) or call in (3, 100, 250) for call in range(400)]
    counts = {
        "minor-faults": [800 * seventeenth(call) for call in range(400)],
        "run-queue-wait-ns": [9 * MS * is_slow for is_slow in slow],
    }
    write_calls(tmp_path, [10 * MS * is_slow for is_slow in slow], counts)
    text = " ".join(shown(capsys, tmp_path, every=False).split())
    marked = "23 of them, every 17th, touched new memory in 800 page faults (the others 0)"
    assert "26 of 400 calls took above 1.00 ms, 2 × the median (slow calls: median 10.5 ms)" in text
    assert f"; {marked} and took 10.0 ms longer; all waited 9.00 ms" in text
    assert "wirecost probe try" in text
    assert "heap run --pool 512MiB" in text


def test_what_is_to_be_run_next_has_the_options_of_the_recording(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the logs keeps them."""
    monkeypatch.setenv("COLUMNS", "400")
    started = Started(
        words=("python", "planner.py"),
        functions=("planner:Planner.*",),
        options=("--for", "9s"),
        of_run=("--function-limit", "9"),
        counters="minor-faults",
    )
    (tmp_path / STARTED).write_bytes(msgspec.json.encode(started))
    slow_ns = [300 * MS * seventeenth(call) for call in range(400)]
    write_calls(tmp_path, slow_ns, {"minor-faults": [0] * 400})
    options = "--function 'planner:Planner.*' --for 9s"
    counted = "WIRECOST_PROBE_COUNTERS=minor-faults wirecost probe run --function-limit 9"
    run = f"{counted} {options} --function 'planner:*' -- python planner.py"
    assert run in shown(capsys, tmp_path, every=False)
    write_calls(tmp_path, slow_ns, {"minor-faults": [PAGES * bool(ns) for ns in slow_ns]})
    text = shown(capsys, tmp_path, every=False)
    assert f"wirecost probe try {options} -- python planner.py" in text
    assert "MiB -- python planner.py" in text


def test_the_json_has_the_slow_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    slow = [seventeenth(call) for call in range(400)]
    faults = [PAGES * call for call in slow]
    write_calls(tmp_path, [300 * MS * call for call in slow], {"minor-faults": faults})
    show_logs([tmp_path], 5.0 * MS, Path("-"))
    (first, *_) = json.loads(capsys.readouterr().out)["slow"]
    assert (first["section"], first["slow"], first["every"]) == ("callback", 23, 17)
    (cause,) = first["common"]
    assert (cause["name"], cause["slow"], cause["low"], cause["usual"]) == (
        "minor-faults", 23, PAGES, 0,
    )  # fmt: skip
    assert cause["share"] > 0.9


def test_what_slow_calls_wait_for_is_counted_before_the_median_is_improved(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Faults are most of every call, and the slow ones have as many."""
    faults = [1000 + call * 7919 % 1000 for call in range(400)]
    switches = [int(seventeenth(call)) for call in range(400)]
    slow_ns = [400 * f + 10 * MS * s for f, s in zip(faults, switches, strict=True)]
    write_calls(tmp_path, slow_ns, {"minor-faults": faults, "context-switches": switches})
    text = " ".join(shown(capsys, tmp_path, 5.0 * MS, every=False).split())
    assert "all waited" in text
    assert "In the median call, minor faults take" in text
    assert text.index("what it waits") < text.index("keep the memory")


def test_slow_calls_without_the_cause_of_most_are_explained_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    others = (3, 100, 250)
    counts = {
        "minor-faults": [800 * seventeenth(call) for call in range(400)],
        "context-switches": [int(call in others) for call in range(400)],
    }
    slow_ns = [10 * MS * (seventeenth(call) or call in others) for call in range(400)]
    write_calls(tmp_path, slow_ns, counts)
    show_logs([tmp_path], None, Path("-"))
    (first, *_) = json.loads(capsys.readouterr().out)["slow"]
    (cause,) = first["common"]
    assert (cause["slow"], cause["others_waited"]) == (23, 3)
    assert cause["longer_ns"] == pytest.approx(10 * MS, rel=1e-3)
    assert "; 3 others waited (context switches)." in " ".join(
        shown(capsys, tmp_path, every=False).split()
    )


@pytest.mark.parametrize(
    ("counts", "computed"),
    [
        ({"context-switches": 0}, 23),
        ({"context-switches": 1}, 0),
        ({"run-queue-wait-ns": 0, "blocked-ns": 0}, 23),
        ({"run-queue-wait-ns": 2 * MS, "blocked-ns": 0}, 0),
        ({"perf::TASK-CLOCK": 10 * MS}, 23),
        ({"perf::TASK-CLOCK": 8 * MS}, 0),
        ({"minor-faults": 0}, 0),
    ],
)
def test_slow_calls_that_had_a_processor_all_the_time_are_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], counts: dict[str, int], computed: int
) -> None:
    write_calls(
        tmp_path,
        [10 * MS * seventeenth(call) for call in range(400)],
        {name: [number] * 400 for name, number in counts.items()},
    )
    show_logs([tmp_path], 5.0 * MS, Path("-"))
    (first, *_) = json.loads(capsys.readouterr().out)["slow"]
    assert (first["slow"], first["computed"]) == (23, computed)
    step = shown(capsys, tmp_path, 5.0 * MS, every=False).split("1. ")[1]
    if computed:
        assert "time the functions" in step
        assert first["common"] == []


def test_half_of_them_computed_and_half_waited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    switches = [call // 17 % 2 * seventeenth(call) for call in range(400)]
    slow_ns = [10 * MS * seventeenth(call) for call in range(400)]
    write_calls(tmp_path, slow_ns, {"context-switches": switches})
    text = shown(capsys, tmp_path, 5.0 * MS, every=False)
    assert "12 of them ran" in text
    assert "11 others" in text
    assert "12 of 23:" in text


@pytest.mark.parametrize("width", ["40", "80"])
def test_a_command_is_never_broken(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    width: str,
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    started = Started(words=("python", "planner.py"), functions=("planner:Planner.plan",))
    (tmp_path / STARTED).write_bytes(msgspec.json.encode(started))
    slow = [seventeenth(call) for call in range(400)]
    write_calls(
        tmp_path,
        [300 * MS * is_slow for is_slow in slow],
        {"minor-faults": [PAGES * s for s in slow]},
    )
    lines = shown(capsys, tmp_path, 5.0 * MS, every=False).splitlines()
    options = "--function planner:Planner.plan --deadline 5ms"
    assert f"wirecost probe try {options} -- python planner.py" in lines


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"run-queue-wait-ns": 80 * MS}, "waited 80.0 ms for a CPU"),
        ({"context-switches": 4}, "left the CPU 4 times"),
    ],
)
def test_a_call_far_longer_than_the_slow_ones_is_explained_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], counts: dict[str, int], said: str
) -> None:
    slow_ns = [10 * MS * seventeenth(call) for call in range(400)]
    slow_ns[33] = 90 * MS
    of_longest = {name: [n * (call == 33) for call in range(400)] for name, n in counts.items()}
    write_calls(tmp_path, slow_ns, of_longest)
    text = " ".join(shown(capsys, tmp_path, 5.0 * MS, every=False).split())
    assert f"The longest, 90.5 ms, {said}." in text
    write_calls(tmp_path, [min(ns, 10 * MS) for ns in slow_ns], of_longest)
    assert "The longest" not in shown(capsys, tmp_path, 5.0 * MS, every=False)


def test_the_date_is_when_the_program_ran(tmp_path: Path) -> None:
    """A record of a stack has no begin; taken for one, it is the time of the machine's boot."""
    content = header(names=NAMES, offset=10**18) + record(1, section=2)
    content += record(2, 3600 * 10**9, 3601 * 10**9, section=0)
    (tmp_path / "a.wprobe").write_bytes(content)
    (about,) = probe_files_answer([tmp_path], None).about
    assert about.startswith("recorded 2001-09-09 02:46:40 UTC")
