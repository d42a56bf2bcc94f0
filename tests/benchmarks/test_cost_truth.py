# SPDX-License-Identifier: Apache-2.0
"""The robot of the study is priced as a whole, and what the page counts is within its goals."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from wirecost.measure.cost.prices import shipped_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.system_cost import system_cost
from wirecost_scenarios.cost_truth.page import SHARES_WITHIN, is_within
from wirecost_scenarios.cost_truth.robot import nodes_of, packed, robot_survey, topics_of
from wirecost_scenarios.cost_truth.truth import MOST, Truth, promised_of


@pytest.mark.parametrize("wire", ["cdr", "ros1"])
def test_every_node_and_every_applied_remedy_has_a_promise(wire: str) -> None:
    if wire == "ros1" and find_spec("rospy") is None:
        pytest.skip("needs rospy of Debian")
    topics = topics_of(wire)
    messages = {topic.name: topic.messages(wire) for topic in topics}
    read = robot_survey(messages, wire)
    cost = system_cost(["robot"], read, Pricing(shipped_prices(), "python"), {})
    assert len(cost.topics) == len(topics) >= 11
    assert all(promised_of(cost, node) > 0 for node in nodes_of(topics))
    kinds = [one.kind for one in cost.remedies]
    assert all(kinds.count(kind) >= most for kind, most in MOST.items())
    for topic, clouds in packed(read).items():
        assert sum(map(len, clouds)) < 0.7 * sum(map(len, messages[topic]))


def test_a_promise_within_the_goal_or_the_noise_counts() -> None:
    for promised, noise, is_met in ((1.2, 0.0, True), (1.3, 0.0, False), (1.3, 0.4, True)):
        assert is_within(Truth("", "", promised, 1.0, noise), SHARES_WITHIN) == is_met
