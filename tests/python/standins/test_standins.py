# SPDX-License-Identifier: Apache-2.0
"""What stand-ins pay is the kernel's account, and each latency that of its own message."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from wirecost.measure.standins.account import ProcessAccount
from wirecost.measure.standins.description import ClientLibrary, StandIn
from wirecost.measure.standins.processes import StandInProcesses, latencies_ns
from wirecost.measure.standins.programs import SCRIPT
from wirecost.system import scratch
from wirecost.system.errors import UserError

SENT = np.array([[number, 0, 1000 * number, 1000 * number + 400] for number in range(4)])


def test_a_message_without_a_number_is_known_by_when_the_middleware_took_it() -> None:
    # The second one was lost.
    received = np.array([[-1, 900, 100], [-1, 2700, 2300], [-1, 3500, 3350]])
    assert latencies_ns(SENT, received).tolist() == [900, 700, 500]


def test_without_that_time_all_must_have_come() -> None:
    received = np.array([[-1, 1000 * number + 600, 0] for number in range(4)])
    assert latencies_ns(SENT, received).tolist() == [600] * 4
    assert not len(latencies_ns(SENT, received[1:]))


def test_numbers_count_where_messages_have_them() -> None:
    received = np.array([[3, 3900, 0], [1, 1500, 0], [7, 9000, 0]])
    assert latencies_ns(SENT, received).tolist() == [900, 500]


def test_what_a_process_takes_without_messages_is_not_the_topics() -> None:
    assert ProcessAccount(10, 5000.0, 1000.0).message_ns == 400
    assert np.isnan(ProcessAccount(0, 5000.0, 1000.0).message_ns)


def test_processes_serve_one_topic_after_another() -> None:
    library = ClientLibrary("dds")
    with scratch.run(), StandInProcesses(library, 2) as processes:
        for size, rate in ((1000, 200.0), (200_000, 20.0)):
            processes.open(StandIn(library, "", [bytes(size), bytes(3 * size)], rate, 2))
            account = processes.turn(0.3)
            assert account.publisher.messages == 0.3 * rate
            assert account.bytes_per_s == pytest.approx(2 * size * rate)
            assert account.received == 1
            assert len(account.latencies_ns) == 2 * account.publisher.messages
            assert (account.latencies_ns > 0).all()
            assert account.publisher.paid_ns > 0
            assert all(end.paid_ns > 0 for end in account.subscribers)


@pytest.mark.skipif(find_spec("rospy") is None, reason="needs rospy of Debian")
def test_rospy_publishes_and_takes_objects() -> None:
    library, text = ClientLibrary("rospy"), b"state"
    with scratch.run(), StandInProcesses(library, 2) as processes:
        messages = [len(text).to_bytes(4, "little") + text]
        processes.open(StandIn(library, "std_msgs/String", messages, 100.0, 2))
        account = processes.turn(0.3)
    assert account.publisher.messages == 30
    assert account.received == 1
    assert account.publisher.paid_ns > 0 and all(end.paid_ns > 0 for end in account.subscribers)


KEEPING = """
import resource, sys
sys.path.insert(0, sys.argv[1])
import python_end

SIZE = 2 << 20

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        message = [bytearray(SIZE) for _ in range(3)]  # of the middleware, in C, in Python
        del message
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) // 5

faults()
print(faults())
python_end.warm_heap(SIZE)
faults()
print(faults())
"""


def test_a_stand_in_keeps_the_memory_of_messages_as_a_node_does() -> None:
    words = [sys.executable, "-c", KEEPING, str(SCRIPT.parent)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert before > 400  # pages of a message at least
    assert after < 20


def test_a_client_library_that_is_not_here_has_a_remedy() -> None:
    with pytest.raises(UserError, match="has no stand-in; rclpy, rospy, "):
        StandInProcesses(ClientLibrary("nothing"), 1)
