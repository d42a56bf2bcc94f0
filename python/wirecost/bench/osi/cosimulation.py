# SPDX-License-Identifier: Apache-2.0
"""A source and a sensor FMU connected under FMPy, as any importer would connect them."""

from __future__ import annotations

import time

from wirecost.bench.osi.fmu import STEP_SIZE, Fmu, Message, Values


class Cosimulation:
    """Source → sensor: the source's sensor view is handed to the sensor at every step."""

    def __init__(self, source: Fmu, sensor: Fmu) -> None:
        self._source = source
        self._sensor = sensor
        self._frame = 0

    def start(self, source: Values, sensor: Values) -> None:
        self._source.start(source)
        self._sensor.start(sensor)

    def step(self) -> int:
        """Advance both models; nanoseconds that handing over the message took."""
        current = self._frame * STEP_SIZE  # not a sum: a frame is the same however it is reached
        self._source.step(current)
        before = time.perf_counter_ns()
        self._sensor.set_message("OSMPSensorViewIn", self._source.message("OSMPSensorViewOut"))
        after = time.perf_counter_ns()
        self._sensor.step(current)
        self._frame += 1
        return after - before

    def jump(self, frame: int) -> None:
        """Go on at that frame's time. The source's content follows from the time alone."""
        self._frame = frame

    @property
    def sensor_view(self) -> Message:
        return self._source.message("OSMPSensorViewOut")

    @property
    def sensor_data(self) -> Message:
        return self._sensor.message("OSMPSensorDataOut")

    @property
    def read_sum(self) -> int:
        """What the sensor made of all reflections, 0 unless its ``read_all`` is set."""
        return self._sensor.integer("read_sum")

    def close(self) -> None:
        try:
            self._source.close()
        finally:
            self._sensor.close()
