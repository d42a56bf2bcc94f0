# SPDX-License-Identifier: Apache-2.0
"""Prices of rospy are learnt from Debian's own types, serialized as its nodes do."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.measure.cost.ros_python import codec, codec_times


@pytest.mark.skipif(find_spec("rospy") is None, reason="needs rospy of Debian")
def test_types_of_debian_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "TYPES", {"std_msgs": "String Header", "nowhere_msgs": "Nothing"})
    seen = codec.observed("ros1", Ros2Installation(None))
    assert {one.type for one in seen} == {"std_msgs.String", "std_msgs.Header"}
    for one in seen:
        assert one.parts.messages == 1
        assert all(len(one.ns[stage]) == codec_times.REPETITIONS for stage in ("encode", "decode"))
        assert all(ns > 0 for times in one.ns.values() for ns in times)
