# SPDX-License-Identifier: Apache-2.0
"""FMPy as an importer: the same exchanges as the C importer's, through its documented methods."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fmpy.fmi2 import FMU2Slave, fmi2Integer, fmi2Real, fmi2ValueReference
from fmpy.fmi3 import FMU3Slave, fmi3Float64, fmi3Int32, fmi3ValueReference

from wirecost.system.children import ProgramFailedError

from .archive import unpack

STEP_SIZE = 0.01
METHODS = {
    (2, "float64"): "Real",
    (2, "int32"): "Integer",
    (2, "string"): "String",
    (3, "float64"): "Float64",
    (3, "int32"): "Int32",
    (3, "string"): "String",
    (3, "binary"): "Binary",
}
BUFFERS = {
    (2, "float64"): (fmi2ValueReference, fmi2Real),
    (2, "int32"): (fmi2ValueReference, fmi2Integer),
    (3, "float64"): (fmi3ValueReference, fmi3Float64),
    (3, "int32"): (fmi3ValueReference, fmi3Int32),
}
"""Types of FMI's arrays that can be kept from call to call."""
WARM_UP = 8
"""Exchanges before the first timed one: every buffer of a region has its pages."""
TERMINAL = ("name", "size", "layout", "sequence")

Exchange = tuple[Callable[[], Any], Callable[[Any], object]]
"""Functions that get all values, and set them."""


class FmpySlave:
    """FMU in FMPy, stepped by time. Values are set and read by the names of variables."""

    def __init__(self, archive: Path, fmi: int, has_events: bool = False) -> None:
        self.fmi = fmi
        self._archive = unpack(archive)
        self.fmu: Any = self._archive.load(FMU2Slave if fmi == 2 else FMU3Slave)
        self._time = 0.0
        self._has_events = has_events
        self.reports: list[str] = []
        """Lines that the FMU logged."""
        if fmi == 2:
            self.fmu.instantiate()
            self.fmu.setupExperiment()
        else:
            self.fmu.instantiate(eventModeUsed=has_events, logMessage=self._log)
        self.fmu.enterInitializationMode()

    def _log(self, _environment: Any, _status: int, _category: bytes, message: bytes) -> None:
        self.reports.append(message.decode(errors="replace"))

    def start(self) -> None:
        self.fmu.exitInitializationMode()
        if self._has_events:
            self.end_event()

    def step(self) -> bool:
        """Return whether the FMU asks for an event."""
        answer = self.fmu.doStep(self._time, STEP_SIZE)
        self._time += STEP_SIZE
        return bool(answer[0]) if self.fmi == 3 else False

    def end_event(self) -> None:
        self.fmu.updateDiscreteStates()
        self.fmu.enterStepMode()

    def references(self, *names: str) -> list[int]:
        return [self._archive.reference(name) for name in names]

    def get(self, name: str) -> Any:
        return self._accessor("get", name)(self.references(name))[0]

    def set(self, name: str, value: Any) -> None:
        self._accessor("set", name)(self.references(name), [value])

    def _accessor(self, access: str, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self.fmu, access + self._archive.variables[name].type)
        return method

    def close(self) -> None:
        """Terminate and unload it, and remove its files."""
        try:
            self.fmu.terminate()
            self.fmu.freeInstance()
        finally:
            self._archive.remove()


class FmpyValues:
    """Values of one type from one FMU to another. ``calls``: together, each or buffers."""

    def __init__(
        self, archive: Path, fmi: int, kind: str, count: int, size: int, calls: str
    ) -> None:
        self._source, self._sink = FmpySlave(archive, fmi), FmpySlave(archive, fmi)
        method = METHODS[fmi, kind]
        self._get = getattr(self._source.fmu, f"get{method}")
        self._set = getattr(self._sink.fmu, f"set{method}")
        self._read = getattr(self._sink.fmu, f"get{method}")
        self._out = self._source.references(*(f"values_out[{at}]" for at in range(1, count + 1)))
        self._in = self._source.references(*(f"values_in[{at}]" for at in range(1, count + 1)))
        self._given = _given(kind, count, size)
        self._blank = [type(value)() for value in self._given]
        self._is_bytes = (fmi, kind) == (2, "string")
        self._source.start()
        self._sink.start()
        getattr(self._source.fmu, f"set{method}")(self._in, self._given)
        self._source.step()
        exchanges: dict[str, Callable[[], Exchange]] = {
            "together": self._together,
            "each": self._each,
            "buffers": lambda: self._buffers(fmi, kind, method),
        }
        self._get_all, self._set_all = exchanges[calls]()
        self.run(1)

    def _together(self) -> Exchange:
        return lambda: self._get(self._out), lambda values: self._set(self._in, values)

    def _each(self) -> Exchange:
        outs, ins = [[one] for one in self._out], [[one] for one in self._in]

        def set_each(values: Any) -> None:
            for reference, value in zip(ins, values, strict=True):
                self._set(reference, [value])

        return lambda: [self._get(one)[0] for one in outs], set_each

    def _buffers(self, fmi: int, kind: str, method: str) -> Exchange:
        """Use FMI's own functions, as FMPy has them, with arrays that stay."""
        reference, value = BUFFERS[fmi, kind]
        count = len(self._out)
        outs, ins = (reference * count)(*self._out), (reference * count)(*self._in)
        values = (value * count)()
        more = () if fmi == 2 else (count,)
        get = getattr(self._source.fmu, f"fmi{fmi}Get{method}")
        set_ = getattr(self._sink.fmu, f"fmi{fmi}Set{method}")
        source, sink = self._source.fmu.component, self._sink.fmu.component

        def get_all() -> Any:
            get(source, outs, count, values, *more)
            return values

        return get_all, lambda given: set_(sink, ins, count, given, *more)

    def run(self, exchanges: int) -> list[float]:
        """Return nanoseconds of get and of set in an exchange, and the bytes that FMUs copied."""
        before = self._copied()
        begin = time.perf_counter_ns()
        for _ in range(exchanges):
            values = self._get_all()
        between = time.perf_counter_ns()
        if self._is_bytes:  # FMPy returns bytes and takes text
            values = [value.decode() for value in values]
        # What was right before must not stand in for what is set now.
        self._set(self._in, self._blank)
        set_begin = time.perf_counter_ns()
        for _ in range(exchanges):
            self._set_all(values)
        end = time.perf_counter_ns()
        copied = (self._copied() - before) / exchanges
        self._sink.step()
        read = self._read(self._out)
        if self._is_bytes:
            read = [value.decode() for value in read]
        if read != self._given:
            raise ProgramFailedError("FMPy: a value is not what was set")
        return [(between - begin) / exchanges, (end - set_begin) / exchanges, copied]

    def _copied(self) -> float:
        return float(self._source.get("copied")) + float(self._sink.get("copied"))

    def close(self) -> None:
        self._source.close()
        self._sink.close()


