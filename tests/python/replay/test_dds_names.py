# SPDX-License-Identifier: Apache-2.0
"""ROS 2's names in DDS, there and back."""

from __future__ import annotations

import pytest

from wirecost.replay.dds import names

HASH = "RIHS01_" + "9198cabf" * 8


@pytest.mark.parametrize(
    ("ros", "dds"), [("/points", "rt/points"), ("/a/b", "rt/a/b"), ("native", "native")]
)
def test_topics(ros: str, dds: str) -> None:
    assert names.topic_to_dds(ros) == dds
    assert names.topic_from_dds(dds) == ros


@pytest.mark.parametrize("dds", ["rq/resetRequest", "rr/resetReply", "ros_discovery_info"])
def test_what_is_no_topic_to_users(dds: str) -> None:
    assert names.topic_from_dds(dds) is None


@pytest.mark.parametrize(
    ("ros", "dds"),
    [
        ("sensor_msgs/msg/PointCloud2", "sensor_msgs::msg::dds_::PointCloud2_"),
        ("std_srvs/srv/Trigger_Request", "std_srvs::srv::dds_::Trigger_Request_"),
        ("Plain", "Plain"),
        ("space::Plain", "space::Plain"),
    ],
)
def test_types(ros: str, dds: str) -> None:
    assert names.type_to_dds(ros) == dds
    assert names.type_from_dds(dds) == ros


def test_services() -> None:
    dds = names.service_to_dds("/arm/reset", "std_srvs/srv/Trigger")
    assert dds == names.ServiceNames(
        "rq/arm/resetRequest",
        "std_srvs::srv::dds_::Trigger_Request_",
        "rr/arm/resetReply",
        "std_srvs::srv::dds_::Trigger_Response_",
    )
    service = names.service_of_request(dds.request_topic, dds.request_type)
    assert service == ("/arm/reset", "std_srvs/srv/Trigger")
    assert names.service_of_reply(dds.reply_topic) == "/arm/reset"
    assert names.service_of_request("rt/arm/resetRequest", dds.request_type) is None
    assert names.service_of_reply("rt/arm/resetReply") is None


def test_type_hashes() -> None:
    assert names.type_hash(names.user_data(HASH)) == HASH
    assert names.type_hash(f"serviceid=1;typehash={HASH};".encode()) == HASH
    assert not names.type_hash(b"typehash=RIHS01_short;")
    assert not names.type_hash(b"nottypehash=" + HASH.encode() + b";")
    assert names.user_data("d41d8cd98f00b204e9800998ecf8427e") == b""
