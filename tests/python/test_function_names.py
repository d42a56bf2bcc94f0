# SPDX-License-Identifier: Apache-2.0
"""Names of functions are short where that leaves them distinct, and others stay as they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecost.system.function_names import own_functions, short_names

TREE = (
    "std::_Rb_tree<std::pair<int, int>, std::pair<std::pair<int, int> const, "
    "std::vector<Point, std::allocator<Point> > > >::_M_erase"
)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        (TREE, "std::_Rb_tree::_M_erase"),
        ("cluster(std::vector<Point, std::allocator<Point> >)", "cluster"),
        ("ns::Planner<3>::plan(int) const", "ns::Planner::plan"),
        ("bool operator< <int>(A<int> const&)", "bool operator< <int>"),
        ("std::operator<< <char>(std::ostream&)", "std::operator<< <char>"),
        ("A::operator()(int) const", "A::operator()"),
        ("std::to_string[abi:cxx11](int)", "std::to_string"),
        ("f(int) [clone .isra.0]", "f"),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
        ("main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"),
        ("a < b", "a < b"),
        ("count (old)", "count (old)"),
        ("/relay /in in_cb", "/relay /in in_cb"),
        ("free cells", "free cells"),
        ("session 0→1", "session 0→1"),
        ("broken<", "broken<"),
    ],
)
def test_template_arguments_and_parameters_are_dropped(name: str, short: str) -> None:
    assert short_names([name]) == {name: short}


def test_names_stay_distinct() -> None:
    names = ["f(int)", "f(long)", "g<1>(int)", "g<2>(int)", "h<int>()"]
    found = short_names(names)
    assert found == {
        "f(int)": "f(int)", "f(long)": "f(long)", "g<1>(int)": "g<1>", "g<2>(int)": "g<2>",
        "h<int>()": "h",
    }  # fmt: skip


@given(st.lists(st.text("ab<>():, ", max_size=12), max_size=6))
def test_whatever_names_there_are_none_is_lost(names: list[str]) -> None:
    found = short_names(names)
    assert found.keys() == set(names)
    assert len(set(found.values())) == len(found)


@pytest.mark.parametrize(
    "name", ["f(int)" + "&" * 900 + "x", "f(int)" + " const" * 150 + "x", "a<" * 499, "a<" * 5000]
)
def test_names_of_a_hostile_log_take_no_time(name: str) -> None:
    assert list(short_names([name])) == [name]


@pytest.mark.parametrize(
    ("command", "pattern"),
    [
        ("python3 -u src/planner.py --fast", "planner:*"),
        ("./planner.py", "planner:*"),
        ("python -m robot.planner", "__main__:*"),
        ("./node -m x", "NAME"),
    ],
)
def test_functions_of_a_command_s_own_file(command: str, pattern: str) -> None:
    assert own_functions(command.split()) == pattern
