# SPDX-License-Identifier: Apache-2.0
"""Publishes scans as /points, as ROS 2 does, until Ctrl-C.

They go into the DDS domain of ROS_DOMAIN_ID on this machine.
"""

import os
import time

import scans

from wirecost._dds import Participant, Qos, Writer
from wirecost.data.messages.cdr_values import Writer as Cdr
from wirecost.replay.dds import names
from wirecost.replay.dds.domain import LOOPBACK

POINT_CLOUD = "sensor_msgs/msg/PointCloud2"
TYPE_HASH = "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"


def cloud(points: bytes) -> bytes:
    """Return a message with the time of day, in CDR."""
    message = Cdr()
    now = time.time_ns()
    message.scalar("i", now // 10**9)
    message.scalar("I", now % 10**9)
    message.string(scans.FRAME)
    for number in (1, len(points) // scans.STEP, len(scans.FIELDS)):
        message.scalar("I", number)
    for name, offset, kind in scans.FIELDS:
        message.string(name)
        message.scalar("I", offset)
        message.scalar("B", kind)
        message.scalar("I", 1)
    message.scalar("B", 0)
    for number in (scans.STEP, len(points), len(points)):
        message.scalar("I", number)
    message.octets(points)
    message.scalar("B", 1)
    return message.message()


def main() -> None:
    options = scans.options(__doc__)
    messages = scans.turns(options.scan)
    domain = int(os.environ.get("ROS_DOMAIN_ID", "0"))
    participant = Participant(domain, "scans", b"enclave=/;", [LOOPBACK])
    writer = Writer(
        participant,
        names.topic_to_dds("/points"),
        names.type_to_dds(POINT_CLOUD),
        Qos(reliable=True, transient_local=False, depth=10),
        names.user_data(TYPE_HASH),
    )
    try:
        for points in scans.at_rate(messages, options.rate):
            writer.send(cloud(points))
    except KeyboardInterrupt:
        writer.close()


if __name__ == "__main__":
    main()
