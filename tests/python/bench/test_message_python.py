# SPDX-License-Identifier: Apache-2.0
"""Content that the Python contenders of a message read."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from bench.ros_schemas import every
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.first_look import first_look
from wirecost.measure.serializers.python import backend as backend_module
from wirecost.measure.serializers.python import code
from wirecost.measure.serializers.python.backend import Python
from wirecost.measure.serializers.python.start import Start
from wirecost.measure.serializers.python.worker import WorkerContender
from wirecost.measure.serializers.selection import CodecFile, ContenderSelection
from wirecost.schema.compile import frontends
from wirecost.system.children import ProgramFailedError

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
LIBRARIES = ("protobuf", "messagepack", "json")


@pytest.fixture(scope="module")
def about() -> Subject:
    path = str(SCHEMAS / "every_type_proto3.proto")
    return subject(frontends.descriptors([path]), path, "EveryType")


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_field_is_read(about: Subject, name: str, tmp_path: Path) -> None:
    contender = WorkerContender(about, name, tmp_path)
    value = code.values(about.schema, about.type)
    whole = about.read(made_up(about, {}, 1)[0])
    for field, content in whole.ListFields():
        if content == 0:  # is written, as it has presence, but adds nothing
            setattr(whole, field.name, 1)
    read = contender.read(contender.fill(value(whole)))
    assert contender.read(contender.decode(contender.encode(contender.fill(value(whole))))) == read
    for field, _ in whole.ListFields():
        less = about.message_class()
        less.CopyFrom(whole)
        less.ClearField(field.name)
        assert contender.read(contender.fill(value(less))) != read, field.name


@pytest.mark.parametrize("name", LIBRARIES)
def test_numbers_that_are_none_are_read_too(about: Subject, name: str, tmp_path: Path) -> None:
    contender = WorkerContender(about, name, tmp_path)
    message = about.message_class(doubles=[math.nan, math.inf, -math.inf])
    filled = contender.fill(code.values(about.schema, about.type)(message))
    assert math.isnan(contender.read(contender.decode(contender.encode(filled))))


@pytest.mark.parametrize("dialect", ("ros1", "ros2"))
def test_arrays_of_rosbags_are_read(tmp_path: Path, dialect: str) -> None:
    about = every(tmp_path, dialect)
    contender = WorkerContender(about, "rosbags", tmp_path)
    value = code.values(about.schema, about.type)
    for data in made_up(about, {"many": 500, "data": 4000}, 1):
        filled = contender.fill(value(about.read(data)))
        read = contender.read(contender.decode(contender.encode(filled)))
        assert type(read) is float and math.isclose(read, contender.read(filled), rel_tol=1e-6)


def test_lists_of_numbers_are_added_up_without_a_call_for_each(about: Subject) -> None:
    source = code.module(about.schema, code.style(about, "protobuf"))
    assert "t += sum(m.doubles)" in source and "number(m.doubles" not in source


def test_a_first_look_names_contenders_that_carry_the_messages(
    about: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    messages, said = made_up(about, {}, 1)[:2], list[str]()
    selection = ContenderSelection(libraries=frozenset({"wirecost", "protobuf"}))
    look = first_look(about, messages, said.append)
    look(Python(about, selection, said.append))
    heading, *rows = said.pop().splitlines()
    assert heading == "Python, first 5 samples of each library's best mode:"
    time = r"new +[\d.]+ [nµm]s  [\d.]+ × protobuf new"
    assert sorted(re.sub(time, "", row).split() for row in rows) == [["protobuf"], ["wirecost"]]
    backend = Python(about, selection, said.append)
    monkeypatch.setattr(backend, "carried", lambda *_: {})
    look(backend)
    assert not said


def test_each_time_that_a_contender_is_measured_is_another_start(
    about: Subject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What dies takes no other contender with it."""
    starts: list[Start] = []

    def started(*words: Any) -> Start:
        starts.append(Start(*words))
        return starts[-1]

    monkeypatch.setattr(backend_module, "Start", started)
    dying = tmp_path / "dying.py"
    dying.write_text("import os\nencode = lambda message: os.abort()\ndecode = encode\n")
    content = tmp_path / "content"
    write_content(content, made_up(about, {}, 1)[:1])
    selection = ContenderSelection(frozenset({"json", "messagepack"}), files=(CodecFile(dying),))
    backend = Python(about, selection, lambda _: None)
    contenders = {contender.library: contender for contender in backend.contenders()}
    with pytest.raises(ProgramFailedError, match="was ended by SIGABRT"):
        list(backend.measured(contenders["dying"], [content], ["a"], 1))
    for name, count in (("json", 1), ("messagepack", 1), ("json", 2)):
        assert list(backend.measured(contenders[name], [content], ["a"], 1))
        assert len(starts) == count
