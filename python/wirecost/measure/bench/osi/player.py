# SPDX-License-Identifier: Apache-2.0
"""Frames of a trace played into a sensor FMU, which reads them where they lie."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirecost.measure.bench.osi.fmu import STEP_SIZE, OsmpMessage, Values, open_fmu
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError

MAX_MESSAGE = 2**31 - 1
"""Bytes that OSMP can carry."""
NANOS = 1_000_000_000


@dataclass(frozen=True)
class PlayedStep:
    """Step: its frame, the nanoseconds that handing it over and the step took, the answer."""

    frame: memoryview
    step_ns: int
    sensor_data: bytes


class Player(Closing):
    """Sensor FMU that gets one sensor view a step. Raises UserError."""

    def __init__(self, archive: Path, values: Values) -> None:
        self._archive = archive
        self._fmu = open_fmu(archive)
        self._steps = 0
        self._held = memoryview(b"")
        try:
            self._fmu.start(values)
        except BaseException as error:
            with suppress(Exception):  # the first failure is the one to report
                self._fmu.close()
            raise _failed(archive, "start", error) from error

    def step(self, frame: memoryview) -> PlayedStep:
        if len(frame) > MAX_MESSAGE:
            raise UserError(
                f"{self._archive}: frame {self._steps} has {len(frame)} bytes, OSMP carries "
                f"at most {MAX_MESSAGE}; leave it out with `wirecost trace convert`"
            )
        # The sensor keeps the address until it is given another.
        self._held = frame
        try:
            message = OsmpMessage(_address(frame), len(frame))
            before = time.perf_counter_ns()
            self._fmu.set_message("OSMPSensorViewIn", message)
            self._fmu.step(self._steps * STEP_SIZE)
            after = time.perf_counter_ns()
            answer = self._fmu.message("OSMPSensorDataOut")
        except Exception as error:
            raise _failed(self._archive, f"step {self._steps}", error) from error
        self._steps += 1
        data = ctypes.string_at(answer.address, answer.size) if answer.size > 0 else b""
        return PlayedStep(frame, after - before, data)

    def close(self) -> None:
        try:
            self._fmu.close()
        except Exception as error:
            raise _failed(self._archive, "end", error) from error

    def __exit__(self, *raised: object) -> None:
        # The first of two failures is the one to report.
        with suppress(UserError) if any(raised) else nullcontext():
            self.close()


def play(
    player: Player, frames: Iterable[tuple[int | None, memoryview]], rate: float | None
) -> Iterator[PlayedStep]:
    """Play frames (timestamp in nanoseconds, message) at ``rate`` times their own pace.

    Without a rate as fast as possible. Where timestamps are missing or fall back, as where a trace
    begins again, the next frame follows after one step of the co-simulation.
    """
    due = time.monotonic()
    last: int | None = None
    for stamp, frame in frames:
        if rate is not None:
            grown = stamp - last if stamp is not None and last is not None else 0
            if last is not None or stamp is None:
                due += (grown / NANOS if grown > 0 else STEP_SIZE) / rate
            time.sleep(max(0.0, due - time.monotonic()))
            last = stamp
        yield player.step(frame)


def _address(frame: memoryview) -> int:
    return int(np.frombuffer(frame, dtype=np.uint8).ctypes.data) if len(frame) else 0


def _failed(archive: Path, what: str, error: BaseException) -> BaseException:
    if isinstance(error, UserError) or not isinstance(error, Exception):
        return error
    return UserError(f"{archive}: {what} failed ({error}); see what the FMU logged")
