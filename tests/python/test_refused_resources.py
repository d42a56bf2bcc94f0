# SPDX-License-Identifier: Apache-2.0
"""Programs that end where memory, disk or the clock are refused to them: in one line, or not."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from wirecost import __main__ as program
from wirecost.cli import root
from wirecost.observe.heap.launch import library
from wirecost.observe.probe.run import log_room
from wirecost.system.errors import UserError

FORBIDS_TSC = "import ctypes, os; ctypes.CDLL(None).prctl(26, 2); os.write(1, b'lives')"
"""PR_SET_TSC, PR_TSC_SIGSEGV: reading the time-stamp counter ends the program."""


def _ending(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[object, str]:
    """Return status and standard error of a command that ends with the error."""

    def app() -> None:
        raise error

    monkeypatch.setattr(root, "app", app)
    monkeypatch.setattr(sys, "argv", ["wirecost", "cost"])
    with pytest.raises(SystemExit) as ended:
        program.main()
    return ended.value.code, capsys.readouterr().err


def test_too_little_memory_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, said = _ending(MemoryError(), monkeypatch, capsys)
    assert (status, said) == (2, f"wirecost: {program.TOO_LITTLE_MEMORY}\n")


def test_a_log_needs_room_before_the_program_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log_room.check_room(tmp_path)

    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(UserError, match="No space left on device; make room"):
        log_room.check_room(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_heap_reads_no_forbidden_clock() -> None:
    code = f"{FORBIDS_TSC}; x = [bytes(1 << 16) for _ in range(2000)]; os._exit(0)"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "LD_PRELOAD": str(library())},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, b"lives")
