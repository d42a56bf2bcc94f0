# SPDX-License-Identifier: Apache-2.0
"""A real recorder that is stopped, and a publisher with a short queue: counts are exact."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from rosbags.rosbag1 import Reader
from rosbags.typesys import Stores, get_typestore

from support.ros1_system import DEBIAN_MODULES, MISSING, ros1_system, until
from wirecost.data.recordings.series import read_series
from wirecost.measure.lost.recording import lost_messages
from wirecost.results.records.lost import LOST, UNKNOWN, UNPUBLISHED

pytestmark = pytest.mark.skipif(MISSING, reason="needs roscore, rospy and topic-tools of Debian")
PUBLISHER = """
import rospy, time
from sensor_msgs.msg import Image
rospy.init_node("camera")
images = rospy.Publisher("/image", Image, queue_size=1)
while images.get_num_connections() == 0:
    time.sleep(0.05)
image = Image(data=bytes(900_000))
begun = time.monotonic()
while time.monotonic() < begun + 6:
    if not 3.5 < time.monotonic() - begun < 4.5:
        image.header.stamp = rospy.Time.now()
        images.publish(image)
    time.sleep(0.03)
rospy.set_param("/done", True)
rospy.spin()
"""


def test_a_stopped_recorder_and_a_pause(tmp_path: Path) -> None:
    bag, record = tmp_path / "drive.bag", "/usr/lib/rosbag/record"
    with ros1_system(tmp_path) as system:
        recorder = system.start(record, "-O", bag, "/image")
        system.start(sys.executable, "-c", PUBLISHER, PYTHONPATH=DEBIAN_MODULES)
        active = bag.with_suffix(".bag.active")
        until(lambda: active.exists() and active.stat().st_size > 10_000_000)
        os.kill(recorder.pid, signal.SIGSTOP)
        try:
            signal.sigtimedwait([], 1.5)
        finally:
            os.kill(recorder.pid, signal.SIGCONT)
        until(lambda: system.master.hasParam("/test", "/done")[2])
    store = get_typestore(Stores.ROS1_NOETIC)
    with Reader(bag) as reader:
        numbers = [
            store.deserialize_ros1(data, connection.msgtype).header.seq  # type: ignore[attr-defined]
            for connection, _, data in reader.messages()
        ]
    lost = lost_messages([str(bag)], read_series([bag], [], lambda *_: None))
    (image,) = lost.topics
    count = max(numbers) - min(numbers) + 1 - len(numbers)
    assert count > 5
    assert (image.missing(LOST), image.missing(UNKNOWN), image.numbered) == (count, 0, "header.seq")
    pause = max(gap.duration_s for gap in image.gaps if gap.verdict == UNPUBLISHED)
    assert 0.8 < pause < 2
