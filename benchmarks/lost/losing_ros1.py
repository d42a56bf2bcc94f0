# SPDX-License-Identifier: Apache-2.0
"""A talker or a listener of rospy; ``losing_ros1.cpp`` is the same of roscpp.

``losing_ros1.py talk|listen NAME COUNT QUEUE CALLBACK_MS PADDING``: on topic NAME. The talker
prints ``ready`` when the listener is there, waits for a line, publishes 50 messages a second, and
prints ``done``; the listener prints the number of each message. PADDING: bytes of each; negative:
of every third alone.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from typing import Any

rospy: Any = importlib.import_module("rospy")
Header: Any = importlib.import_module("std_msgs.msg").Header
role, name = sys.argv[1:3]
count, queue, callback_ms, padding = map(int, sys.argv[3:])
rospy.init_node(f"{name}_{role}er", disable_signals=True)
if role == "talk":
    publisher = rospy.Publisher(f"/{name}", Header, queue_size=queue)
    while not publisher.get_num_connections():
        time.sleep(0.05)
    print("ready", flush=True)
    sys.stdin.readline()
    text = os.urandom(abs(padding) // 2).hex()  # a recorder cannot make it small
    for number in range(count):
        is_padded = padding > 0 or number % 3 == 0
        publisher.publish(Header(frame_id=f"{number:6} " + text * is_padded))
        time.sleep(0.02)
    print("done", flush=True)
    sys.stdin.readline()
else:

    def take(message: Any) -> None:
        print(int(message.frame_id[:6]), flush=True)
        time.sleep(callback_ms / 1000)

    rospy.Subscriber(f"/{name}", Header, take, queue_size=queue)
    rospy.spin()
