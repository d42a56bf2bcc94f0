# SPDX-License-Identifier: Apache-2.0
"""A graph of ``talkers.py``, and ``wirecost cost --live ros2`` beside it, in one network.

``python cost_scenario.py PYTHON NODE OPTIONS…``
"""

from __future__ import annotations

import subprocess
import sys

python, node, *options = sys.argv[1:]
graph = subprocess.Popen([python, node])
try:
    command = [sys.executable, "-m", "wirecost", "cost", "--live", "ros2", "--python", python]
    sys.exit(subprocess.run([*command, *options], check=False).returncode)
finally:
    graph.kill()
    graph.wait()
