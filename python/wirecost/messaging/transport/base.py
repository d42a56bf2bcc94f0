# SPDX-License-Identifier: Apache-2.0
"""Contract that each middleware beside this file meets to carry frames.

A transport takes a frame's bytes and gives samples: received memory that stays until released. It
knows nothing of tensors. Ctrl-C interrupts blocking calls, which wait for ever only if no
timeout is given. A second ``close`` does nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeVar

from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.shared.progress import Progress, follow
from wirecost.messaging.transport.shared.server_process import LOOPBACK
from wirecost.messaging.transport.shared.trailer import (
    MAGIC,
    TRAILER,
    Count,
    Publishing,
    StreamCounter,
    new_stream,
    split,
)
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError

ON_LOOPBACK = "every user of this machine can connect to its ports on loopback"


class Frame(Protocol):
    """Protocol of ``wirecost.tensor.Frame``: bytes to send that nobody has copied yet."""

    nbytes: int

    def parts(self) -> Sequence[memoryview]: ...
    def write_into(self, buffer: Any) -> int: ...
    def tobytes(self) -> bytes: ...


class MemoryFrame:
    """Frame that is memory without gaps."""

    def __init__(self, view: memoryview) -> None:
        self._view = view
        self.nbytes = view.nbytes

    def parts(self) -> tuple[memoryview]:
        return (self._view,)

    def write_into(self, buffer: Any) -> int:
        memoryview(buffer).cast("B")[: self.nbytes] = self._view
        return self.nbytes

    def tobytes(self) -> bytes:
        return self._view.tobytes()


MOST_BYTES = 1 << 30
"""Most bytes of a message, where the middleware itself sets no lower limit."""
_ALIVE = 4
"""Arrays and copies of a message that are freed together, in its sizes."""
_MOST_KEPT = (1 << 25) - (1 << 16)
"""glibc does not learn from blocks of more than 32 MiB."""


@dataclass(frozen=True)
class Capabilities:
    """Abilities of a transport and what they cost; shown by ``wirecost transports``."""

    send_copies: int
    """Copies of the frame's bytes on the sending side, the one into the transport's memory
    included; those inside the operating system's sockets are not counted."""
    receive_copies: int
    """Copies on the receiving side until the sample can be read."""
    aligned: bool
    """Samples start on a multiple of 64."""
    request_reply: bool
    other_machines: bool
    full: str
    """Behaviour when a subscriber is slower than its publisher, in a few words."""
    server: str = ""
    """The process that must run between publishers and subscribers."""
    exposed: str = ""
    """Exposure to others than this user's processes where no ``address`` is given."""
    kept: str = ""
    """Part of this machine that it keeps longer than it is used."""
    shared_memory: bool = False
    """True if payloads pass from process to process in memory that both have, not in sockets."""


class Sample:
    """A received message; ``buffer`` is valid until ``release``."""

    __slots__ = ("_release", "buffer", "number", "stream")

    def __init__(
        self,
        buffer: memoryview,
        stream: int = 0,
        number: int = 0,
        release: Callable[[], object] | None = None,
    ) -> None:
        self.buffer = buffer
        """The frame's bytes."""
        self.stream = stream
        self.number = number
        self._release = release

    def release(self) -> None:
        """Give the memory back. A second call does nothing."""
        release, self._release = self._release, None
        if release is not None:
            release()


def _keep_what_is_freed(nbytes: int) -> None:
    """Let malloc keep so many bytes that are freed for the next message.

    glibc gives back what is larger than twice the largest block that it ever mapped and unmapped,
    and each page that it gave back is a page fault in the next message.
    """
    bytes(min(nbytes, _MOST_KEPT))  # mapped, not touched, and unmapped


class Publisher(Closing):
    """Sender of frames on one topic. Not for several threads at once."""

    def __init__(self) -> None:
        self._stream = new_stream()
        self.sent = 0
        """Frames given to the middleware."""
        self.dropped = 0
        """Frames that the middleware refused, where it reports that: nobody got them."""
        self._largest = 0
        self._progress = Progress(self._stream)
        self._sent_so_far = self._progress.sent

    def send(self, frame: Frame) -> bool:
        """Send a frame; its memory may be changed afterwards. False if it was dropped.

        Raises UserError if it cannot be sent at all, as when it is too large.
        """
        if frame.nbytes > self._largest:
            self._largest = 2 * frame.nbytes
            _keep_what_is_freed(_ALIVE * self._largest)
        delivered = self._send(frame, self.trailer())
        if delivered:
            self.sent += 1
        else:
            self.dropped += 1
        self._sent_so_far[0] = self.sent + self.dropped
        return delivered

    def trailer(self, start: int = 0) -> bytes:
        """Return the bytes behind the next frame, which starts at ``start`` of the message."""
        return TRAILER.pack(self._stream, self.sent + self.dropped, start, MAGIC)

    def _check_size(self, frame: Frame, transport: str, more: int = 0) -> None:
        """Raise UserError for a frame that has more than ``MOST_BYTES`` with ``more`` around."""
        if frame.nbytes + more > MOST_BYTES:
            raise UserError(f"a frame of {frame.nbytes} bytes: {transport} carries at most 1 GiB")

    @abstractmethod
    def _send(self, frame: Frame, trailer: bytes) -> bool:
        """Send the frame's bytes and then the trailer as one message."""

    @abstractmethod
    def wait_for_subscriber(self, timeout: float) -> bool:
        """Return whether a subscriber was there within ``timeout`` seconds.

        What is sent from then on reaches it.
        """

    def close(self) -> None:
        """End the stream, whatever it does.

        A second call does nothing. Every subclass's own calls this one.
        """
        self._progress.close()


