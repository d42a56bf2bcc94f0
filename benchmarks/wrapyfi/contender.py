# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi, unmodified, through its public API: a decorated method whose return value travels.

Encoding, sending, receiving and decoding are one call on each side, so that ``publish`` and
``transit`` hold them; within one process they are separate.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from wirecost.measure.bench.tensor.contenders import base
from wirecost.measure.bench.tensor.contenders.base import (
    ReceivedMessage,
    TensorContender,
    TensorMeeting,
)
from wirecost.messaging.transport import Package
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

from . import environment
from .environment import installed_version, interpreter
from .middlewares import IN_PROCESS, MIDDLEWARES, PREFIX

NAMES = ("wrapyfi-in-process", "wrapyfi-zeromq", "wrapyfi-zenoh", "wrapyfi-websocket", "wrapyfi-mqtt", "wrapyfi-ros1", "wrapyfi-yarp", "wrapyfi-ros2")  # noqa: E501  # fmt: skip
"""On one line, as plug-ins declare them."""
POLLED = {"ros2"}
"""Middlewares whose listener waits where no signal interrupts it."""
AGAIN_S = 0.01
"""Seconds until a message that is being decoded is looked at again."""


class _Late(Exception):  # noqa: N818  no error: nothing came in time
    pass


def _decodes(frame: FrameType | None) -> bool:
    """Return whether Wrapyfi makes an object of a message, which it does in JSON's decoder."""
    while frame is not None:
        if frame.f_globals.get("__name__") == json.decoder.__name__:
            return True
        frame = frame.f_back
    return False


def _load(module: str) -> Any:
    """Import a module of Wrapyfi, with the variable by which it looks for its own plugins."""
    spec = importlib.util.find_spec("wrapyfi")
    if spec is None or not spec.submodule_search_locations:
        raise UserError(
            "wrapyfi is not installed in its environment; remove that environment and run again"
        )
    os.environ["WRAPYFI_PLUGIN_PATHS"] = next(iter(spec.submodule_search_locations))
    return importlib.import_module(module)


def _communicator(mware: str) -> Any:
    """Return Wrapyfi's class that methods are registered with.

    Raises UserError where it lacks something for a middleware, which it passes over in silence.
    """
    communicator: Any = _load("wrapyfi.connect.wrapper").MiddlewareCommunicator
    if mware not in communicator.get_communicators():
        raise UserError(f"Wrapyfi cannot use {mware} in its environment")
    return communicator


def _exchange(mware: str, topic: str, mode: str) -> Any:
    """Return the decorated method, publishing or listening."""
    communicator: Any = _communicator(mware)
    waits = mode == "publish" or mware not in POLLED

    class Exchange(communicator):  # type: ignore[misc]
        @communicator.register(  # type: ignore[untyped-decorator]
            "NativeObject", mware, "Exchange", f"/{topic}", should_wait=waits
        )
        def exchange(self, obj: Any = None) -> tuple[Any]:
            return (obj,)

    exchange_object = Exchange()
    exchange_object.activate_communication(exchange_object.exchange, mode=mode)
    return exchange_object


class WrapyfiSender(base.TensorSender):
    """Sender whose first call waits for the listener. Not closed: some middlewares hang."""

    def __init__(self, mware: str, topic: str) -> None:
        self._exchange = _exchange(mware, topic, "publish")

    def send(self, encoded: Any) -> None:
        self._exchange.exchange(encoded)
        self.number += 1


