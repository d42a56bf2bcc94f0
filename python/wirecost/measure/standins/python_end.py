# SPDX-License-Identifier: Apache-2.0
"""One end of a topic: a client of ``bench.transport.protocol`` with real messages of a ROS.

``python python_end.py rclpy|rospy publisher|subscriber`` runs alone in the Python that has the
client library, which needs nothing of wirecost. ``open`` has more keys:
``type``, ``content`` (a file of messages, each behind its length in 8 bytes) and ``depth``; a
publisher's ``run`` with ``silent`` does everything but publish. A second ``open`` replaces the
first one's end. Rows of a subscriber are ``-1, received_ns, source_ns``: when the middleware took
the message from its publisher, 0 where it does not say.

A publisher publishes message objects as nodes of its library do (by a timer of rclpy's executor,
in a loop that sleeps with rospy); a subscriber spins, and has a callback of a line. So a publisher
pays for serializing and sending, a subscriber for waking up, taking, deserializing and the
executor.
"""

from __future__ import annotations

import ctypes
import importlib
import itertools
import json
import os
import struct
import sys
import threading
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

PRIME_EVERY_S, PRIME_BYTES_PER_S = 0.02, 20e6
CLOSE_S = 2.0
"""Seconds to leave the graph in."""
WORKED_ON = 4
"""Times a message's bytes: an image of bytes as floats."""
LARGEST_KEPT = (32 << 20) - (64 << 10)
"""Bytes of the largest block by which glibc's thresholds grow."""
MISSING_STATUS = 3
_TIMERSLACK = 29


class Rclpy:
    """A node of rclpy."""

    def __init__(self) -> None:
        self._rclpy: Any = importlib.import_module("rclpy")
        self._rclpy.init()
        self._node: Any = self._rclpy.create_node(f"wirecost_stand_in_{os.getpid()}")

    def read(self, data: bytes, kind: Any) -> Any:
        """Return a message object."""
        return importlib.import_module("rclpy.serialization").deserialize_message(data, kind)

    def publisher(self, kind: Any, command: dict[str, Any]) -> Any:
        return self._node.create_publisher(kind, command["topic"], self._profile(command))

    def subscriber(self, kind: Any, command: dict[str, Any], take: Callable[[int], None]) -> Any:
        """``take`` gets when the middleware took a message from its publisher."""

        def taken(_message: Any, about: Any) -> None:
            take(about["source_timestamp"])

        return self._node.create_subscription(kind, command["topic"], taken, self._profile(command))

    @staticmethod
    def _profile(command: dict[str, Any]) -> Any:
        qos = importlib.import_module("rclpy.qos")
        reliability = "RELIABLE" if command["reliable"] else "BEST_EFFORT"
        return qos.QoSProfile(
            depth=command["depth"], reliability=getattr(qos.ReliabilityPolicy, reliability)
        )

    def repeat(self, period_s: float, start_ns: int, act: Callable[[], bool]) -> None:
        """Call until it returns False, by a timer: the executor warms what publishing needs."""
        sleep_until(start_ns)
        executor = importlib.import_module("rclpy.executors").SingleThreadedExecutor()
        executor.add_node(self._node)
        is_going = True

        def act_once() -> None:
            nonlocal is_going
            is_going = is_going and act()

        timer = self._node.create_timer(period_s, act_once)
        while is_going:
            executor.spin_once()
        self._node.destroy_timer(timer)
        executor.remove_node(self._node)
        executor.shutdown()

    def destroy(self, end: Any, role: str) -> None:
        name = "destroy_publisher" if role == "publisher" else "destroy_subscription"
        getattr(self._node, name)(end)

    def spin(self) -> None:
        self._rclpy.spin(self._node)

    def stop(self) -> None:
        """Let ``spin`` return."""
        self._rclpy.try_shutdown()

    def close(self) -> None:
        """Leave the graph."""
        self._node.destroy_node()
        self._rclpy.try_shutdown()