class Subscriber(Closing):
    """Receiver of frames of one topic. Not for several threads at once."""

    def __init__(self) -> None:
        self._counter = StreamCounter(self._met)
        self._drained_at = -1

    @property
    def count(self) -> Count:
        """Return what was received and lost up to now, by the numbers the publishers gave."""
        seen = self._counter.count
        return self._counter.total(self._drained_at == seen.received + seen.duplicates)

    def _met(self, stream: int) -> Publishing | None:
        """Return how far the publisher of a first message is, where it can be known."""
        return follow(stream)

    def _drained(self) -> None:
        """Count as lost what has not come from publishers that have ended: nothing waits."""
        seen = self._counter.count
        self._drained_at = seen.received + seen.duplicates

    def receive(self, timeout: float | None = None) -> Sample | None:
        """Return the next frame, or None after ``timeout`` seconds; 0 does not wait.

        Raises UserError for a message that no publisher of wirecost sent.
        """
        got = self._receive(timeout)
        if got is None:
            self._drained()
            return None
        message, release = got
        try:
            stream, number, frame = split(message)
        except BaseException:
            if release is not None:
                release()
            raise
        self._counter.add(stream, number)
        return Sample(frame, stream, number, release)

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        """Return a message that offers the buffer protocol, and what gives its memory back.

        Not asked for where ``receive`` is written anew.
        """
        raise NotImplementedError

    def fileno(self) -> int | None:
        """Return a descriptor that is readable when ``receive(0)`` may give a frame.

        Returns None if the middleware has none.
        """
        return None


@dataclass(frozen=True)
class Request:
    """A question that waits for its answer."""

    sample: Sample
    answer: Callable[[Frame], None]
    """Sends the reply; may be called once."""


class Requester(Closing):
    """Client of one service. Not for several threads at once."""

    @abstractmethod
    def ask(self, frame: Frame, timeout: float) -> Sample:
        """Return the reply. Raises UserError if none comes within ``timeout`` seconds."""

    @abstractmethod
    def wait_for_replier(self, timeout: float) -> bool:
        """Return whether the service was there within ``timeout`` seconds."""


class Replier(Closing):
    """Server of one service, which answers requests one after the other."""

    @abstractmethod
    def take(self, timeout: float | None = None) -> Request | None:
        """Return the next request, or None after ``timeout`` seconds."""


_E = TypeVar("_E")


class Transport(Closing):
    """One middleware, set up in this process. Subclasses import it only when made."""

    name: ClassVar[str]
    """Name on the command line."""
    title: ClassVar[str]
    """Name as its makers write it."""
    package: ClassVar[Package]
    """Package of its library."""
    capabilities: ClassVar[Capabilities]
    quality: Quality = OWN
    """Quality that is asked of the endpoints that are made from then on."""

    def __init__(self, address: str | None = None) -> None:
        """Set the middleware up in this process. Raises UserError.

        ``address``: where its server or peer is, in the middleware's own form; None is the
        middleware's default on this machine, loopback.
        """
        self.address = address
        self._open: list[Any] = []

    @classmethod
    def missing(cls) -> str | None:
        """Return None if it can be used here, else why not and how to install it, on one line.

        Imports nothing heavy.
        """
        return cls.package.missing()

    @classmethod
    def no_server(cls) -> str | None:
        """Return how to install the server that it needs, on one line; None if none is lacking.

        Without it, ``server`` raises NoServerError; a server elsewhere may be used.
        """
        return None

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        """Run what it needs between the peers, on loopback and a free port, or nothing.

        Gives the ``address`` for both sides. Ends it again.
        """
        with cls.server_at(LOOPBACK) as address:
            yield address

    @classmethod
    @contextmanager
    def server_at(cls, host: str) -> Iterator[str | None]:
        """Run what it needs between peers of several hosts, at an address of this one.

        Gives that; None where that is nothing.
        """
        del host
        yield None

    @abstractmethod
    def publisher(self, topic: str) -> Publisher:
        """Raise UserError for a topic that the middleware cannot have."""

    @abstractmethod
    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        """Return a subscriber; ``depth``: samples that wait, and samples that may be held, each."""

    def _kept(self, endpoint: _E) -> _E:
        """Close it with the transport, which may be before the endpoint's own user does."""
        self._open.append(endpoint)
        return endpoint

    def close(self) -> None:
        """End what its endpoints share, and those that need it. A second call does nothing."""
        for endpoint in self._open:
            endpoint.close()
        self._open.clear()

    def requester(self, service: str) -> Requester:
        """Raise NotImplementedError where ``capabilities.request_reply`` is false."""
        raise NotImplementedError(f"{self.title} has no requests: use publish and subscribe")

    def replier(self, service: str) -> Replier:
        """Raise NotImplementedError where ``capabilities.request_reply`` is false."""
        raise NotImplementedError(f"{self.title} has no requests: use publish and subscribe")
