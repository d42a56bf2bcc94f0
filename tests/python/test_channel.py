# SPDX-License-Identifier: Apache-2.0
"""Both ends of a channel: commands are answered one by one, and every failure is named."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest

from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.waiting import wait_until

SERVING = """
import subprocess, sys
from wirecost.system.channel.serving import drive
from wirecost.system.errors import UserError

class Echo:
    def do(self, command):
        match command["do"]:
            case "refuse":
                raise UserError("not this one")
            case "break":
                raise ValueError("first line\\nsecond line")
            case "start":
                return {"pid": subprocess.Popen(["sleep", "100"]).pid}
        print("what a library prints")
        return {"done": command["do"]}

    def close(self):
        print("closed")

drive(lambda lines: Echo())
"""
Start = Callable[..., Channel]


@pytest.fixture
def start() -> Iterator[Start]:
    """``start(program)``: a channel to a Python program."""
    with ExitStack() as stack:

        def start(program: str, **options: Any) -> Channel:
            channel = Channel("the end", [sys.executable, "-c", program], **options)
            stack.callback(channel.end)
            return channel

        yield start


def test_each_command_but_finish_and_close_has_one_answer() -> None:
    commands = ("open", "finish", "refuse", "break", "block", "close", "open")
    done = subprocess.run(
        [sys.executable, "-c", SERVING],
        input="".join(json.dumps({"do": command}) + "\n" for command in commands),
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"done": "open"},
        {"failure": "not this one"},
        {"failure": "ValueError: first line"},
        {"done": "block"},
    ]
    assert "what a library prints" in done.stderr and done.stderr.rstrip().endswith("closed")


def test_a_process_is_asked_and_ends_in_order(start: Start, tmp_path: Path) -> None:
    channel = start(SERVING, log=tmp_path / "log")
    assert channel.ask("open") == {"done": "open"}
    with pytest.raises(ProgramFailedError, match=r"^not this one$"):
        channel.ask("refuse")
    channel.end()
    channel.end()
    assert (tmp_path / "log").read_text().endswith("closed\n")
    with pytest.raises(ProgramFailedError, match="the end has ended"):
        channel.send("open")


def test_what_a_process_has_started_ends_with_it(start: Start) -> None:
    channel = start(SERVING)
    child = psutil.Process(channel.ask("start")["pid"])
    channel.end()
    assert wait_until(
        lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, timeout=30
    )


@pytest.mark.parametrize(
    "program, reason",
    [
        ("input(); input()", "the end: no answer within 0.2 s"),
        ("raise SystemExit('why')", "the end ended with status 1: why"),
        ("import os; os.kill(os.getpid(), 9)", "the end was ended by SIGKILL"),
        ("print('ready', flush=True); input()", "the end: a line is not JSON"),
        ("print('[1]', flush=True); input()", "the end: a line is not a JSON object"),
        ("print('x' * (1 << 27), flush=True)", "the end: a line is longer than 67108864 bytes"),
    ],
)
def test_whatever_a_process_does_instead_of_an_answer_is_named(
    start: Start, program: str, reason: str
) -> None:
    with pytest.raises(ProgramFailedError, match=f"^{reason}$"):
        start(program).receive(0.2 if "within" in reason else 30)
