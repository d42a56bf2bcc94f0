# SPDX-License-Identifier: Apache-2.0
"""Messages that a listener did not get are counted by the numbers of those that came."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from random import Random

import pytest

from wirecost import _dds
from wirecost.measure.cost.live.listening import SequenceGaps
from wirecost.replay.dds import qos
from wirecost.system.free_domain import FreeDomain
from wirecost.system.waiting import wait_until

MORE = 400
READER = """
import sys
from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.replay.dds import qos
participant = _dds.Participant(int(sys.argv[1]), "reader", b"", ["127.0.0.1"])
queue = Queue(1 << 30)
reader = _dds.Reader(participant, "t", "T", qos.any_of_class(False, False), b"", queue, 0)
print("ready", flush=True)
count = before = 0
while (taken := queue.take(1000, 1.0)) or not count:
    count += len(taken)
    before += sum(missed for *_, missed, _ in taken)
    if count == 1:
        print("first", flush=True)
print(count, reader.missed(), before)
"""


def test_a_reader_that_stood_still_knows_how_many_messages_it_missed() -> None:
    with FreeDomain() as domain:
        participant = _dds.Participant(domain.number, "writer", b"", ["127.0.0.1"])
        writer = _dds.Writer(participant, "t", "T", qos.any_of_class(False, False), b"")
        words = [sys.executable, "-c", READER, str(domain.number)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdout is not None and reader.stdout.readline() == "ready\n"
            assert wait_until(lambda: writer.readers() and not writer.unconfirmed(), 10.0, 0.01)
            message = bytes(60_000)
            writer.send(message)
            assert reader.stdout.readline() == "first\n"
            os.kill(reader.pid, signal.SIGSTOP)
            for _ in range(MORE):
                writer.send(message)
            os.kill(reader.pid, signal.SIGCONT)
            assert wait_until(lambda: writer.readers() == 1, 5.0, 0.01)
            for _ in range(3):
                writer.send(bytes(8))
            came, missed, before = map(int, reader.stdout.readline().split())
        writer.close()
        participant.close()
    assert before == missed > 0 and came + missed == 1 + MORE + 3


@pytest.mark.parametrize("publishers", [1, 3])
def test_numbers_of_several_publishers_have_no_gap_but_those_that_there_are(
    publishers: int,
) -> None:
    random = Random(publishers)
    gaps, last = SequenceGaps(), [1 + 40 * which for which in range(publishers)]
    for number in last:
        assert gaps.missed(number, publishers) == 0
    lost = counted = 0
    for step in range(300):
        which = random.randrange(publishers)
        skipped = 2 if step % 60 == 59 else 0
        last[which] += 1 + skipped
        lost += skipped
        counted += gaps.missed(last[which], publishers)
    assert counted == lost == 10


def test_a_publisher_that_begins_again_has_missed_nothing() -> None:
    gaps = SequenceGaps()
    assert [gaps.missed(number, 1) for number in (70, 71, 1, 2, 4)] == [0, 0, 0, 0, 1]
