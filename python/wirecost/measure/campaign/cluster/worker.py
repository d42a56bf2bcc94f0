# SPDX-License-Identifier: Apache-2.0
"""A machine that takes tasks, for as long as there is a scheduler.

It is a process of Dask's, started anew when it is killed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from wirecost.measure.campaign.cluster.worker_process import STARTED, UNREACHABLE
from wirecost.system import children
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

AGAIN_S = 1.0


def serve(
    scheduler: str,
    machine: str,
    keys: str | None,
    say: Callable[[str], None],
    ended: threading.Event,
) -> None:
    """Run workers until ``ended``, or the scheduler has gone.

    Raises UserError if there never was a scheduler.
    """
    ever_begun = False
    while not ended.is_set():
        status, begun, last = _one(scheduler, machine, keys, say, ended)
        ever_begun = ever_begun or begun
        if ended.is_set():
            return
        if status == 0 or (status == UNREACHABLE and ever_begun):
            say(f"{scheduler}: has ended")
            return
        if not begun:
            raise UserError(f"{scheduler}: no worker can be started ({shown(last, 300)})")
        say(f"worker {children.ending(status)}; starting another")
        time.sleep(AGAIN_S)


def _one(
    scheduler: str,
    machine: str,
    keys: str | None,
    say: Callable[[str], None],
    ended: threading.Event,
) -> tuple[int, bool, str]:
    """Return its exit status, whether it took work, and the last that it said of an error."""
    process = children.start(
        [sys.executable, "-P", "-m", "wirecost.measure.campaign.cluster.worker_process"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        errors="replace",
    )  # fmt: skip
    errors: list[str] = []
    threads = [
        threading.Thread(target=_drain, args=(process.stderr, errors), daemon=True),
        threading.Thread(target=_end_with, args=(ended, process), daemon=True),
    ]
    for thread in threads:
        thread.start()
    begun = False
    try:
        text = json.dumps({"scheduler": scheduler, "machine": machine, "keys": keys})
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(text)
            process.stdin.close()
        except BrokenPipeError:
            pass
        for line in process.stdout:
            if line.strip() == STARTED:
                begun = True
                say(f"{machine}: takes tasks of {scheduler}")
        process.wait()
    finally:
        children.end(process)
    threads[0].join(timeout=1)
    last = errors[-1] if errors else "cannot reach it, or its keys are others'"
    return process.returncode, begun, last


def _drain(stream: object, into: list[str]) -> None:
    for line in stream:  # type: ignore[attr-defined]
        into[:] = [*into[-20:], line.strip()] if line.strip() else into


def _end_with(ended: threading.Event, process: subprocess.Popen[str]) -> None:
    while process.poll() is None:
        if ended.wait(0.2):
            process.terminate()
            return
