# SPDX-License-Identifier: Apache-2.0
"""Pairs of talker and listener, and ``wirecost lost --live ros2`` beside them, in one network.

``python lost_scenario.py PYTHON NODE MODE,MODE… FOLDER OPTIONS…``: numbers that a mode's listener
took go to FOLDER/MODE. Talkers begin when the graph is watched; the watch ends when they are done.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

python, node, modes, folder, *options = sys.argv[1:]
WATCHED_S = 3.0
"""Seconds after the last message, in which listeners take it and names of nodes come."""


def wait_for(process: subprocess.Popen[bytes], word: bytes) -> None:
    """Pass on what a process says until it says a word."""
    stream = process.stderr or process.stdout
    assert stream is not None
    for line in stream:
        sys.stderr.buffer.write(line)
        sys.stderr.flush()
        if word in line:
            return
    sys.exit(f"{word!r} was not said")


def end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


with ExitStack() as stack:
    talkers = []
    for mode in modes.split(","):
        numbers = stack.enter_context((Path(folder) / mode).open("wb"))
        stack.callback(end, subprocess.Popen([python, node, "listen", mode], stdout=numbers))
        words = [python, node, "talk", mode]
        talker = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stack.callback(end, talker)
        talkers.append(talker)
    for talker in talkers:
        wait_for(talker, b"ready")
    command = [sys.executable, "-m", "wirecost", "lost", "--live", "ros2", "--python", python]
    watch = subprocess.Popen([*command, "--for", "300s", *options], stderr=subprocess.PIPE)
    stack.callback(end, watch)
    wait_for(watch, b"watching")
    for talker in talkers:
        assert talker.stdin is not None
        talker.stdin.write(b"go\n")
        talker.stdin.flush()
    for talker in talkers:
        wait_for(talker, b"done")
    time.sleep(WATCHED_S)
    watch.send_signal(signal.SIGINT)
    sys.stderr.buffer.write(watch.communicate()[1])
    sys.exit(watch.returncode)