def _given(kind: str, count: int, size: int) -> list[Any]:
    if kind == "float64":
        return [0.5 + at for at in range(count)]
    if kind == "int32":
        return [-1 - at for at in range(count)]
    texts = [f"{at}"[:size].ljust(size, ".") for at in range(count)]
    return texts if kind == "string" else [text.encode() for text in texts]


class FmpyMessages:
    """Messages from one FMU to another. ``carrier``: osmp, binary, clocked or memory-<buffers>."""

    def __init__(self, archive: Path, carrier: str, size: int) -> None:
        has_events = carrier == "clocked"
        self._source = FmpySlave(archive, 3, has_events)
        self._sink = FmpySlave(archive, 3, has_events)
        self._source.set("message_size", size)
        if carrier.startswith("memory-"):
            self._source.set("buffers", int(carrier.removeprefix("memory-")))
            connect_terminal(self._source, self._sink)
        self._source.start()
        self._sink.start()
        self._exchange = getattr(self, f"_{carrier.partition('-')[0]}")()
        for _ in range(WARM_UP):
            self._exchange()

    def _osmp(self) -> Callable[[], None]:
        parts = ("base.lo", "base.hi", "size")
        out = self._source.references(*(f"osmp_out.{part}" for part in parts))
        in_ = self._sink.references(*(f"osmp_in.{part}" for part in parts))
        return self._between(out, in_, "Int32")

    def _binary(self) -> Callable[[], None]:
        return self._between(
            self._source.references("binary_out"), self._sink.references("binary_in"), "Binary"
        )

    def _memory(self) -> Callable[[], None]:
        out = self._source.references("memory_out.sequence")
        return self._between(out, self._sink.references("memory_in.sequence"), "UInt64")

    def _between(self, out: Sequence[int], in_: Sequence[int], kind: str) -> Callable[[], None]:
        get = getattr(self._source.fmu, f"get{kind}")
        set_ = getattr(self._sink.fmu, f"set{kind}")

        def exchange() -> None:
            self._source.step()
            set_(in_, get(out))
            self._sink.step()

        return exchange

    def _clocked(self) -> Callable[[], None]:
        source, sink = self._source.fmu, self._sink.fmu
        clock_out, out = ([one] for one in self._source.references("clock_out", "clocked_out"))
        clock_in, in_ = ([one] for one in self._sink.references("clock_in", "clocked_in"))

        def exchange() -> None:
            if self._source.step():
                source.enterEventMode()
                if source.getClock(clock_out)[0]:
                    sink.enterEventMode()
                    sink.setClock(clock_in, [True])
                    sink.setBinary(in_, source.getBinary(out))
                    self._sink.end_event()
                self._source.end_event()
            self._sink.step()

        return exchange

    def run(self, exchanges: int) -> list[float]:
        """Return nanoseconds of an exchange, and the bytes that FMUs copied in it."""
        before = float(self._sink.get("copied"))
        begin = time.perf_counter_ns()
        for _ in range(exchanges):
            self._exchange()
        ns = (time.perf_counter_ns() - begin) / exchanges
        if self._sink.get("received") != self._source.get("written"):
            raise ProgramFailedError("FMPy: the newest message was not read")
        return [ns, (float(self._sink.get("copied")) - before) / exchanges]

    def close(self) -> None:
        self._source.close()
        self._sink.close()


def connect_terminal(source: FmpySlave, sink: FmpySlave) -> None:
    """Connect the memory terminals of two FMUs: plain variables, of the same member names."""
    for member in TERMINAL:
        sink.set(f"memory_in.{member}", source.get(f"memory_out.{member}"))