class WrapyfiReceiver(base.TensorReceiver):
    """Receiver that asks again and again where the middleware's listener does not block.

    Wrapyfi's own benchmark does the same.
    """

    def __init__(self, mware: str, topic: str) -> None:
        self._exchange = _exchange(mware, topic, "listen")
        self._established = False
        self._armed = False
        signal.signal(signal.SIGALRM, self._late)

    def _late(self, _: int, frame: FrameType | None) -> None:
        if not self._armed:
            return
        if _decodes(frame):
            # Broken off, the message would be lost, and with it what a framework imports for its
            # first tensor: JAX cannot begin that again.
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)
        else:
            raise _Late

    def receive(self, timeout: float) -> ReceivedMessage | None:
        deadline = Deadline(timeout)
        obj = None
        try:
            # Establishing must not be interrupted; a listener that blocks does so for ever.
            if self._established:
                self._armed = True
                signal.setitimer(signal.ITIMER_REAL, timeout)
            while obj is None and not deadline.passed:
                (obj,) = self._exchange.exchange()
        except _Late:
            pass
        finally:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        if obj is None:
            return None
        self._established = True
        return ReceivedMessage(None, obj, 0)


class _Coding:
    """Encoding and decoding of Wrapyfi's publishers and listeners."""

    def __init__(self) -> None:
        coding = _load("wrapyfi.utils.serialization_encoders")
        self._encoder = coding.JsonEncoder
        self._hook = coding.JsonDecodeHook().object_hook

    def encode(self, obj: Any) -> bytes:
        return json.dumps(obj, cls=self._encoder, serializer_kwrags={}).encode()

    def decode(self, message: bytes) -> Any:
        return json.loads(message.decode(), object_hook=self._hook)


class WrapyfiEncoder(base.Hander):
    def __init__(self) -> None:
        self._coding = _Coding()

    def encode(self, obj: Any) -> bytes:
        return self._coding.encode(obj)


class WrapyfiDecoder(base.Taker):
    def __init__(self) -> None:
        self._coding = _Coding()

    def decode(self, message: bytes) -> Any:
        return self._coding.decode(message)


class Wrapyfi(TensorContender):
    """Wrapyfi over one of its middlewares, or within one process."""

    package = Package("wrapyfi", ("wrapyfi",))
    takes_compressed = False

    def __init__(self, name: str, size: int) -> None:
        super().__init__(name, size)
        self.mware = name.removeprefix(PREFIX)
        if self.mware not in (*MIDDLEWARES, IN_PROCESS):
            raise UserError(f"{name} is unknown: there are {', '.join(MIDDLEWARES)}")
        self.one_process = self.mware == IN_PROCESS
        self.primed = not self.one_process

    @property
    def python(self) -> Path:
        return interpreter()

    @property
    def packages(self) -> list[str]:
        return environment.packages()

    def missing(self) -> str | None:
        if not interpreter().exists():
            return "`wirecost bench --from benchmarks wrapyfi` installs it"
        return None if self.one_process else MIDDLEWARES[self.mware].missing()

    def missing_there(self) -> str | None:
        try:
            if self.one_process:
                _Coding()
            else:
                _communicator(MIDDLEWARES[self.mware].name)
        except UserError as error:
            return str(error)
        except Exception as error:
            # Its imports meet packages here that it was not made for.
            return f"Wrapyfi cannot be imported: {type(error).__name__}: {error}"
        return None

    def version(self) -> str | None:
        return installed_version(self.package.name)

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        if self.one_process:
            yield TensorMeeting()
            return
        with MIDDLEWARES[self.mware].server() as variables:
            yield TensorMeeting(json.dumps(variables))

    def environment(self, meeting: TensorMeeting, role: str) -> dict[str, str]:
        if meeting.address is None:
            return {"OMP_NUM_THREADS": "1"}
        variables: dict[str, str] = json.loads(meeting.address)
        if role == "listen":
            variables |= MIDDLEWARES[self.mware].listens(variables)
        return {**variables, "OMP_NUM_THREADS": "1"}

    @property
    def _wire(self) -> str:
        return MIDDLEWARES[self.mware].name

    def sender(self, meeting: TensorMeeting) -> base.TensorSender:
        return WrapyfiEncoder() if self.one_process else WrapyfiSender(self._wire, meeting.topic)

    def receiver(self, meeting: TensorMeeting) -> base.TensorReceiver:
        return WrapyfiDecoder() if self.one_process else WrapyfiReceiver(self._wire, meeting.topic)


contender = Wrapyfi
