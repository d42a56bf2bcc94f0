# SPDX-License-Identifier: Apache-2.0
"""Costs of decoding tensor frames: good, hostile, and some hundred changed ones per framework.

``python -m attack --only 'tensor-*' --count 100000`` takes hours for more."""

from __future__ import annotations

from pathlib import Path

import pytest

from attack.crew import attack_on
from attack.meter import Cost, Limit, Meter
from attack.outcome import Budget
from attack.tensor.corpus import frames, frameworks
from attack.tensor.cost import corpus, target
from attack.tensor.frames import parts_of
from attack.tensor.mutate import mutated_frame
from wirecost.messaging.tensor import decode

COUNT = 100
"""Changed frames of each framework."""


def test_frames_cost_no_more_than_their_size_allows(tmp_path: Path) -> None:
    names = frameworks()
    count = len(corpus(names)) + COUNT * len(names)
    outcome = attack_on(target(*names))(Budget(count), tmp_path)
    assert outcome.faults == [], f"the frames are in {tmp_path}"
    assert outcome.inputs == count
    assert outcome.accepted > count / 20


def test_a_frame_is_put_together_as_it_was() -> None:
    for framework in frameworks():
        for frame in frames(framework):
            whole = parts_of(frame).frame()
            assert len(whole) == len(frame)
            decode(whole)


def test_an_input_is_known_by_its_number() -> None:
    known = [frame for name in frameworks() for frame in frames(name)]
    one = target("values")
    made = [one.input(known, 7, number) for number in range(len(known), len(known) + 50)]
    again = [one.input(known, 7, number) for number in range(len(known), len(known) + 50)]
    assert made == again
    assert len(set(made)) > 25
    assert one.mutate is mutated_frame


def test_the_meter_sees_memory_of_python_and_of_others_and_cpu_time() -> None:
    np = pytest.importorskip("numpy")
    meter, size = Meter(), 64 << 20
    for make in (lambda: np.ones(size, "u1"), lambda: b"x" * size, lambda: [None] * (size // 8)):
        cost, raised = meter.measured(make)
        assert raised is None
        assert 0.9 * size < cost.nbytes < 1.5 * size
    cost, raised = meter.measured(lambda: sum(range(1_000_000)) / 0)
    assert isinstance(raised, ZeroDivisionError)
    assert cost.nanoseconds > 1_000_000
    assert cost.nbytes < size


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Cost(1080, 1010), ""),
        (Cost(1081, 0), "takes 1,081 bytes for 10, may take 1,080"),
        (Cost(0, 1011), "takes 1,011 ns for 10 bytes, may take 1,010"),
    ],
)
def test_a_limit_grows_with_the_size(cost: Cost, words: str) -> None:
    assert Limit(8, 1000, 1, 1000).excess(cost, 10) == words
