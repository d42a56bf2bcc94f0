# SPDX-License-Identifier: Apache-2.0
"""Refusals of ``bench tensor --device``, with and without a device's file in /dev."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.tensor import plugins
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.measure.bench.tensor.settings import Settings
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


def test_requests_have_no_stages_for_a_device() -> None:
    with pytest.raises(UserError, match=r"reqrep: .*leave cuda out"):
        Settings(("torch",), ("zeromq",), devices=("cpu", "cuda"), pattern="reqrep").check()
    Settings(("torch",), ("zeromq",), devices=("cpu", "cuda")).check()
