# SPDX-License-Identifier: Apache-2.0
"""Names of sections as ROS engineers write them."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.ros_names import place_of, places_of, short_symbol, shown_names

STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
IMAGE = "sensor_msgs::msg::Image_<std::allocator<void> >"


@pytest.mark.parametrize(
    ("section", "name", "symbol"),
    [
        (
            f"/filter /points Filter::Filter({STRING})::{{lambda(std::unique_ptr<{IMAGE}>)#2}}",
            "/filter · /points · subscription",
            "Filter::{lambda#2}",
        ),
        ("/ns/talker timer 1.5 ms example::Timer", "/ns/talker · 1.5 ms · timer", "example::Timer"),
        ("/a service /add add(int, int)", "/a · /add · service", "add"),
        ("/a client /add done", "/a · /add · client", "done"),
        ("/a action /go run", "/a · /go · action", "run"),
        ("/a guard condition pkg.Node.wake", "/a · guard condition", "pkg.Node.wake"),
        ("/a publish /points", "/a · /points · publish", ""),
        ("/a /points publish→take", "/a · /points · publish→take", ""),
        ("/a /points take→callback", "/a · /points · take→callback", ""),
        ("/a /points queue wait", "/a · /points · queue wait", ""),
        ("/a executor idle", "/a · executor idle", ""),
        ("? publish ?", "? · ? · publish", ""),
    ],
)
def test_a_section_has_its_place(section: str, name: str, symbol: str) -> None:
    place = place_of(section)
    assert place is not None
    assert (place.name, place.symbol) == (name, symbol)


@pytest.mark.parametrize("section", ["filter", "grab 0→1", "a publish", "callback 0x12", ""])
def test_sections_of_a_program_are_no_nodes(section: str) -> None:
    assert place_of(section) is None
    assert shown_names([section]) == {section: section}


@pytest.mark.parametrize(
    ("symbol", "short"),
    [
        (
            "std::_Bind<void (rclcpp::TimeSource::*(rclcpp::TimeSource*, std::_Placeholder<1>))"
            f"(std::shared_ptr<{IMAGE}>)>",
            "rclcpp::TimeSource::*(std::shared_ptr)",
        ),
        ("std::_Bind<void (Talker::*(Talker*))()>", "Talker::*()"),
        ("std::_Bind<int (Talker::*(Talker*))() const>", "Talker::*()"),
        ("std::_Bind<void (pkg::Node<int>::*(pkg::Node<int>*))()>", "pkg::Node::*()"),
        (
            f"Node::Node({STRING})::{{lambda(std::unique_ptr<{IMAGE}, std::def",
            "Node::{lambda",
        ),
        (f"Node::Node({STRING})::{{lambda(std::uni", "Node::{lambda"),
        ("Node::Node()::{lambda()#1}", "Node::{lambda#1}"),
        ("operator<", "operator<"),
    ],
)
def test_symbols_are_short(symbol: str, short: str) -> None:
    assert short_symbol(symbol) == short


def test_two_callbacks_of_one_topic_differ_by_their_symbols(snapshot: SnapshotAssertion) -> None:
    sections = ["/a /b First::take()", "/a /b Second::take()", "/a /c First::take()"]
    places = places_of(sections).values()
    assert [place.name for place in places] == snapshot
    assert all(place.is_callback for place in places)