class Rospy:
    """A node of rospy, whose subscribers have threads of their own."""

    def __init__(self) -> None:
        self._rospy: Any = importlib.import_module("rospy")
        name = f"wirecost_stand_in_{os.getpid()}"
        self._rospy.init_node(name, argv=[], disable_signals=True)

    def read(self, data: bytes, kind: Any) -> Any:
        """Return a message object."""
        return kind().deserialize(data)

    def publisher(self, kind: Any, command: dict[str, Any]) -> Any:
        return self._rospy.Publisher(command["topic"], kind, queue_size=command["depth"])

    def subscriber(self, kind: Any, command: dict[str, Any], take: Callable[[int], None]) -> Any:
        """``take`` gets 0: rospy does not say when a message was published."""
        return self._rospy.Subscriber(command["topic"], kind, lambda _message: take(0))

    def repeat(self, period_s: float, start_ns: int, act: Callable[[], bool]) -> None:
        """Call until it returns False, as ``rospy.Timer`` and ``rospy.Rate`` do: they sleep."""
        for number in itertools.count():
            sleep_until(start_ns + int(number * period_s * 1e9))
            if not act():
                return

    def destroy(self, end: Any, role: str) -> None:
        del role
        end.unregister()

    def spin(self) -> None:
        self._rospy.spin()

    def stop(self) -> None:
        """Let ``spin`` return."""
        self._rospy.signal_shutdown("done")

    close = stop


CLIENTS: dict[str, Any] = {"rclpy": Rclpy, "rospy": Rospy}


class End:
    """A node with at most one publisher or subscription."""

    def __init__(self, client: Any, answers: Any) -> None:
        self.client = client
        self._answers = answers
        self._end: Any = None
        self._role = ""
        self._messages: list[Any] = []
        self._rows = array("q")
        self._is_primed = threading.Event()

    def do(self, command: dict[str, Any]) -> dict[str, Any] | None:
        """Carry out a command of the protocol."""
        name = command["do"]
        if name == "open":
            return self._open(command)
        if name == "prime":
            return self._prime(command)
        if name == "run":
            return self._send(command) if self._role == "publisher" else self._listen(command)
        return None

    def _open(self, command: dict[str, Any]) -> dict[str, Any]:
        kind = message_class(command["type"])
        if self._end is not None:
            self.client.destroy(self._end, self._role)
        self._is_primed.clear()
        warm_heap(command["size"])
        self._role = command["role"]
        if self._role == "publisher":
            self._messages = [self.client.read(data, kind) for data in content(command["content"])]
            self._end = self.client.publisher(kind, command)
        else:
            self._end = self.client.subscriber(kind, command, self._take)
        return {"done": "open"}

    def _take(self, source_ns: int) -> None:
        self._rows.extend((-1, time.monotonic_ns(), source_ns))
        self._is_primed.set()

    def _prime(self, command: dict[str, Any]) -> dict[str, Any]:
        if self._role != "publisher":
            return {"there": self._is_primed.wait(command["timeout"])}
        end = time.monotonic() + command["timeout"]
        number = 0
        pause_s = max(PRIME_EVERY_S, command["size"] / PRIME_BYTES_PER_S)
        while not self._answers.is_waiting() and time.monotonic() < end:
            self._end.publish(self._messages[number % len(self._messages)])
            number += 1
            time.sleep(pause_s)
        return {"there": self._answers.next()["do"] == "finish"}

    def _send(self, command: dict[str, Any]) -> dict[str, Any]:
        publish = (lambda _: None) if command.get("silent") else self._end.publish
        messages, rows = self._messages, array("q")
        count: int = round(command["seconds"] * command["rate"])
        self._answers.put({"ready": True})
        start_ns = self._answers.next()["start_ns"]
        end_ns = start_ns + (command["seconds"] + 0.5 / command["rate"]) * 1e9

        def send() -> bool:
            begin_ns = time.monotonic_ns()
            if begin_ns > end_ns:  # it cannot keep up
                return False
            number: int = len(rows) // 4
            publish(messages[number % len(messages)])
            rows.extend((number, begin_ns, begin_ns, time.monotonic_ns()))
            return number + 1 < count

        self.client.repeat(1 / command["rate"], start_ns, send)
        return written(rows, command["records"], 4)

    def _listen(self, command: dict[str, Any]) -> dict[str, Any]:
        del self._rows[:]
        offset_ns = time.time_ns() - time.monotonic_ns()
        self._answers.put({"ready": True})
        quiet_s = self._answers.next().get("quiet", 0.0)
        while self._rows and time.monotonic_ns() - self._rows[-2] < quiet_s * 1e9:
            time.sleep(quiet_s / 4)
        rows = self._rows[:]
        for place in range(2, len(rows), 3):
            rows[place] = rows[place] - offset_ns if rows[place] else 0
        return written(rows, command["records"], 3)


