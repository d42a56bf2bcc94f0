# SPDX-License-Identifier: Apache-2.0
"""FMU archives opened by FMPy, whatever their FMI version, and a co-simulation of two."""

from __future__ import annotations

import ctypes
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

from fmpy import read_model_description
from fmpy.fmi2 import FMU2Slave
from fmpy.fmi3 import FMU3Slave

from wirecost.measure.bench.osi import fmu_archive
from wirecost.system.errors import UserError

STEP_SIZE = 0.020

Values = dict[str, int | float | bool | str]


@dataclass(frozen=True)
class OsmpMessage:
    """OSMP message where the FMU keeps it: address and size in bytes."""

    address: int
    size: int


class Fmu(Protocol):
    """FMU as the co-simulation sees it, whatever its FMI version."""

    def start(self, values: Values) -> None: ...
    def step(self, current: float) -> None: ...
    def message(self, name: str) -> OsmpMessage: ...
    def set_message(self, name: str, message: OsmpMessage) -> None: ...
    def integer(self, name: str) -> int: ...
    def close(self) -> None: ...


def open_fmu(path: Path) -> Fmu:
    """Load an FMU archive. Raises UserError if it cannot be used here."""
    if not path.is_file():
        raise UserError(f"{path}: no such FMU")
    names = fmu_archive.names(path)
    try:
        description: Any = read_model_description(str(path))
    except Exception as error:  # FMPy and lxml raise many kinds
        reason = fmu_archive.reason(error)
        raise UserError(f"{path}: not a readable FMU ({reason}); build it again") from error
    folders = {"2.0": "linux64", "3.0": f"{platform.machine()}-linux"}
    folder = folders.get(description.fmiVersion)
    if folder is None or description.coSimulation is None:
        raise UserError(f"{path}: not an FMI 2 or 3 FMU for co-simulation; export it as one")
    library = f"binaries/{folder}/{description.coSimulation.modelIdentifier}.so"
    if library not in names:
        others = sorted({n.split("/")[1] for n in names if n.startswith("binaries/") and n[9:]})
        built = fmu_archive.shown(", ".join(others)) or "no platform"
        raise UserError(
            f"{path}: has no {library} (built for: {built}); build the FMU for this platform"
        )
    return Fmi2(path, description) if description.fmiVersion == "2.0" else Fmi3(path, description)


class _Imported:
    """Base of both FMI versions. ``setters``: FMPy's methods by a variable's type."""

    kind: ClassVar[type]
    setters: ClassVar[dict[str, str]]

    def __init__(self, path: Path, description: Any) -> None:
        self._archive = fmu_archive.Extracted(path, description)
        self._fmu = self._archive.load(self.kind)

    def start(self, values: Values) -> None:
        self._fmu.instantiate()
        self._set_up()
        self._fmu.enterInitializationMode()
        for name, value in values.items():
            reference = self._archive.reference(name)
            setter = getattr(self._fmu, self.setters[self._archive.variables[name].type])
            setter([reference], [value])
        self._fmu.exitInitializationMode()

    def _set_up(self) -> None:
        """Set up what must be between instantiation and initialization."""

    def step(self, current: float) -> None:
        self._fmu.doStep(currentCommunicationPoint=current, communicationStepSize=STEP_SIZE)

    def close(self) -> None:
        """End it. Raises what the FMU reports, as that its log could not be written."""
        try:
            if self._fmu.component:
                try:
                    self._fmu.terminate()
                finally:
                    self._fmu.freeInstance()
        finally:
            self._archive.remove()


class Fmi2(_Imported):
    """FMI 2 co-simulation FMU: a message is three integers."""

    kind = FMU2Slave
    setters: ClassVar = {
        "Integer": "setInteger",
        "Boolean": "setBoolean",
        "Real": "setReal",
        "String": "setString",
    }

    def __init__(self, path: Path, description: Any) -> None:
        super().__init__(path, description)
        self._references: dict[str, list[int]] = {}

    def _set_up(self) -> None:
        self._fmu.setupExperiment(startTime=0.0)

    def integer(self, name: str) -> int:
        return int(self._fmu.getInteger([self._archive.reference(name)])[0])

    def message(self, name: str) -> OsmpMessage:
        low, high, size = self._fmu.getInteger(self._parts(name))
        return OsmpMessage((high & 0xFFFFFFFF) << 32 | (low & 0xFFFFFFFF), size)

    def set_message(self, name: str, message: OsmpMessage) -> None:
        low = ctypes.c_int32(message.address & 0xFFFFFFFF).value
        high = ctypes.c_int32(message.address >> 32).value
        self._fmu.setInteger(self._parts(name), [low, high, message.size])

    def _parts(self, name: str) -> list[int]:
        if name not in self._references:
            parts = ("base.lo", "base.hi", "size")
            self._references[name] = [self._archive.reference(f"{name}.{p}") for p in parts]
        return self._references[name]


class Fmi3(_Imported):
    """FMI 3 co-simulation FMU: a message is one Binary, copied by whoever receives it."""

    kind = FMU3Slave
    setters: ClassVar = {
        "Int32": "setInt32",
        "Boolean": "setBoolean",
        "Float64": "setFloat64",
        "String": "setString",
    }

    def integer(self, name: str) -> int:
        return int(self._fmu.getInt32([self._archive.reference(name)])[0])

    def message(self, name: str) -> OsmpMessage:
        reference = (ctypes.c_uint32 * 1)(self._archive.reference(name))
        size = (ctypes.c_size_t * 1)()
        value = (ctypes.POINTER(ctypes.c_uint8) * 1)()
        fmu = self._fmu
        fmu.fmi3GetBinary(fmu.component, reference, 1, size, value, 1)
        return OsmpMessage(ctypes.cast(value[0], ctypes.c_void_p).value or 0, size[0])

    def set_message(self, name: str, message: OsmpMessage) -> None:
        # FMPy's own setBinary copies into Python first; the pointer spares an importer that.
        reference = (ctypes.c_uint32 * 1)(self._archive.reference(name))
        size = (ctypes.c_size_t * 1)(message.size)
        pointer = ctypes.cast(message.address, ctypes.POINTER(ctypes.c_uint8))
        value = (ctypes.POINTER(ctypes.c_uint8) * 1)(pointer)
        fmu = self._fmu
        fmu.fmi3SetBinary(fmu.component, reference, 1, size, value, 1)


class Cosimulation:
    """Source and sensor, connected as any importer would connect them.

    The source's sensor view is handed to the sensor at every step.
    """

    def __init__(self, source: Fmu, sensor: Fmu) -> None:
        self._source = source
        self._sensor = sensor
        self._frame = 0

    def start(self, source: Values, sensor: Values) -> None:
        self._source.start(source)
        self._sensor.start(sensor)

    def step(self) -> int:
        """Advance both models; return the nanoseconds that handing over the message took."""
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
    def sensor_view(self) -> OsmpMessage:
        return self._source.message("OSMPSensorViewOut")

    @property
    def sensor_data(self) -> OsmpMessage:
        return self._sensor.message("OSMPSensorDataOut")

    @property
    def read_sum(self) -> int:
        """Return the sensor's sum over all reflections, 0 unless its ``read_all`` is set."""
        return self._sensor.integer("read_sum")

    def close(self) -> None:
        try:
            self._source.close()
        finally:
            self._sensor.close()
