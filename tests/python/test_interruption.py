# SPDX-License-Identifier: Apache-2.0
"""A signal ends what a command does, wherever it lands."""

from __future__ import annotations

import signal
import sys
import time

import pytest

from wirecost.system.interruption import Interrupted, watched

LONG_S = 10


class Destroyed:
    """Receives a signal where Python ignores exceptions."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGTERM)


def test_a_signal_raises_within() -> None:
    with pytest.raises(Interrupted, match="SIGHUP") as found, watched():
        signal.raise_signal(signal.SIGHUP)
    assert found.value.status == 129


def test_one_that_was_lost_in_a_destructor_raises_later(capsys: pytest.CaptureFixture[str]) -> None:
    hook = sys.unraisablehook
    with pytest.raises(Interrupted, match="SIGTERM"), watched() as watch:
        one = Destroyed()
        del one
        assert watch.seen is not None
        end = time.monotonic() + LONG_S
        while time.monotonic() < end:
            time.sleep(0.001)
        pytest.fail("nothing was raised")
    assert capsys.readouterr() == ("", "")
    assert sys.unraisablehook is hook


def test_one_that_was_lost_is_only_noted_where_a_command_ends() -> None:
    with watched() as watch:
        one = Destroyed()
        del one
        watch.hold()
        time.sleep(0.1)
        assert watch.seen is not None


def test_other_exceptions_that_nobody_can_catch_are_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("broken")

    with watched():
        one = Broken()
        del one
    assert "ValueError: broken" in capsys.readouterr().err
