# SPDX-License-Identifier: Apache-2.0
"""A graph of one program, and ``wirecost cost --live ros2`` beside it, in one network.

``python cost_scenario.py PYTHON NODE SENT KILLED_S OPTIONS…``; what the graph prints goes to SENT.
It is killed and started again so many seconds after somebody listens, unless they are 0.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

python, node, sent, killed_s, *options = sys.argv[1:]
listening = threading.Event()


def pass_on(look: subprocess.Popen[bytes]) -> None:
    """Pass on what the command says of its progress, and note when it listens."""
    assert look.stderr is not None
    for line in look.stderr:
        sys.stderr.buffer.write(line)
        sys.stderr.flush()
        if b"listening" in line:
            listening.set()


with Path(sent).open("wb") as said:
    graph = subprocess.Popen([python, node], stdout=said)
    if float(killed_s):
        time.sleep(2)  # until it has published what it keeps
    command = [sys.executable, "-m", "wirecost", "cost", "--live", "ros2", "--python", python]
    look = subprocess.Popen([*command, *options], stderr=subprocess.PIPE)
    passing = threading.Thread(target=pass_on, args=[look])
    passing.start()
    try:
        if float(killed_s) and listening.wait(60):
            time.sleep(float(killed_s))
            graph.kill()
            graph.wait()
            graph = subprocess.Popen([python, node], stdout=said)
        code = look.wait()
        passing.join()
        sys.exit(code)
    finally:
        look.kill()
        graph.kill()
        graph.wait()
