# SPDX-License-Identifier: Apache-2.0
"""Runs of ``scenario.py``: what the command said, and what the listeners really took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from wirecost.measure.network.hosts import network
from wirecost.measure.network.namespace import Namespace

from .faults import LOSSES, LOSSY, PROFILE_VARIABLES, SMALL, SMALL_SOCKETS

SCENARIO = Path(__file__).with_name("scenario.py")
NODE = Path(__file__).with_name("losing.py")
ANSWER = "answer.json"
UNSEEN = {"places": {}, "taken": 0, "published": 0, "refusals": {}}
"""A subscription of which the command says nothing."""


@dataclass
class Watched:
    """What the command counted, the numbers that each mode's listener took, and a share of a core.

    ``share``: of the command, while messages were published.
    """

    answer: Any
    taken: Mapping[str, Sequence[int]]
    share: float

    def of(self, mode: str) -> Any:
        """Return the subscription of a mode's listener."""
        every = [each for each in self.answer["subscriptions"] if each["topic"] == f"/{mode}"]
        return every[0] if len(every) == 1 else UNSEEN

    def missing(self, mode: str) -> int:
        """Return how many messages its listener lacks between the first and the last."""
        return sum(after - before - 1 for before, after in pairwise(self.taken[mode]))

    def is_exact(self, mode: str, place: str) -> bool:
        """Say whether the counts of a mode are those of its listener, and died at that place."""
        subscription, numbers, missing = self.of(mode), self.taken[mode], self.missing(mode)
        return bool(
            numbers
            and subscription["places"] == ({place: missing} if missing else {})
            and subscription["taken"] == len(numbers)
            # None where the talker is in another network.
            and subscription["published"] in (None, numbers[-1] - numbers[0] + 1)
        )


def command(
    python: Path,
    modes: Sequence[str],
    folder: Path,
    options: Sequence[str],
    talkers_by: Sequence[str] = (),
) -> list[str]:
    """Return the words of a run; ``talkers_by``: words before those of a talker."""
    job = {
        "python": str(python), "node": str(NODE), "modes": list(modes), "folder": str(folder),
        "options": [*options, "--json", str(folder / ANSWER)], "talkers_by": list(talkers_by),
    }  # fmt: skip
    return [sys.executable, str(SCENARIO), json.dumps(job)]


def watched(folder: Path, modes: Sequence[str]) -> Watched:
    """Read what a run left."""
    names = [mode.partition("=")[0] for mode in modes]
    taken = {name: [*map(int, (folder / name).read_text().split())] for name in names}
    answer = json.loads((folder / ANSWER).read_text())
    return Watched(answer, taken, float((folder / "share").read_text()))


def small_sockets(folder: Path) -> dict[str, str]:
    """Return variables that give Fast DDS sockets of 70 kB."""
    profile = folder / "small.xml"
    profile.write_text(SMALL_SOCKETS)
    return dict.fromkeys(PROFILE_VARIABLES, str(profile))


def run(python: Path, modes: Sequence[str], kind: str) -> Watched:
    """Let modes run in a network of that kind, with breakpoints. Raises UserError."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        variables: dict[str, str] = {}
        talkers_by: Sequence[str] = ()
        if kind == LOSSY:
            hosts = stack.enter_context(network(LOSSES, 1))
            talkers_by, here_by = hosts.publisher.prefix, hosts.subscribers[0].prefix
            # Else Fast DDS may find that both hosts are one machine.
            variables = {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}
        else:
            here_by = stack.enter_context(Namespace()).prefix
            variables = small_sockets(folder) if kind == SMALL else {}
        words = command(python, modes, folder, ["--attach"], talkers_by)
        own = {**os.environ, **variables, "ROS_LOG_DIR": str(folder)}
        subprocess.run([*here_by, *words], env=own, stdout=subprocess.DEVNULL, check=True)
        return watched(folder, modes)
