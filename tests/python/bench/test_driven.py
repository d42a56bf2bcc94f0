# SPDX-License-Identifier: Apache-2.0
"""Commands are answered one by one until ``close``, whatever they raise."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

PROGRAM = """
from wirecost.bench.driven import drive
from wirecost.errors import UserError

class Echo:
    def do(self, command):
        if command["do"] == "refuse":
            raise UserError("not this one")
        if command["do"] == "break":
            raise ValueError("first line\\nsecond line")
        print("what a library prints")
        return {"done": command["do"]}

    def close(self):
        print("closed")

drive(lambda lines: Echo())
"""


def _answers(*commands: str, status: int = 0) -> tuple[list[dict[str, Any]], str]:
    given = "".join(json.dumps({"do": command}) + "\n" for command in commands)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=given,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def test_each_command_but_finish_and_close_has_one_answer() -> None:
    answers, printed = _answers("open", "finish", "refuse", "break", "block", "close", "open")
    assert answers == [
        {"done": "open"},
        {"failure": "not this one"},
        {"failure": "ValueError: first line"},
        {"done": "block"},
    ]
    assert "what a library prints" in printed and printed.rstrip().endswith("closed")


def test_it_ends_when_nobody_drives_it_any_more() -> None:
    answers, _ = _answers("open")
    assert answers == [{"done": "open"}]
