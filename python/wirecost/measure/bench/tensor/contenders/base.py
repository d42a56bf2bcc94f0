# SPDX-License-Identifier: Apache-2.0
"""Base of contenders: both ends of a path from one process to another."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from wirecost.measure.bench.engine.other_python import installed_packages
from wirecost.measure.bench.tensor.arrays import Array
from wirecost.measure.bench.tensor.plugins import FrameworkPlugin
from wirecost.messaging.transport import Package

COMPRESSED = "compressed"
"""Value of ``as_`` for which ``decode`` leaves objects compressed: that stage has its own time."""


@dataclass(frozen=True)
class TensorMeeting:
    """Place where two processes find each other. ``descriptors`` are inherited by both."""

    address: str | None = None
    descriptors: tuple[int, ...] = ()
    topic: str = "wirecost-bench"
    """Topic, every pair's own."""


@dataclass(frozen=True)
class ReceivedMessage:
    """Message; ``number`` is None where the contender does not know it, the content has it too."""

    number: int | None
    message: Any
    """Argument of ``decode``."""
    nbytes: int


class TensorSender(ABC):
    """Publishing or asking end."""

    number = 0
    """Number of the message that is sent next."""

    def make(self, plugin: FrameworkPlugin, module: Any, array: Array, device: str) -> Any:
        """Return an object with the array's content."""
        return plugin.make(module, array, device)

    def to_host(self, obj: Any) -> Any:
        """Copy from a device's memory to the host's, where that is a step of its own."""
        return obj

    def encode(self, obj: Any) -> Any:
        """Return the argument of ``send``."""
        return obj

    @abstractmethod
    def send(self, encoded: Any) -> None:
        """Send it. Raises UserError."""

    def wait_for_receiver(self, timeout: float) -> bool:  # noqa: ARG002
        """Return whether what is sent from now on arrives."""
        return True

    def close(self) -> None:  # noqa: B027
        """Close the end; some leave that to the end of the process."""


class TensorReceiver(ABC):
    """Listening end."""

    as_: str | None = None
    """Argument of ``wirecost.tensor.decode``, where ``decode`` calls it."""

    @abstractmethod
    def receive(self, timeout: float) -> ReceivedMessage | None:
        """Return the next message; None if none comes for ``timeout`` seconds."""

    def decode(self, message: Any) -> Any:
        """Return the object that was sent."""
        return message

    def to_device(self, obj: Any, device: str) -> Any:  # noqa: ARG002
        """Return a decoded object on a device, where it is not there already."""
        return obj

    def release(self, received: ReceivedMessage) -> None:  # noqa: B027  most have nothing to do
        """Give the memory back, where the object does not do that itself."""

    def close(self) -> None:  # noqa: B027
        """Close the end; some leave that to the end of the process."""


HANDED: deque[tuple[int, Any]] = deque()
"""Messages from a ``Hander`` to a ``Taker`` in its process."""


class Hander(TensorSender):
    """Sender that hands over encoded messages as they are."""

    def send(self, encoded: Any) -> None:
        HANDED.append((self.number, encoded))
        self.number += 1

    def close(self) -> None:
        HANDED.clear()


class Taker(TensorReceiver):
    """Receiver of what was handed over."""

    def receive(self, timeout: float) -> ReceivedMessage | None:  # noqa: ARG002
        if not HANDED:
            return None
        number, message = HANDED.popleft()
        return ReceivedMessage(number, message, len(message))


class TensorAsker(ABC):
    """End that sends an object and gets one back."""

    as_: str | None = None
    """Argument of ``wirecost.tensor.decode``."""

    @abstractmethod
    def encode(self, obj: Any) -> Any: ...

    @abstractmethod
    def ask(self, encoded: Any, timeout: float) -> ReceivedMessage: ...

    @abstractmethod
    def decode(self, message: Any) -> Any: ...

    @abstractmethod
    def wait_for_receiver(self, timeout: float) -> bool: ...

    @abstractmethod
    def close(self) -> None: ...


class TensorAnswerer(TensorReceiver):
    """End that gets an object and sends one back."""

    @abstractmethod
    def answer(self, received: ReceivedMessage, obj: Any) -> None: ...


class TensorContender(ABC):
    """Path of an object between two processes. ``size``: most bytes of an array that is sent."""

    takes_objects: ClassVar[bool] = True
    """True if it carries every plugin's objects, else bytes of that size only: a floor."""
    takes_compressed: ClassVar[bool] = True
    """True if it carries objects of ``wirecost.tensor.compress`` too."""
    one_process: bool = False
    """True if there is nothing between sender and receiver: no message travels."""
    primed: bool = False
    """True if both ends find each other only while messages are sent."""
    package: Package = Package("wirecost", ("wirecost",))
    """Package of its library; this one where there is no other."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size

    @property
    def python(self) -> Path:
        """Return the interpreter that both processes run in."""
        return Path(sys.executable)

    def missing(self) -> str | None:
        """Return why it cannot be used here, on one line."""
        return self.package.missing()

    def no_server(self) -> str | None:
        """Return why no server can be started for it here, on one line."""
        return None

    @property
    def packages(self) -> list[str]:
        """Return folders with what it needs, for an interpreter that a framework has of its own."""
        return installed_packages()

    def missing_there(self) -> str | None:
        """Return why it cannot be used within an interpreter that is not its own."""
        return self.missing()

    def version(self) -> str | None:
        """Return its package's version; None where nobody knows it."""
        return self.package.version()

    def about(self) -> dict[str, object]:
        """Return its record for result folders."""
        return {"library": f"{self.package.name} {self.version() or 'unknown version'}"}

    def requests(self) -> bool:
        """Return whether it has an asker and an answerer."""
        return False

    def environment(self, meeting: TensorMeeting, role: str) -> dict[str, str]:  # noqa: ARG002
        """Return the environment variables that a process needs for its role."""
        return {}

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        """Make what must exist before either process starts."""
        yield TensorMeeting()

    @abstractmethod
    def sender(self, meeting: TensorMeeting) -> TensorSender: ...

    @abstractmethod
    def receiver(self, meeting: TensorMeeting) -> TensorReceiver: ...

    def asker(self, meeting: TensorMeeting) -> TensorAsker:
        """Open the end. Raises NotImplementedError where there are no requests."""
        raise NotImplementedError(f"{self.name} has no requests")

    def answerer(self, meeting: TensorMeeting) -> TensorAnswerer:
        """Open the end. Raises NotImplementedError where there are no requests."""
        raise NotImplementedError(f"{self.name} has no requests")
