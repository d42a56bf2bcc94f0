# SPDX-License-Identifier: Apache-2.0
"""ROS 1 nodes that the end-to-end tests record, and what they need: which one, by argument."""

from __future__ import annotations

import queue
import sys
import time

import rospy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import Header, String
from std_srvs.srv import SetBool, SetBoolResponse, Trigger, TriggerResponse


def source() -> None:
    """Publish a latched map, 50 stamped messages a second, and call a service now and then."""
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
    from wirecost.observe.probe import Section

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


def simulation() -> None:
    """Publish a clock that goes on by 20 ms a step, with 50 and 10 messages a second."""
    rospy.init_node("simulation", disable_rostime=True)
    clock = rospy.Publisher("/clock", Clock, queue_size=100)
    quick = rospy.Publisher("/quick", Header, queue_size=100)
    slow = rospy.Publisher("/slow", Header, queue_size=100)
    step = 0
    while not rospy.is_shutdown():
        step += 1
        now = rospy.Time(1000, 0) + rospy.Duration(nsecs=step * 20_000_000)
        clock.publish(Clock(now))
        quick.publish(Header(stamp=now, frame_id=str(step)))
        if step % 5 == 0:
            slow.publish(Header(stamp=now, frame_id=str(step)))
        time.sleep(0.02)


def counter() -> None:
    """Serve replies of how often the same value was asked with."""
    rospy.init_node("counter")
    count_of = {True: 0, False: 0}

    def answer(request: SetBool) -> SetBoolResponse:
        count_of[request.data] += 1
        return SetBoolResponse(True, str(count_of[request.data]))

    rospy.Service("/how_often", SetBool, answer)
    rospy.spin()


def asker() -> None:
    """Asks for each message and publishes the answer; ``otherwise``: at times something else."""
    rospy.init_node("asker")
    otherwise = "otherwise" in sys.argv
    ask = rospy.ServiceProxy("/how_often", SetBool)
    output = rospy.Publisher("/asked", Header, queue_size=100)

    def received(message: Header) -> None:
        question = not (otherwise and int(message.frame_id) % 25 == 0)
        try:
            answer = ask(question).message
        except rospy.ServiceException:
            answer = "none"
        output.publish(Header(stamp=message.stamp, frame_id=f"{message.frame_id} {answer}"))

    rospy.Subscriber("/slow", Header, received, queue_size=100)
    rospy.spin()


if __name__ == "__main__":
    roles = (source, doubler, simulation, counter, asker)
    {role.__name__: role for role in roles}[sys.argv[1]]()
