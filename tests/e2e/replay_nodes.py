# SPDX-License-Identifier: Apache-2.0
"""ROS 1 nodes that the end-to-end test records: ``source`` or ``doubler``, by argument."""

from __future__ import annotations

import queue
import sys

import rospy
from std_msgs.msg import Header, String
from std_srvs.srv import Trigger, TriggerResponse


def source() -> None:
    """A latched map, 50 stamped messages a second, and a call now and then."""
    rospy.init_node("source")
    scenery = rospy.Publisher("/map", String, queue_size=1, latch=True)
    scenery.publish("3")
    messages = rospy.Publisher("/in", Header, queue_size=100)
    ask = rospy.ServiceProxy("/count", Trigger)
    rate = rospy.Rate(50)
    number = 0
    while not rospy.is_shutdown():
        messages.publish(Header(stamp=rospy.Time.now(), frame_id=str(number)))
        number += 1
        if number % 25 == 0:
            try:
                ask()
            except rospy.ServiceException as error:
                print(error)
        rate.sleep()


def doubler() -> None:
    """Answers each message by its number times the map's, in a section; counts in a service."""
    from wirecost.probe import Section

    rospy.init_node("doubler")
    maps = queue.Queue()
    rospy.Subscriber("/map", String, maps.put)
    factor = int(maps.get().data) * rospy.get_param("~gain")
    output = rospy.Publisher("/doubled", Header, queue_size=100)
    received = []

    @Section("double")
    def double(message: Header) -> None:
        received.append(message)
        answer = Header(stamp=message.stamp, frame_id=str(int(message.frame_id) * factor))
        output.publish(answer)

    rospy.Service("/count", Trigger, lambda _: TriggerResponse(True, str(len(received))))
    rospy.Subscriber("/in", Header, double, queue_size=100)
    rospy.spin()


if __name__ == "__main__":
    {"source": source, "doubler": doubler}[sys.argv[1]]()
