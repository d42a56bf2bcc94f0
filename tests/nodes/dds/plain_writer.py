# SPDX-License-Identifier: Apache-2.0
"""A program of DDS without ROS: a reliable writer and a reader of a topic, ten messages a second.

``ROS_DOMAIN_ID=… python plain_writer.py``
"""

# The package reads these annotations when a class is made: no `from __future__ import annotations`.

import os
import time
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import float64
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration


@dataclass
@final
class Level(IdlStruct, typename="plant::Level"):
    metres: float64


participant = DomainParticipant(int(os.environ["ROS_DOMAIN_ID"]))
topic = Topic(participant, "Tank/level", Level)
qos = Qos(Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(1))
reader, writer = DataReader(participant, topic, qos=qos), DataWriter(participant, topic, qos=qos)
while True:
    writer.write(Level(1.5))
    time.sleep(0.1)
