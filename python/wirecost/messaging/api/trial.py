# SPDX-License-Identifier: Apache-2.0
"""Trial of whether a transport carries a message here: between two processes of their own, which
end with this one, whatever the middleware does to them."""

from __future__ import annotations

import json
import os
import secrets
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import IO, Any

from wirecost.messaging.transport import find
from wirecost.messaging.transport.shared.server_process import NoServerError
from wirecost.system import children
from wirecost.system.errors import UserError
from wirecost.system.printable import shown
from wirecost.system.waiting import Deadline

PATIENCE_S = 60.0
"""For both processes to start, find each other and exchange a message."""
END_S = 5.0
ENDS = "wirecost.messaging.api.trial_end"


@dataclass(frozen=True)
class Outcome:
    """Outcome of one transport; exactly one of the three is not None."""

    name: str
    ms: float | None = None
    """From sending to the checked content."""
    missing: str | None = None
    """What is not installed, and how to install it."""
    failed: str | None = None

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class _FailedError(Exception):
    """Why no message came."""


def tried(name: str) -> Outcome:
    """Return what becomes of a message. The transport's server is one of its own, on loopback."""
    kind = find(name)
    if why := kind.missing():
        return Outcome(name, missing=why)
    try:
        with kind.server() as address:
            return Outcome(name, ms=_exchange(name, address))
    except NoServerError as error:
        return Outcome(name, missing=str(error))
    except (UserError, _FailedError) as error:
        return Outcome(name, failed=str(error))


def _exchange(name: str, address: str | None) -> float:
    topic = f"test{secrets.token_hex(8)}"
    with ExitStack() as stack:
        ends = [
            stack.enter_context(_running(role, name, topic, address))
            for role in ("listener", "sender")
        ]
        deadline = Deadline(PATIENCE_S)
        times: dict[str, int] = {}
        while len(times) < len(ends):
            left = deadline.left
            waiting = [end.answers for end in ends if end.role not in times]
            ready, _, _ = select.select(waiting, [], [], left)
            if not ready:
                raise _FailedError(f"no message within {PATIENCE_S:g} s")
            for end in ends:
                if end.answers in ready:
                    times[end.role] = end.answer()
    return (times["listener"] - times["sender"]) / 1e6


@dataclass(frozen=True)
class _End:
    """One of the two processes."""

    role: str
    process: subprocess.Popen[bytes]
    printed: IO[bytes]

    @property
    def answers(self) -> IO[bytes]:
        """One line of JSON."""
        if self.process.stdout is None:
            raise AssertionError(self.role)
        return self.process.stdout

    def answer(self) -> int:
        """When it was done, by the clock that processes share. Raises _FailedError."""
        line = self.answers.readline()
        if not line:
            raise _FailedError(self._ending())
        answer = json.loads(line)
        if "error" in answer:
            raise _FailedError(answer["error"])
        return int(answer["ns"])

    def _ending(self) -> str:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(END_S)
        status = self.process.poll()
        how = "closed its output" if status is None else children.ending(status)
        self.printed.seek(0)
        last = self.printed.read().decode(errors="replace").strip().splitlines()[-1:]
        return f"its {self.role} {how}{''.join(f': {shown(line, 200)}' for line in last)}"


@contextmanager
def _running(role: str, name: str, topic: str, address: str | None) -> Iterator[_End]:
    """The process, which closes what it has opened when its input ends."""
    words = [sys.executable, "-P", "-m", ENDS, role, name, topic, json.dumps(address)]
    with tempfile.TemporaryFile() as printed:
        process = children.start(
            words, os.environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=printed
        )
        try:
            yield _End(role, process, printed)
            if process.stdin is not None:
                process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_S)
        finally:
            children.end(process)
