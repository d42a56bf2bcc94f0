# SPDX-License-Identifier: Apache-2.0
"""Refusals of ``bench tensor --device``, with and without a device's file in /dev."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from attack.tensor.native import in_python
from support import fake_cuda, fake_driver
from wirecost.measure.bench.tensor import blocks, plugins
from wirecost.measure.bench.tensor.arrays import ArraySource
from wirecost.measure.bench.tensor.cases import Combination
from wirecost.measure.bench.tensor.cases import plan as plan_cases
from wirecost.measure.bench.tensor.contenders.transports import Transported
from wirecost.measure.bench.tensor.plugins import PLUGINS, SHARED
from wirecost.measure.bench.tensor.settings import Settings
from wirecost.measure.bench.tensor.stamps import stages
from wirecost.measure.bench.tensor.task import TensorOrder, TensorTask
from wirecost.system.errors import UserError


def with_device_files(monkeypatch: pytest.MonkeyPatch, folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).touch()
    monkeypatch.setattr(plugins, "Path", lambda _: folder)


def test_without_a_device_that_is_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    with_device_files(monkeypatch, tmp_path, "nvidiactl", "null")
    for name in ("torch", "jax", "cupy"):
        assert PLUGINS[name].missing("cuda") == "no device"
    assert PLUGINS["cupy"].missing("cpu") == "no device"
    assert PLUGINS["numpy"].missing("cuda") == snapshot
    assert PLUGINS["numpy"].missing("cpu") is None


def test_cupy_has_no_arrays_on_the_host(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    with_device_files(monkeypatch, tmp_path, "nvidia0")
    monkeypatch.setattr(plugins.importlib.util, "find_spec", lambda _: True)
    assert PLUGINS["cupy"].missing("cuda") is None
    assert PLUGINS["cupy"].missing("cpu") == snapshot
    assert PLUGINS["torch"].missing("cpu") is None


def test_what_is_shared_on_a_device(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    reasons = {name: PLUGINS[name].missing(SHARED) for name in ("numpy", "paddle")}
    with_device_files(monkeypatch, tmp_path)
    assert PLUGINS["torch"].missing(SHARED) == "no device"
    with_device_files(monkeypatch, tmp_path, "nvidia0")
    monkeypatch.setattr(plugins.importlib.util, "find_spec", lambda _: True)
    settings = Settings(("torch", "numpy"), ("in-process", "zeromq"), devices=("cpu", SHARED))
    plan = plan_cases(settings)
    shared = [case for case in plan.cases if case.device == SHARED]
    assert [case.combinations for case in shared] == [(Combination("zeromq", "torch"),)]
    assert reasons | plan.not_run == snapshot
    with pytest.raises(UserError, match="--device cuda-ipc: stays on this machine"):
        plan_cases(settings, loopback=True)


@pytest.mark.parametrize("path", ["native", "python"])
def test_messages_are_measured_whose_tensors_stay_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str
) -> None:
    """With stand-ins for a device: support/fake_cuda.py, support/fake_libcuda.cpp."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    fake_cuda.install(monkeypatch)
    shape, count = (20, 30), 5
    order = TensorOrder("torch", shape, "float64", "random", SHARED, True, 0, count, 200.0)
    task = TensorTask(order, PLUGINS["torch"], ArraySource(shape, "float64", "random"))
    contender = Transported("zeromq", 1 << 20)
    with (
        fake_driver.in_this_process(monkeypatch),
        contender.meeting() as meeting,
        closing(contender.receiver(meeting)) as receiver,
        closing(contender.sender(meeting)) as sender,
        in_python() if path == "python" else nullcontext(),
        ThreadPoolExecutor(1) as pool,
    ):
        assert sender.wait_for_receiver(10)
        sent = pool.submit(blocks.publish, sender, task)
        received = blocks.listen(receiver, task, lambda: False)
        times = stages(sent.result().stamps, received.stamps, SHARED)
    assert received.failure is None
    assert len(times) == count
    assert all(stage_times["share"] > 0 and "to_device" not in stage_times for stage_times in times)
    assert received.nbytes < 400


def test_requests_have_no_stages_for_a_device() -> None:
    with pytest.raises(UserError, match=r"reqrep: .*leave cuda out"):
        Settings(("torch",), ("zeromq",), devices=("cpu", "cuda"), pattern="reqrep").check()
    Settings(("torch",), ("zeromq",), devices=("cpu", "cuda")).check()
