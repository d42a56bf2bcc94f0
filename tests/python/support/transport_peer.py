# SPDX-License-Identifier: Apache-2.0
"""The other process of a transport's test: does what standard input asks for, line by line."""

from __future__ import annotations

import json
import os
import random
import re
import select
import signal
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any

from wirecost.messaging.transport import open_transport
from wirecost.messaging.transport.shared.loopback import may_become_open, own_sockets
from wirecost.messaging.transport.shared.shared_memory import mappings
from wirecost.system.errors import UserError

PATIENCE = 30.0


@contextmanager
def runtime_folder() -> Iterator[Path]:
    """Make a folder like a session's, and as short as those are: sockets have to lie in it."""
    with tempfile.TemporaryDirectory(prefix="wct-", dir="/tmp") as name:
        before = os.environ.get("XDG_RUNTIME_DIR")
        os.environ["XDG_RUNTIME_DIR"] = name
        try:
            yield Path(name)
        finally:
            if before is None:
                del os.environ["XDG_RUNTIME_DIR"]
            else:
                os.environ["XDG_RUNTIME_DIR"] = before


class Bytes:
    """A frame without tensors that notes how it was read."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.nbytes = len(data)
        self.reads: list[str] = []

    def parts(self) -> list[memoryview]:
        self.reads.append("parts")
        return [memoryview(self.data)]

    def write_into(self, buffer: Any) -> int:
        self.reads.append("write_into")
        memoryview(buffer)[: self.nbytes] = self.data
        return self.nbytes

    def tobytes(self) -> bytes:
        self.reads.append("tobytes")
        return self.data


def content(size: int, seed: int) -> Bytes:
    return Bytes(random.Random(seed * 1_000_003 + size).randbytes(size))


class Peer:
    """A process that uses one transport."""

    def __init__(self, name: str, address: str | None, **options: Any) -> None:
        """``options``: of the process, as its user."""
        self._process = subprocess.Popen(
            [sys.executable, __file__, name, json.dumps(address)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        self.pid = self._process.pid

    def begin(self, do: str, **arguments: Any) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps([do, arguments]) + "\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        assert line, self._process.wait(PATIENCE)
        return json.loads(line)

    def call(self, do: str, **arguments: Any) -> Any:
        self.begin(do, **arguments)
        return self.answer()

    def answered(self) -> bool:
        """Return whether ``answer`` would not wait."""
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def signal(self, number: int) -> int:
        self._process.send_signal(number)
        return self._process.wait(PATIENCE)

    def end(self) -> int:
        """Lets it close all and end by itself; what it ended with."""
        if self._process.poll() is None:
            self.begin("end")
        try:
            return self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            for pipe in self._process.stdin, self._process.stdout:
                assert pipe
                pipe.close()


def _tell(what: Any) -> None:
    print(json.dumps(what), flush=True)


class _Doer:
    def __init__(self, name: str, address: str | None) -> None:
        self.transport = open_transport(name, address)
        self.ends: dict[str, Any] = {}

    def publisher(self, topic: str) -> str:
        self.ends[topic] = self.transport.publisher(topic)
        return "ready"

    def subscriber(self, topic: str, depth: int = 16) -> str:
        self.ends[topic] = self.transport.subscriber(topic, depth=depth)
        return "ready"

    def replier(self, service: str) -> str:
        self.ends[service] = self.transport.replier(service)
        return "ready"

    def requester(self, service: str) -> str:
        self.ends[service] = self.transport.requester(service)
        return "ready"

    def ask(self, service: str, size: int) -> int:
        sample = self.ends[service].ask(content(size, 0), PATIENCE)
        nbytes = len(sample.buffer)
        sample.release()
        return nbytes

    def drain(self, topic: str, silence: float) -> list[int]:
        """Return the numbers of what comes until nothing does for a while."""
        numbers = []
        while sample := self.ends[topic].receive(silence):
            numbers.append(sample.number)
            sample.release()
        return numbers

    def count(self, topic: str) -> dict[str, int]:
        return asdict(self.ends[topic].count)

    def shared_files(self) -> list[str]:
        """Return the process's files of shared memory, mapped or open.

        Not LTTng's, which ROS 2 is linked with, nor Fast DDS's ports, which are everybody's who
        writes to them."""
        links = [os.path.realpath(link) for link in Path("/proc/self/fd").iterdir()]
        mapped = [str(mapping.path) for mapping in mappings(lambda _: True)]
        return sorted(
            {
                name
                for name in links + mapped
                if name.startswith("/dev/shm/")
                and not re.search(r" |/lttng-ust-|/fast\w+_port", name)
            }
        )

    def open_to_all(self) -> list[str]:
        """Its sockets that other machines could reach."""
        return [
            str(opened)
            for _, opened in own_sockets()
            if may_become_open(opened) and opened.getsockname()[1]
        ]

    def wait(self, topic: str) -> bool:
        return bool(self.ends[topic].wait_for_subscriber(PATIENCE))

    def send(self, topic: str, sizes: list[int], period: float = 0) -> int:
        for seed, size in enumerate(sizes):
            self.ends[topic].send(content(size, seed))
            time.sleep(period)
        return int(self.ends[topic].sent)

    def faults(self, topic: str, sizes: list[int], count: int) -> list[float]:
        """Return the page faults per message of each size, in new memory each."""
        faults = []
        for size in sizes:
            for number in range(2 * count):
                if number == count:
                    before = getrusage(RUSAGE_SELF).ru_minflt
                frame = Bytes(b"1" * size)
                self.ends[topic].send(frame)
                time.sleep(0.001)
            faults.append((getrusage(RUSAGE_SELF).ru_minflt - before) / count)
        return faults

    def send_forever(self, topic: str, size: int) -> None:
        frame = content(size, 0)
        while True:
            self.ends[topic].send(frame)

    def receive(self, topic: str, count: int) -> list[list[int]]:
        got = []
        while len(got) < count and (sample := self.ends[topic].receive(PATIENCE)):
            got.append([len(sample.buffer), zlib.crc32(sample.buffer)])
            sample.release()
        return got

    def receive_forever(self, topic: str) -> None:
        self.ends[topic].receive(None)

    def reply(self, service: str, count: int, late: float = 0) -> int:
        """Send back what was asked, ``late`` seconds later."""
        for _ in range(count):
            request = self.ends[service].take(PATIENCE)
            assert request
            data = bytes(request.sample.buffer)
            time.sleep(late)
            request.answer(Bytes(data))
            request.sample.release()
        return count

    def close(self, topic: str) -> str:
        self.ends.pop(topic).close()
        return "closed"

    def end(self) -> None:
        for endpoint in self.ends.values():
            endpoint.close()
        self.transport.close()
        sys.exit(0)


def main() -> None:
    # Ended by the test with SIGINT, whatever the shell that started the test ignores.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        doer = _Doer(sys.argv[1], json.loads(sys.argv[2]))
    except UserError as error:
        sys.exit(str(error))
    try:
        for line in sys.stdin:
            do, arguments = json.loads(line)
            if do.endswith("forever"):
                _tell("begun")
            _tell(getattr(doer, do)(**arguments))
    except KeyboardInterrupt:
        os._exit(3)


if __name__ == "__main__":
    main()
