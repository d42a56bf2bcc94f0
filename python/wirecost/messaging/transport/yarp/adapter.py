# SPDX-License-Identifier: Apache-2.0
"""YARP as a transport."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from sysconfig import get_path
from typing import ClassVar

from wirecost.messaging.transport.base import Capabilities, Publisher, Subscriber, Transport
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.shared.server_process import NoServerError, program, running
from wirecost.messaging.transport.yarp.library import leave, use
from wirecost.messaging.transport.yarp.publisher import YarpPublisher
from wirecost.messaging.transport.yarp.subscriber import Connecting, YarpSubscriber
from wirecost.system import scratch
from wirecost.system.errors import UserError

_INSTALL = "build it with setup/yarp in a checkout of wirecost, or with YARP_COMPILE_BINDINGS"


def _folder() -> Path:
    """Return where the module yarp is, which may be another library's."""
    spec = find_spec("yarp")
    return Path(spec.origin).parent if spec and spec.origin else Path()


class Yarp(Transport):
    name = "yarp"
    title = "YARP"
    package = Package("yarp-middleware", ("yarp",), _INSTALL)
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=0,
        aligned=False,
        request_reply=False,
        other_machines=True,
        full="the publisher waits for its subscribers, up to 10 s for one that takes nothing,"
        " which then loses its connection",
        server="yarpserver",
        exposed="every user of this machine can connect to its ports on loopback; so can other"
        " machines if the name server is at another address",
    )

    def __init__(self, address: str | None = None) -> None:
        """Join the name server at ``address``; None is the one that YARP is set to."""
        super().__init__(address)
        self._server: str | None = use(address)
        self._connecting = Connecting()

    @classmethod
    def missing(cls) -> str | None:
        if why := cls.package.missing():
            return why
        folder = _folder()
        if not any(chain(folder.glob("_yarp*"), folder.glob("bindings/_yarp*"))):
            return f"PyPI's yarp is another library: pip uninstall yarp, and {_INSTALL}"
        return None

    @classmethod
    def no_server(cls) -> str | None:
        return None if _yarpserver() else "yarpserver cannot be found: it comes with YARP"

    @classmethod
    @contextmanager
    def server_at(cls, host: str) -> Iterator[str | None]:
        path = _yarpserver()
        if path is None:
            raise NoServerError(f"yarp: {cls.no_server()}")
        with scratch.folder("yarp") as folder:
            environment = {k: v for k, v in os.environ.items() if k != "YARP_NAMESPACE"}
            environment["YARP_CONFIG_HOME"] = str(folder)

            def command(port: int) -> list[str]:
                (folder / "yarp.conf").write_text(f"{host} {port} yarp\n")
                # Address of a second socket that it has for a moment; without it, it ends.
                environment["YARP_PORT_RANGE"] = str(port)
                memory = ["--portdb", ":memory:", "--subdb", ":memory:"]
                # Without --read it prefers another address to loopback.
                return [path, "--read", "--ip", host, "--socket", str(port), *memory]

            with running(command, folder / "log", environment, host) as port:
                yield f"{host}:{port}"

    def publisher(self, topic: str) -> Publisher:
        return self._kept(YarpPublisher(topic, self._address()))

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        waits = self.quality.waits(own=True)
        subscriber = self._kept(YarpSubscriber(topic, self._address(), depth, waits))
        self._connecting.add(subscriber)
        return subscriber

    def _address(self) -> str:
        if self._server is None:
            raise UserError("yarp: it is closed; open it again")
        return self._server

    def close(self) -> None:
        self._connecting.close()
        super().close()
        server, self._server = self._server, None
        if server is not None:
            leave()


def _yarpserver() -> str | None:
    """Return the path of the name server, also beside the binding, in another environment."""
    beside = [get_path("scripts"), *(str(parent / "bin") for parent in _folder().parents[2:3])]
    return program("yarpserver") or shutil.which("yarpserver", path=os.pathsep.join(beside))
