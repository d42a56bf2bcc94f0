# SPDX-License-Identifier: Apache-2.0
"""A node that takes what it publishes without a callback or an executor, as a program in C does.

python polling.py MESSAGES
"""

import sys
import time

import rclpy
from rclpy.node import Node
from std_msgs.msg import String

rclpy.init()
node = Node("poller")
subscription = node.create_subscription(String, "chatter", lambda _: None, 10)
publisher = node.create_publisher(String, "chatter", 10)
for number in range(int(sys.argv[1])):
    publisher.publish(String(data=str(number)))
    while subscription.handle.take_message(String, False) is None:
        time.sleep(0.001)
print("taken", number + 1)
