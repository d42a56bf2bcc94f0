# SPDX-License-Identifier: Apache-2.0
"""Pairs of talker and listener, and ``wirecost lost --live ros2`` beside them, in one network.

``python scenario.py JOB``, in JSON as ``runs.command`` makes it: the numbers that a mode's listener
took go to FOLDER/MODE, the share of a core that the command took to FOLDER/share. Talkers begin
when the graph is watched; the watch ends when they are done.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

from wirecost.observe.usage.meter import Meter

WATCHED_S = 3.0
"""Seconds after the last message, in which listeners take it and names of nodes come."""
LONGEST = "86400s"

job = json.loads(sys.argv[1])
python, node, folder, options = job["python"], job["node"], Path(job["folder"]), job["options"]


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
    for mode in job["modes"]:
        numbers = stack.enter_context((folder / mode.partition("=")[0]).open("wb"))
        words = [python, node, "listen", mode]
        stack.callback(end, subprocess.Popen(words, stdout=numbers))
        words = [*job["talkers_by"], python, node, "talk", mode]
        talker = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        stack.callback(end, talker)
        talkers.append(talker)
    for talker in talkers:
        wait_for(talker, b"ready")
    command = [sys.executable, "-m", "wirecost", "lost", "--live", "ros2", "--python", python]
    watch = subprocess.Popen([*command, "--for", LONGEST, *options], stderr=subprocess.PIPE)
    stack.callback(end, watch)
    wait_for(watch, b"watching")
    meter, begin_s = Meter([watch.pid], use_group=False), time.monotonic()
    for talker in talkers:
        assert talker.stdin is not None
        # Without breakpoints the command subscribes, when it has discovered a topic.
        talker.stdin.write(b"0\n" if "--attach" in options else b"1\n")
        talker.stdin.flush()
    for talker in talkers:
        wait_for(talker, b"done")
    share = meter.read().cpu_ns / 1e9 / (time.monotonic() - begin_s)
    (folder / "share").write_text(str(share))
    time.sleep(WATCHED_S)
    watch.send_signal(signal.SIGINT)
    sys.stderr.buffer.write(watch.communicate()[1])
    sys.exit(watch.returncode)
