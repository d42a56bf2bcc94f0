# SPDX-License-Identifier: Apache-2.0
"""Steps of ``test_nodes.py`` in a network of its own.

An ordinary user's shell has sourced ROS 2's ``setup.bash``: a node runs under ``probe run``, or
is recorded and replayed.

    python scenario.py probe|/NODE_TO_RECORD FOLDER USER ROS2_PREFIX NODE FEEDER…

Prints JSON. The feeder, which is given how many readers to wait for, sets the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

WIRECOST = Path(sys.executable).with_name("wirecost")
PATIENCE_S = 120


class Scenario:
    def __init__(self, folder: Path, user: int, prefix: Path) -> None:
        if os.geteuid() == 0:
            os.chown(folder, user, user)
        own = {"HOME": str(folder), "WIRECOST_STATE": str(folder / "state"), "LANG": "C.UTF-8",
               "PATH": os.environ["PATH"], "ROS_LOG_DIR": str(folder),
               "ROS_DOMAIN_ID": os.environ["ROS_DOMAIN_ID"]}  # fmt: skip
        sourced = subprocess.run(
            ["bash", "-c", 'source "$0" && env -0', prefix / "setup.bash"],
            env=own, capture_output=True, text=True, check=True,
        )  # fmt: skip
        lines = (line for line in sourced.stdout.split("\0") if line)
        self._environment = dict(line.split("=", 1) for line in lines)
        self._folder = folder
        self._user = user if os.geteuid() == 0 else None

    def start(self, *command: str | Path) -> subprocess.Popen[str]:
        """In a process group of its own, which gets Ctrl-C as that of a terminal does."""
        return subprocess.Popen(
            command, cwd=self._folder, env=self._environment, text=True, start_new_session=True,
            user=self._user, group=self._user, extra_groups=[] if self._user else None,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *command: str | Path) -> dict[str, Any]:
        return outcome(self.start(*command))

    def probe(self, node: str, *feeder: str) -> dict[str, Any]:
        probed = self.start(WIRECOST, "probe", "run", "--json", "probed.json", "--", node)
        fed = self.run(*feeder, "1")
        result = {"fed": fed, "probe": interrupted(probed)}
        result |= json.loads(Path(self._folder, "probed.json").read_text())
        return result | {"counts": last_line(result["probe"])}

    def replay(self, name: str, program: str, *feeder: str) -> dict[str, Any]:
        running = self.start(program)
        record = ("record", name, "--system", "dds", "--out", "recorded")
        recording = self.start(WIRECOST, *record)
        fed = self.run(*feeder, "2")
        result = {"fed": fed, "record": interrupted(recording), "node": interrupted(running)}
        result["counts"] = last_line(result["node"])
        replay = ("replay", "recorded", "--no-report", "--out", "replayed", "--json", "out.json")
        result["replay"] = self.run(WIRECOST, *replay)
        written = Path(self._folder, "out.json")
        return result | (json.loads(written.read_text()) if written.exists() else {})


def outcome(process: subprocess.Popen[str]) -> dict[str, Any]:
    try:
        out, error = process.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, error = process.communicate()
    return {"status": process.returncode, "out": out, "error": error}


def interrupted(process: subprocess.Popen[str]) -> dict[str, Any]:
    os.killpg(process.pid, signal.SIGINT)
    return outcome(process)


def last_line(process: dict[str, Any]) -> Any:
    """Return the counts, which a node prints last; a table of ``probe run`` may follow them."""
    lines = [line for line in process["out"].splitlines() if line.startswith("{")]
    return json.loads(lines[-1]) if lines else None


what, folder, user, prefix, *words = sys.argv[1:]
scenario = Scenario(Path(folder), int(user), Path(prefix))
print(json.dumps(scenario.probe(*words) if what == "probe" else scenario.replay(what, *words)))
