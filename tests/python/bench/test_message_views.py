# SPDX-License-Identifier: Apache-2.0
"""Our Python contender that encodes into memory used again and reads lists of bytes in place."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.ros_schemas import every
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.serializers.backend import Timed
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.python.backend import Python
from wirecost.measure.serializers.selection import ContenderSelection


def backend(about: Subject) -> Python:
    return Python(about, ContenderSelection(frozenset({"wirecost"})), lambda _: None)


def ours(found: Python) -> list[Contender]:
    return [contender for contender in found.contenders() if contender.library == "wirecost"]


@pytest.mark.parametrize("dialect", ("ros1", "ros2"))
def test_it_carries_what_the_others_carry(tmp_path: Path, dialect: str) -> None:
    about = every(tmp_path, dialect)
    carrier = backend(about)
    new, view = ours(carrier)
    assert (new.mode, view.mode) == ("new", "view") and new.wire == view.wire
    messages = made_up(about, {"data": 4000}, 1)
    write_content(tmp_path / "content", messages)
    content = tmp_path / "content"
    carried = {
        mode.mode: carrier.carried(mode, tmp_path, content)[mode.mode] for mode in (new, view)
    }
    assert carried["view"] == carried["new"]
    items = list(carrier.measured(view, [content], ["it"], 1))
    stages = {item.stage for item in items if isinstance(item, StageSample)}
    assert stages == {"fill", "encode", "decode", "read", "destroy", "total"}
    (timed,) = (item for item in items if isinstance(item, Timed))
    assert timed.sent == timed.back == timed.expected
    assert timed.sent not in messages


def test_it_takes_part_where_there_are_lists_of_bytes() -> None:
    about = ros_subject(RosDefinitions("ros2", {"mine/Part": "float32 x\n"}), "", "")
    assert [contender.mode for contender in ours(backend(about))] == ["new"]
