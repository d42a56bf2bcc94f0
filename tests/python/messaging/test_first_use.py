# SPDX-License-Identifier: Apache-2.0
"""Functions that are imported when they are first used, by several threads at once."""

from __future__ import annotations

import subprocess
import sys

FIRST_USE = """\
import sys, threading
import wirecost

sys.setswitchinterval(1e-5)
together = threading.Barrier(2)
found = []

def use(name):
    together.wait()
    found.append(getattr(wirecost, name).__name__)

threads = [threading.Thread(target=use, args=(name,)) for name in sys.argv[1:]]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(*sorted(found))
"""


def test_two_threads_may_be_the_first() -> None:
    command = [sys.executable, "-c", FIRST_USE, "publish", "subscribe"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.split() == ["publish", "subscribe"], done.stderr
