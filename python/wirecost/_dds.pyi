# SPDX-License-Identifier: Apache-2.0
"""Raw DDS endpoints: bytes in and out, with the four bytes of encapsulation before them.

GUIDs are 16 bytes as on the wire (the participant's prefix, 12, and the entity, 4).
"""

from collections.abc import Sequence
from typing import Any

from typing_extensions import Buffer

from wirecost._middleware import Queue, Sink

class Qos:
    """Quality of service; times in nanoseconds, 0 without end.

    ``depth`` 0 keeps all and is what a found endpoint has, since discovery does not report it.
    """

    def __init__(
        self,
        *,
        reliable: bool,
        transient_local: bool,
        depth: int,
        deadline_ns: int = 0,
        lifespan_ns: int = 0,
        lease_ns: int = 0,
        manual_liveliness: bool = False,
    ) -> None: ...
    @property
    def reliable(self) -> bool: ...
    @property
    def transient_local(self) -> bool: ...
    @property
    def depth(self) -> int: ...
    @property
    def deadline_ns(self) -> int: ...
    @property
    def lifespan_ns(self) -> int: ...
    @property
    def lease_ns(self) -> int: ...
    @property
    def manual_liveliness(self) -> bool: ...

class FoundParticipant:
    @property
    def guid(self) -> bytes: ...
    @property
    def name(self) -> str: ...
    @property
    def vendor(self) -> int:
        """0x010f is Fast DDS, 0x0110 Cyclone DDS."""

    @property
    def user_data(self) -> bytes: ...
    @property
    def properties(self) -> dict[str, str]: ...
    @property
    def ports(self) -> set[int]:
        """UDP ports at which it receives."""

class FoundEndpoint:
    @property
    def guid(self) -> bytes: ...
    @property
    def writer(self) -> bool: ...
    @property
    def topic(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def qos(self) -> Qos: ...
    @property
    def user_data(self) -> bytes: ...

class Participant:
    """A member of a domain over UDP on the interfaces (IPv4 addresses) and no others.

    A member that appears later is not answered before ``newcomers_wait_s``, in which others can
    find each other.

    Raises:
        RuntimeError: the domain cannot be joined.
    """

    def __init__(
        self,
        domain: int,
        name: str,
        user_data: bytes,
        interfaces: Sequence[str],
        newcomers_wait_s: float = 0.0,
    ) -> None: ...
    @property
    def guid(self) -> bytes: ...
    def participants(self) -> list[FoundParticipant]: ...
    def endpoints(self) -> list[FoundEndpoint]:
        """Readers and writers of others."""

    def wait(self, seen: int, timeout_s: float) -> int:
        """Wait for more than ``seen`` changes of discovery; return their number until now."""

    def close(self) -> None:
        """Leaves the domain, after all its endpoints were closed (else RuntimeError)."""

class Reader:
    """Hands every message of a topic to the queue as ``channel``.

    ``same_class`` leaves out writers that offer another reliability or durability, and those of the
    own participant; ``only`` all but these GUIDs, ``without`` these. ``live_only`` leaves out what
    volatile writers published before the reader was made and still keep for somebody else. All
    three endpoints raise RuntimeError where the topic is used with another type already.
    """

    def __init__(
        self,
        participant: Participant,
        topic: str,
        type: str,
        qos: Qos,
        user_data: bytes,
        queue: Queue,
        channel: int,
        same_class: bool = False,
        only: Sequence[bytes] | None = None,
        without: Sequence[bytes] = (),
        live_only: bool = False,
    ) -> None: ...
    def choose(
        self, same_class: bool, only: Sequence[bytes] | None, without: Sequence[bytes]
    ) -> None:
        """Have it count for messages that come from now on."""
    def writers(self) -> int: ...
    def unconfirmed(self) -> int:
        """Writers that are not known to have found this reader: it may miss what they send."""
    def missed(self) -> int:
        """Messages that writers sent between two that came, by their sequence numbers."""
    def close(self) -> None: ...

class Received(Buffer):
    """A message's memory, read-only."""

    def __len__(self) -> int: ...

class Inbox:
    """Where a topic's messages wait with their names; what exceeds ``max_bytes`` is dropped."""

    def __init__(
        self,
        participant: Participant,
        topic: str,
        type: str,
        qos: Qos,
        user_data: bytes,
        max_bytes: int,
    ) -> None: ...
    @property
    def guid(self) -> bytes: ...
    def take(self, timeout_s: float) -> list[tuple[int, int, bytes, int, bytes, int, bytes]]:
        """Wait for the first message and return all that are there.

        Each is the receive time by CLOCK_REALTIME and the source time (ns), writer and sequence
        number, the same of the message that it answers (zeros where none), and the bytes.
        """

    def take_views(self, timeout_s: float) -> list[Received]:
        """As ``take``, of each message its memory as it was received, and no more."""

    def writers(self) -> int: ...
    def unconfirmed(self) -> int:
        """As a reader's."""

    @property
    def dropped(self) -> int: ...
    def close(self) -> None: ...

class Writer(Sink):
    def __init__(
        self, participant: Participant, topic: str, type: str, qos: Qos, user_data: bytes
    ) -> None: ...
    @property
    def guid(self) -> bytes: ...
    def send_pieces(self, message: list[Any]) -> None:
        """Send a message in pieces that offer the buffer protocol, as ``send`` does.

        The first has the encapsulation; each is copied once, into the writer's memory.
        """

    def answer(self, message: bytes, guid: bytes, sequence: int) -> tuple[bytes, int]:
        """Send a message that answers one, only its GUID where ``sequence`` is 0.

        Return its own writer and sequence number, 0 where it was dropped.
        """

    def unconfirmed(self) -> int:
        """Count the readers that are not known to have found this writer.

        Volatile ones would miss messages that are sent now.
        """

    def flush(self, timeout_s: float) -> bool:
        """Wait until all reliable readers have everything; False when the time is over."""

    @property
    def dropped(self) -> int:
        """Messages that readers held up for too long."""

    def close(self) -> None: ...
