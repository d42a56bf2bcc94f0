# SPDX-License-Identifier: Apache-2.0
"""``--role listen``: waits for the machine that publishes, and runs its listeners."""

from __future__ import annotations

import hmac
import ipaddress
import select
import socket
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psutil

from wirecost.measure.bench.tensor.commands import (
    MOST_COMMAND,
    VERSION,
    RefusedCommandError,
    check_command,
    check_start,
)
from wirecost.measure.bench.tensor.commands import MOST_WORKERS as MOST
from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.measure.bench.tensor.contenders.base import TensorMeeting
from wirecost.measure.bench.tensor.link import Link, LinkError, plain
from wirecost.measure.bench.tensor.pair import start_end
from wirecost.observe.doctor.environment import environment
from wirecost.system import scratch
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

GREETING_S = 5.0
"""Seconds after which a client that sends nothing makes room for others."""

Show = Callable[[str], None]


def serve(
    host: str, port: int, token: str, addresses: dict[str, str], show: Show, source: str = ""
) -> None:
    """Serve one run.

    ``addresses`` go before those that the publisher names; ``source``: where the publisher's user
    has the token from, empty where it is to be shown. Raises UserError if it cannot listen there,
    or if the publisher goes away before it is done.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        server = socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"--listen-at {host}:{port}: {reason}; give an address of this machine and a free port"
        ) from error
    with server:
        address, bound_port = server.getsockname()[:2]
        if ipaddress.ip_address(address.partition("%")[0]).is_unspecified:
            address = socket.gethostname()
        where = f"[{address}]:{bound_port}" if ":" in address else f"{address}:{bound_port}"
        show(
            f"waiting at {where}; on the other machine run: wirecost bench tensor --role publish"
            f" --peer {where}" + (f", with {source}" if source else f" --token {token}")
        )
        while True:
            connected, who = server.accept()
            with closing(Link(connected, MOST_COMMAND)) as link:
                try:
                    _greet(link, token)
                except (LinkError, RefusedCommandError) as error:
                    show(f"{who[0]} was refused: {error}")
                    continue
                # A mapped address of version 6 is loopback if the one within it is.
                away = ipaddress.ip_address(who[0].removeprefix("::ffff:").partition("%")[0])
                show(f"{who[0]} publishes")
                with scratch.folder("logs") as logs:
                    session = ListenerSession(link, addresses, away.is_loopback, logs)
                    try:
                        session.run()
                    except (LinkError, RefusedCommandError) as error:
                        raise UserError(
                            f"{who[0]} went away before it was done: {error}; see its output"
                        ) from error
                    finally:
                        session.end()
                show("done")
                return


def _greet(link: Link, token: str) -> None:
    """Check a client, and answer. Raises LinkError, RefusedCommandError."""
    hello = link.wait(GREETING_S)
    if hello is None:
        raise RefusedCommandError(f"it sent nothing for {GREETING_S:.0f} s")
    sent = hello.get("token")
    why = None
    if hello.get("do") != "hello" or hello.get("version") != VERSION:
        why = f"the listener speaks version {VERSION}: install the same wirecost on both machines"
    elif not isinstance(sent, str) or not hmac.compare_digest(
        sent.encode(errors="replace"), token.encode()
    ):
        why = "the token is another one: take the one that the listener prints"
    if why is not None:
        link.put({"failure": why})
        raise RefusedCommandError(why)
    link.put(
        {
            "version": VERSION,
            "host": socket.gethostname(),
            "memory": psutil.virtual_memory().available,
            "environment": environment(),
        }
    )


class ListenerSession:
    """Session with one publisher: its commands go to workers, their answers to it."""

    def __init__(self, link: Link, addresses: dict[str, str], loopback: bool, logs: Path) -> None:
        """Prepare a session; ``loopback``: whether the publisher is on this machine."""
        self._link = link
        self._addresses = addresses
        self._loopback = loopback
        self._logs = logs
        self._workers: dict[int, Channel] = {}

    def run(self) -> None:
        """Serve until the publisher is done. Raises LinkError, RefusedCommandError."""
        while True:
            sources: list[Link | Channel] = [self._link, *self._workers.values()]
            ready = select.select(sources, [], [])[0]
            for number, worker in list(self._workers.items()):
                if worker in ready:
                    self._relay(number, worker)
            if self._link in ready:
                self._link.take()
                while (command := self._link.pop()) is not None:
                    if not self._do(command):
                        return

    def end(self) -> None:
        while self._workers:
            self._workers.popitem()[1].end()

    def _relay(self, number: int, worker: Channel) -> None:
        try:
            worker.take()
            while (answer := worker.pop()) is not None:
                self._link.put({"worker": number, "answer": answer})
        except ProgramFailedError as error:
            self._fail(number, error)

    def _fail(self, number: int, why: Exception) -> None:
        if (worker := self._workers.pop(number, None)) is not None:
            worker.end()
        self._link.put({"worker": number, "answer": {"failure": str(why)}})

    def _do(self, command: JsonObject) -> bool:
        """Carry out a command; return whether more may come."""
        match command.get("do"):
            case "ping":
                self._link.put({"monotonic": time.monotonic_ns(), "wall": time.time_ns()})
            case "start":
                check_start(command, self._loopback)
                self._start(command)
            case "tell":
                check_command(command.get("command"))
                self._pass_on(_number(command), command["command"])
            case "end":
                number = _number(command)
                if (worker := self._workers.pop(number, None)) is not None:
                    worker.end()
                self._link.put({"worker": number, "answer": {"done": "end"}})
            case "bye":
                return False
            case other:
                raise RefusedCommandError(f"{plain(other)!r} is no command")
        return True

    def _start(self, command: JsonObject) -> None:
        number, name, role = command["worker"], command["way"], command["role"]
        if number in self._workers or len(self._workers) >= MOST:
            raise RefusedCommandError(f"a command has no right worker; {MOST} at a time")
        address = self._addresses.get(name, command["address"])
        try:
            contender = find_contender(name, command["size"])
            if why := contender.missing():
                raise UserError(f"{name}: {why}")
            meeting = TensorMeeting(address, (), command["topic"])
            log = self._logs / f"{number}.txt"
            self._workers[number] = start_end(contender, role, meeting, log)
        except UserError as error:
            self._fail(number, error)
        else:
            self._link.put({"worker": number, "answer": {"done": "start"}})

    def _pass_on(self, number: int, command: JsonObject) -> None:
        worker = self._workers.get(number)
        if worker is None:  # it ended, of which the publisher is about to learn
            return
        try:
            worker.send(**command)
        except ProgramFailedError as error:
            self._fail(number, error)


def _number(command: JsonObject) -> int:
    number = command.get("worker")
    if type(number) is not int:
        raise RefusedCommandError("a command has no right worker")
    return number
