# SPDX-License-Identifier: Apache-2.0
"""The tasks of a campaign: which, in which order, under which names."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.measure.campaign.definition import read
from wirecost.measure.campaign.tasks import Task, tasks
from wirecost.system.errors import UserError

BENCH = """
[[bench]]
scenario = "osi"
arguments = ["x.osi"]
[bench.options]
quick = true
slow = false
contenders = ["a", "b"]
[bench.matrix]
reflections = [10, 20]
fmi = [2, 3]
[[bench.exclude]]
reflections = 20
fmi = 3
[[bench.include]]
rate = 1.5
"""


def made(folder: Path, text: str, **refused: str) -> list[Task]:
    path = folder / "campaign.toml"
    path.write_text(text)
    return tasks(read(path), lambda scenario, _: refused.get(scenario))


def test_each_combination_is_a_task(tmp_path: Path) -> None:
    planned = made(tmp_path, f'name = "a"{BENCH}')
    assert {task.arguments[4:] for task in planned} == {
        ("--reflections", "10", "--fmi", "2"),
        ("--reflections", "10", "--fmi", "3"),
        ("--reflections", "20", "--fmi", "2"),
        ("--rate", "1.5"),
    }
    assert {task.arguments[:4] for task in planned} == {("x.osi", "--quick", "--contenders", "a,b")}


def test_the_order_comes_from_the_seed_and_repetitions_follow_each_other(tmp_path: Path) -> None:
    first = made(tmp_path, f'name = "a"\nrepetitions = 3{BENCH}')
    assert [task.repetition for task in first] == [0] * 4 + [1] * 4 + [2] * 4
    again = f'name = "a"\nrepetitions = 3{BENCH}'
    assert made(tmp_path, again) == first
    more = made(tmp_path, f'name = "a"\nrepetitions = 4{BENCH}')
    assert more[:12] == first
    orders = {
        tuple(task.arguments for task in made(tmp_path, f'name = "a"\nseed = {seed}{BENCH}'))
        for seed in range(8)
    }
    assert len(orders) > 1


def test_a_name_says_what_a_task_does(tmp_path: Path) -> None:
    keys = [task.key for task in made(tmp_path, f'name = "a"\nrepetitions = 2{BENCH}')]
    assert len(set(keys)) == len(keys) == 8
    other = [task.key for task in made(tmp_path, f'name = "b"\nrepetitions = 2{BENCH}')]
    assert not set(keys) & set(other)
    slower = [task.key for task in made(tmp_path, f'name = "a"{BENCH}expected = 1\n'.replace(
        "expected = 1\n", ""))]  # fmt: skip
    assert set(slower) < set(keys)


def test_each_machine_has_its_own(tmp_path: Path) -> None:
    planned = made(tmp_path, 'name="a"\n[[bench]]\nscenario="osi"\nmachines=["x","y"]\n')
    assert sorted(task.machine for task in planned) == ["x", "y"]


@pytest.mark.parametrize(
    ("text", "refused", "why"),
    [
        (f'name = "a"{BENCH}', {"osi": "--fmi 3: give 2"}, ":11: fmi: --fmi 3: give 2"),
        (f'name = "a"{BENCH}', {"osi": "no such"}, ":3: scenario: no such"),
        ('name="a"\n[[bench]]\nscenario="osi"\n[[bench]]\nscenario="osi"\n', {}, "is there twice"),
        (
            'name="a"\nrepetitions=10000\n[[bench]]\nscenario="osi"\n[bench.matrix]\n'
            "x=[1,2,3,4,5,6,7,8,9,10,11]\n",
            {},
            ":5: bench.matrix: gives more than 100,000 tasks",
        ),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_starts(
    tmp_path: Path, text: str, refused: dict[str, str], why: str
) -> None:
    with pytest.raises(UserError, match=why):
        made(tmp_path, text, **refused)
