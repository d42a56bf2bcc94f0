# SPDX-License-Identifier: Apache-2.0
"""The tensor benchmark's own parts: planted faults are noticed, stamps join as they should."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from support import needs
from wirecost.measure.bench.tensor import blocks, interpreters
from wirecost.measure.bench.tensor.arrays import ArraySource
from wirecost.measure.bench.tensor.cases import Combination, TensorCase
from wirecost.measure.bench.tensor.cases import plan as plan_cases
from wirecost.measure.bench.tensor.choices import CONTENTS
from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.measure.bench.tensor.contenders.base import ReceivedMessage, TensorReceiver
from wirecost.measure.bench.tensor.plugins import NUMPY, PLUGINS, as_array
from wirecost.measure.bench.tensor.rounds import plan_of
from wirecost.measure.bench.tensor.settings import Settings
from wirecost.measure.bench.tensor.stamps import count, round_trips, stages
from wirecost.measure.bench.tensor.task import TensorOrder, TensorSide, TensorTask
from wirecost.system.errors import UserError

SHAPE = (5, 7)


class Fake(TensorReceiver):
    """Gives messages as they are."""

    def __init__(self, messages: list[tuple[int | None, Any]]) -> None:
        self.messages = messages

    def receive(self, timeout: float) -> ReceivedMessage | None:  # noqa: ARG002
        if not self.messages:
            return None
        number, content = self.messages.pop(0)
        return ReceivedMessage(number, content, 0)

    def decode(self, message: Any) -> Any:
        return message

    def close(self) -> None: ...


def heard(
    messages: list[tuple[int | None, Any]], content: str = "ones", first: int = 0
) -> TensorSide:
    order = TensorOrder("numpy", SHAPE, "float64", content, "cpu", True, first, 4, 100.0)
    source = ArraySource(SHAPE, "float64", content)
    return blocks.listen(Fake(messages), TensorTask(order, NUMPY, source), lambda: True)


def sent(content: str = "ones", first: int = 0) -> list[tuple[int | None, Any]]:
    source = ArraySource(SHAPE, "float64", content)
    return [(number, source.array(number).copy()) for number in range(first, first + 4)]


def changed(messages: list[tuple[int | None, Any]]) -> None:
    messages[2][1][4, 6] += 1


def stale(messages: list[tuple[int | None, Any]]) -> None:
    messages[2] = (2, messages[1][1])


def other_type(messages: list[tuple[int | None, Any]]) -> None:
    messages[2] = (2, messages[2][1].astype(np.float32))


def other_shape(messages: list[tuple[int | None, Any]]) -> None:
    messages[2] = (2, messages[2][1].T)


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    ("fault", "reported"),
    [
        (changed, "message 2 differs in 1 of 35 elements: element 34 is"),
        (stale, "message 2 differs in"),
        (other_type, "(5, 7) float32 arrived, (5, 7) float64 was sent"),
        (other_shape, "(7, 5) float64 arrived, (5, 7) float64 was sent"),
    ],
)
def test_wrong_content_is_noticed(
    fault: Callable[[list[tuple[int | None, Any]]], None], reported: str, content: str
) -> None:
    assert heard(sent(content), content).failure is None
    messages = sent(content)
    fault(messages)
    assert reported in (heard(messages, content).failure or "")


def test_another_frameworks_object_is_noticed() -> None:
    kind = needs.package("polars").DataFrame
    arrived = f"{kind.__module__}.{kind.__qualname__}"
    assert NUMPY.check_kind(kind()) == f"{arrived} arrived, not numpy's"


def rows(*numbers: int) -> list[list[int]]:
    return [[number, 0, 10 * number, 0, 0, 0, 0] for number in numbers]


def test_losses_duplicates_and_order_are_counted_by_number() -> None:
    got = count(rows(0, 1, 2, 3, 4), [[n, 0, 0, 0] for n in (0, 3, 1, 1, 4)], 0.0)
    assert (got.sent, got.received, got.lost) == (5, 4, 1)
    assert (got.duplicates, got.reordered) == (1, 1)
    assert got.rate == pytest.approx(1e8)
    with pytest.raises(ValueError, match="message 9 was received, but not sent"):
        count(rows(0), [[9, 0, 0, 0]], 0.0)


def test_a_backlog_that_is_sent_at_once_is_reported() -> None:
    """Due every 10 ms; the third takes 25 ms, so that two are late and the last is not."""
    begun = [0, 10, 20, 45, 46, 50.5]
    sent = [[n, n * 10_000_000, int(at * 1e6), 0, 0, 0, 0] for n, at in enumerate(begun)]
    got = count(sent, [], 100.0)
    assert (got.late, got.most_lag_ns) == (2, 15_000_000)
    assert got.rate == pytest.approx(5 / 0.0505)
    got.add(count(sent[:3], [], 100.0))
    assert (got.late, got.most_lag_ns) == (2, 15_000_000)
    first_late = [[0, 0, 8_000_000, 0, 0, 0, 0], [1, 10_000_000, 10_000_000, 0, 0, 0, 0]]
    assert count(first_late, [], 100.0).rate == pytest.approx(100)


def test_a_listener_that_misses_messages_ends_once_asked_and_keeps_the_others() -> None:
    messages = sent(first=8)
    del messages[1]
    side = heard([(3, messages[0][1]), *messages], first=8)
    assert [row[0] for row in side.stamps] == [8, 10, 11]


def test_a_message_that_comes_after_the_end_was_reported_is_not_taken_for_lost() -> None:
    class Late(Fake):
        """Nothing comes until the publisher has finished."""

        def receive(self, timeout: float) -> ReceivedMessage | None:
            return None if timeout == blocks.WAIT_S else super().receive(timeout)

    order = TensorOrder("numpy", SHAPE, "float64", "ones", "cpu", True, 0, 4, 100.0)
    finished = iter([False, *[True] * 9])
    source = ArraySource(SHAPE, "float64", "ones")
    side = blocks.listen(Late(sent()), TensorTask(order, NUMPY, source), lambda: next(finished))
    assert [row[0] for row in side.stamps] == [0, 1, 2, 3]


def test_stages_are_the_differences_of_the_stamps() -> None:
    published = [[7, 100, 101, 111, 113, 118, 150]]
    (times,) = stages(published, [[7, 140, 147, 155]], "cuda")
    assert times == {
        "lateness": 1, "construct": 10, "to_host": 2, "encode": 5, "publish": 32,
        "transit": 22, "decode": 7, "access": 8, "total": 36,
    }  # fmt: skip
    (placed,) = stages(published, [[7, 140, 147, 155, 152]], "cuda")
    assert (placed["decode"], placed["to_device"], placed["access"]) == (7, 5, 3)
    assert placed["total"] == 41
    assert "to_host" not in stages(published, [[7, 140, 147, 155]], "cpu")[0]
    assert stages(published, [], "cpu") == []
    # What is compressed has a stamp more.
    (packed,) = stages([[*published[0], 116]], [[7, 140, 147, 155, 152]], "cpu")
    assert packed == {
        "lateness": 1, "construct": 10, "compress": 5, "encode": 2, "publish": 32, "transit": 22,
        "decode": 7, "decompress": 5, "access": 3, "total": 41,
    }  # fmt: skip
    request = [7, 100, 101, 111, 111, 118, 190, 200, 115]
    (trip,) = round_trips([request], [[7, 140, 147, 160, 150]], "cpu")
    assert [trip[name] for name in ("compress", "encode", "decompress")] == [4, 3, 3]
    assert (trip["transit"], trip["reply"], trip["total"]) == (22, 50, 89)
    (trip,) = round_trips([[7, 100, 101, 111, 111, 118, 190, 200]], [[7, 140, 147, 160]], "cpu")
    assert (trip["transit"], trip["reply"], trip["total"]) == (22, 53, 89)


@pytest.mark.parametrize("shape", [(1,), (2,), (3, 5)])
@pytest.mark.parametrize("number", [0, 99, 100, 12_345])
def test_content_tells_its_number(shape: tuple[int, ...], number: int) -> None:
    for content in CONTENTS:
        source = ArraySource(shape, "uint8", content)
        array = source.array(number)
        assert source.number_in(array, number - 3) == number
        assert source.number_in(array, number + 3) == number


@pytest.mark.parametrize("name", PLUGINS)
def test_plugins_make_what_they_read_back(name: str) -> None:
    plugin = PLUGINS[name]
    if why := plugin.missing("cpu"):
        pytest.skip(why)
    for kind in plugin.dtypes or ("float64", "float32"):
        source = ArraySource(SHAPE, kind, "random")
        obj = plugin.make(plugin.load(), source.array(123), "cpu")
        source.array(124)  # the object must not lie in what is used again
        assert plugin.check_kind(obj) is None
        assert source.difference(as_array(plugin, obj, SHAPE), 123) is None


def test_what_cannot_be_measured_is_reported_with_its_reason() -> None:
    plugins, devices = ("numpy", "pillow", "cupy"), ("cpu", "cuda")
    plan = plan_cases(Settings(plugins, ("shm", "zeromq"), (SHAPE,), devices=devices))
    assert Combination("shm", "") in {
        combination for case in plan.cases for combination in case.combinations
    }
    assert plan.not_run["numpy cuda"] == PLUGINS["numpy"].missing("cuda") != ""
    assert "has no float64" in plan.not_run["pillow 5x7 float64"] or "pip" in plan.not_run["pillow"]
    assert "cupy" in plan.not_run


def test_settings_that_cannot_be_run_are_refused() -> None:
    for wrong in (
        {"rate": 0.0}, {"trials": 0}, {"dtypes": ("bool",)}, {"dtypes": ("x",)},
        {"shapes": ((0, 3),)}, {"shapes": ((1 << 20, 1 << 20),)}, {"pattern": "x"},
        {"content": "twos"},
    ):  # fmt: skip
        with pytest.raises(UserError):
            Settings(("numpy",), ("shm",), **wrong).check()  # type: ignore[arg-type]
    with pytest.raises(UserError, match="unknown"):
        find_contender("zeromk", 10)


def test_rounds_share_all_trials() -> None:
    for trials in (1, 4, 5, 23, 200):
        for processes in (1, 3, 10):
            rounds = plan_of(TensorCase(SHAPE, "float64", "cpu", 1.0, trials, ()), processes, 1)
            messages = [rounds.samples_of(number) for number in range(rounds.processes)]
            assert sum(messages) == trials and len(messages) <= processes


@pytest.mark.parametrize(
    "text, reason",
    [
        ("torch", "nothing cannot be run"),
        ("touch=/bin/sh", "give PLUGIN=PATH"),
        ("torch=/no/python", "/no/python cannot be run"),
        ("torch=/tmp", "/tmp cannot be run"),
    ],
)
def test_what_is_no_interpreter_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UserError, match=f"^--python .*{reason}"):
        interpreters.parse([text], PLUGINS)


@pytest.mark.parametrize(
    "script, reason",
    [
        ("echo 'python is broken' >&2; exit 3", "python is broken"),
        ("exit 3", "it gave no reason"),
        ("true", "it does not answer as Python does"),
        ("echo '[1]'", "it does not answer as Python does"),
        (f'exec {sys.executable} -S -I "$@"', "No module named"),
    ],
)
def test_an_interpreter_that_cannot_run_this_says_why(
    tmp_path: Path, script: str, reason: str
) -> None:
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    with pytest.raises(UserError, match=f"{reason}.*; it needs NumPy, msgpack, torch"):
        interpreters.probed(path, "torch", ["zeromq"])


def test_what_another_interpreter_lacks_is_not_run(snapshot: SnapshotAssertion) -> None:
    lacking = interpreters.Interpreter(Path("/x/python"), {}, {"shm": "no shm", "zeromq": "no zmq"})
    elsewhere = {"numpy": lacking}
    plan = plan_cases(Settings(("numpy",), ("zeromq", "in-process")), elsewhere)
    assert plan.not_run == snapshot
    assert [combination.mware for case in plan.cases for combination in case.combinations] == [
        "in-process"
    ]
