# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the Python tests: the built codecs, the readers, the real data."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from wirecost.measure.bench.engine.program import SCHEMAS
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.verification import Canonical, IndependentReader

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "cmake" / "tests" / "cpp"

Transcode = Callable[[str, bytes], bytes]


@pytest.fixture(scope="session")
def transcode() -> Transcode:
    """``transcode(codec, protobuf_sensor_view)`` in C++."""
    (path,) = BUILT.glob("_codecs*.so")
    spec = importlib.util.spec_from_file_location("_codecs", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Transcode = module.transcode
    return function


@pytest.fixture(scope="session")
def read() -> Callable[[str, bytes], Canonical]:
    """``read(contender, bytes)``: a sensor view by its wire's independent reader."""
    readers = {
        name: IndependentReader(contender.wire, SCHEMAS / contender.schema)
        for name, contender in Registry().contenders.items()
    }

    def read(name: str, content: bytes) -> Canonical:
        buffer = ctypes.create_string_buffer(content, len(content))
        return readers[name].read("SensorView", ctypes.addressof(buffer), len(content))

    return read


@pytest.fixture(scope="session")
def osi_data() -> Path:
    """Real traces; without them the tests that need them are skipped."""
    path = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "osi"
    if not any(path.rglob("*.osi")):
        pytest.skip(f"no real traces at {path}; set WIRECOST_DATA to where they are")
    return path
