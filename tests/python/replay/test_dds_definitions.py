# SPDX-License-Identifier: Apache-2.0
"""Message definitions from a ROS 2 installation or from rosbags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.replay.dds.definitions import definition

CLOUD_HASH = "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"
LINE = "=" * 80


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    definition.cache_clear()
    yield
    definition.cache_clear()


def test_an_installed_package_is_read_with_what_it_refers_to(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    files = {
        "a/msg/Top": "b/Inner[] items # b/NotThis here\nOwn own\nuint8 FIRST=1\nstring<=5 name\n",
        "a/msg/Own": "float64[3] values\n",
        "b/msg/Inner": "int32 x\n",
    }
    for name, text in files.items():
        file = tmp_path / "share" / f"{name}.msg"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path}")
    first, *rest = definition("a/msg/Top", "").split(f"{LINE}\n")
    assert first == files["a/msg/Top"] + "\n"
    assert sorted(part.strip() for part in rest) == snapshot


def test_rosbags_types_are_taken_by_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AMENT_PREFIX_PATH", raising=False)
    text = definition("sensor_msgs/msg/PointCloud2", CLOUD_HASH)
    assert text.split()[:3] == ["std_msgs/Header", "header", "uint32"]
    assert f"{LINE}\nMSG: sensor_msgs/PointField\n" in text
    assert not definition("sensor_msgs/msg/PointCloud2", "RIHS01_" + "0" * 64)


@pytest.mark.parametrize("type_", ["a/msg/None", "native", "../etc/msg/passwd", "a/msg/../x", ""])
def test_unknown_types_have_none(type_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AMENT_PREFIX_PATH", "/nowhere")
    assert not definition(type_, "")
