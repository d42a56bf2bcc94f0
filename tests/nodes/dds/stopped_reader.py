# SPDX-License-Identifier: Apache-2.0
"""Two programs of plain Cyclone DDS: a best-effort reader that stands still, and a fast writer.

``python stopped_reader.py write|read``: the reader prints its process, then each number.
"""

# The package reads these annotations when a class is made: no `from __future__ import annotations`.

import os
import sys
import time
from dataclasses import dataclass

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, uint8, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic


@dataclass
@final
class Frame(IdlStruct, typename="plant::Frame"):
    number: uint32
    pixels: array[uint8, 4000]


participant = DomainParticipant(0)
topic = Topic(participant, "Camera", Frame)
qos = Qos(Policy.Reliability.BestEffort, Policy.History.KeepLast(1000))
if sys.argv[1] == "read":
    reader = DataReader(participant, topic, qos=qos)
    print(os.getpid(), flush=True)
    while True:
        for frame in reader.take(1000):
            print(frame.number, flush=True)
        time.sleep(0.01)
writer = DataWriter(participant, topic, qos=qos)
for number in range(100_000):
    writer.write(Frame(number, [0] * 4000))
    time.sleep(0.01)