def sleep_until(then_ns: int) -> None:
    left_ns = then_ns - time.monotonic_ns()
    if left_ns > 0:
        time.sleep(left_ns / 1e9)


class Answers:
    """Commands from standard input, and answers on standard output, a line of JSON each."""

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb", buffering=0)
        self._out = os.dup(1)
        os.dup2(2, 1)
        self._rest = b""

    def next(self) -> dict[str, Any]:
        """Return the next command; ``close`` where nobody sends one any more."""
        while b"\n" not in self._rest:
            data = self._in.read(1 << 16)
            if not data:
                return {"do": "close"}
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        command: dict[str, Any] = json.loads(line)
        return command

    def is_waiting(self) -> bool:
        """Say whether a command has come."""
        select = importlib.import_module("select")
        return b"\n" in self._rest or bool(select.select([self._in], [], [], 0)[0])

    def put(self, answer: dict[str, Any]) -> None:
        os.write(self._out, json.dumps(answer).encode() + b"\n")


def warm_heap(size: int) -> None:
    """Free a block larger than a message, as every node does that works with what it takes.

    Up to its thresholds, glibc keeps what is freed; these grow with the largest block that was. In
    a process that has done nothing else, it would return each message's memory to the kernel, and
    every page would fault again: above 1 MB that takes longer than all the rest.
    """
    block = bytes(min(LARGEST_KEPT, WORKED_ON * size))
    del block


def message_class(type_: str) -> Any:
    """Return the class of a type such as ``sensor_msgs/msg/Imu``. Raises ImportError."""
    package, _, name = type_.replace("/msg/", "/").partition("/")
    try:
        return getattr(importlib.import_module(package + ".msg"), name)
    except (ImportError, AttributeError):
        raise ImportError(f"{type_} is not in {sys.executable}; install it there") from None


def content(path: str) -> list[bytes]:
    """Return the messages of a file."""
    data = Path(path).read_bytes()
    messages, at = [], 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        messages.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return messages


def written(rows: Any, path: str, width: int) -> dict[str, Any]:
    """Write rows, and return the answer of a run."""
    with Path(path).open("wb") as file:
        rows.tofile(file)
    return {"done": "run", "messages": len(rows) // width, "refused": 0, "failure": None}


def serve(end: End, answers: Answers) -> None:
    """Carry out commands until ``close``, or until nobody sends any."""
    while True:
        command = answers.next()
        if command["do"] == "close":
            return
        try:
            answer = end.do(command)
        except Exception as error:
            answer = {"failure": f"{type(error).__name__}: {error}".splitlines()[0]}
        if answer is not None:
            answers.put(answer)


def main() -> None:
    ctypes.CDLL(None).prctl(_TIMERSLACK, 1)
    answers = Answers()
    try:
        client = CLIENTS[sys.argv[1]]()
    except ImportError:
        os._exit(MISSING_STATUS)
    end = End(client, answers)
    if sys.argv[2] == "publisher":
        serve(end, answers)
        finish(client)
    threading.Thread(target=serve_spinning, args=(end, answers), daemon=True).start()
    try:
        client.spin()
    finally:
        finish(client)


def serve_spinning(end: End, answers: Answers) -> None:
    """Carry out commands while another thread spins, and end that."""
    serve(end, answers)
    threading.Timer(CLOSE_S, os._exit, (0,)).start()
    end.client.stop()


def finish(client: Any) -> None:
    """Leave the graph in order, so that nothing stays in shared memory, and end the process."""
    threading.Timer(CLOSE_S, os._exit, (0,)).start()
    client.close()
    os._exit(0)


if __name__ == "__main__":
    main()
