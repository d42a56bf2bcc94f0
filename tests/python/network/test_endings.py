# SPDX-License-Identifier: Apache-2.0
"""Namespaces, queues and processes are gone, however the command ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support.waiting import until

COMMAND = """
import os, sys
from wirecost.system import children
from wirecost.system import interruption
from wirecost.measure.network.hosts import network
from wirecost.measure.network.profiles import BUILT_IN
with interruption.watched(), network(BUILT_IN[sys.argv[1]], 2) as made:
    inside = [children.start([*one.prefix, "sleep", "1000"]).pid for one in made.hosts]
    names = [one.namespace for one in made.hosts]
    if hasattr(made.wire, "pid"):
        inside.append(made.wire.pid)
    else:
        names.append(made.wire._namespace)
    print(*(os.fstat(one.descriptor).st_ino for one in names), "/", *inside, flush=True)
    if sys.stdin.readline() == "fail\\n":
        raise RuntimeError("planned")
"""


def _holders(inodes: set[int]) -> Iterator[str]:
    """All that keeps a network namespace alive: a process in it, an open file, a mount."""
    names = {f"net:[{inode}]" for inode in inodes}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            links = [entry / "ns" / "net", *(entry / "fd").iterdir()]
            yield from (str(link) for link in links if os.readlink(link) in names)  # noqa: PTH115
        with suppress(OSError):
            mounts = (entry / "mountinfo").read_text()
            yield from (f"{entry}: mounted" for name in names if name in mounts)


def _runs(process: int) -> bool:
    """Not for one that has ended and that its new parent has not asked for yet."""
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.parametrize("profile", ["lan", "wan"])
@pytest.mark.parametrize("ending", ["success", "failure", "ctrl-c", "killed"])
def test_nothing_is_left(profile: str, ending: str, request: pytest.FixtureRequest) -> None:
    request.getfixturevalue(profile)
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, profile],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None and process.stdout is not None
    try:
        named, _, started = process.stdout.readline().partition("/")
        inodes = {int(inode) for inode in named.split()}
        inside = [int(pid) for pid in started.split()]
        assert len(inodes) + len(inside) == 7, process.communicate()
        # What is looked for below can be found.
        assert len(list(_holders(inodes))) >= len(inodes)
        match ending:
            case "killed":
                process.kill()
            case "ctrl-c":
                process.send_signal(signal.SIGINT)
            case "failure":
                process.stdin.write("fail\n")
        _, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    statuses = {"success": 0, "failure": 1, "ctrl-c": 1, "killed": -signal.SIGKILL}
    assert process.returncode == statuses[ending] or ending == "ctrl-c", errors
    if ending != "killed":
        assert not list(_holders(inodes)), errors
    until(lambda: not [*_holders(inodes), *filter(_runs, inside)])
