# SPDX-License-Identifier: Apache-2.0
"""Zserio's contender: every kind of field arrives, and what its types cannot hold is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.ros_schemas import every
from wirecost.data.messages.content import made_up
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.python import code, zserio_schema
from wirecost.measure.bench.message.python.backend import Python
from wirecost.measure.bench.message.python.worker import WorkerContender
from wirecost.measure.bench.message.race import RacePart, verify_all
from wirecost.measure.bench.message.selection import ContenderSelection
from wirecost.schema.compile import frontends

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
ASKED = ContenderSelection(frozenset({"zserio"}))

needs_zserio = pytest.mark.skipif(
    find_spec("zserio") is None or shutil.which("java") is None, reason="zserio is not installed"
)


def of_proto(name: str) -> Callable[[Path], Subject]:
    def about(_: Path) -> Subject:
        path = str(SCHEMAS / f"{name}.proto")
        return subject(frontends.descriptors([path]), path, "EveryType")

    return about


def of_ros(dialect: str) -> Callable[[Path], Subject]:
    return lambda folder: every(folder, dialect)


@needs_zserio
@pytest.mark.parametrize(
    "about_of",
    [of_proto("every_type_proto2"), of_proto("every_type_proto3"), of_ros("ros1"), of_ros("ros2")],
    ids=("proto2", "proto3", "ros1", "ros2"),
)
def test_every_kind_of_field_arrives(tmp_path: Path, about_of: Callable[[Path], Subject]) -> None:
    about = about_of(tmp_path)
    backend = Python(about, ASKED, lambda _: None)
    assert backend.missing == {}
    (contender,) = backend.contenders()
    assert (contender.library, contender.mode, contender.wire) == ("zserio", "new", "zserio")
    messages = made_up(about, {}, 1)
    content = tmp_path / "content"
    write_content(content, messages)
    entry = contender.entry(about.type)
    verify_all(RacePart(about, messages, backend, [entry]), tmp_path, content)
    assert entry.failure is None
    carried = backend.carried(contender, tmp_path, content)["new"]
    assert carried.back is not None
    assert list(map(about.read, carried.back)) == list(map(about.read, messages))


@needs_zserio
def test_every_field_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = of_proto("every_type_proto3")(tmp_path)
    assert zserio_schema.generate(about, tmp_path) == ""
    monkeypatch.syspath_prepend(tmp_path / "python")
    contender = WorkerContender(about, "zserio", tmp_path)
    value = code.values(about.schema, about.type)
    whole = about.read(made_up(about, {}, 1)[0])
    for field, held in whole.ListFields():
        if held == 0:  # is written, as it has presence, but adds nothing
            setattr(whole, field.name, 1)
    read = contender.read(contender.decode(contender.encode(contender.fill(value(whole)))))
    for field, _ in whole.ListFields():
        less = about.message_class()
        less.CopyFrom(whole)
        less.ClearField(field.name)
        assert contender.read(contender.fill(value(less))) != read, field.name


def test_schemas_that_it_cannot_express_are_refused_with_the_reason() -> None:
    def refused(name: str, type_name: str) -> str:
        path = str(SCHEMAS / name)
        return zserio_schema.inexpressible(
            subject(frontends.descriptors([path]), path, type_name).schema
        )

    assert refused("recursive_maps.proto", "Table") == (
        "conformance.recursive_maps.Table.cells holds conformance.recursive_maps.Table again by "
        "way of another type, which Zserio refuses"
    )
    assert refused("recursive_maps.proto", "Row")
    assert not refused("every_type_proto2.proto", "EveryType")


@needs_zserio
def test_its_compiler_agrees_about_what_is_refused(tmp_path: Path) -> None:
    path = str(SCHEMAS / "recursive_maps.proto")
    about = subject(frontends.descriptors([path]), path, "Row")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zserio_schema, "inexpressible", lambda _: "")
        assert "Indirect recursion" in zserio_schema.generate(about, tmp_path)


@pytest.mark.parametrize(
    ("absent", "remedy"),
    [
        ("find_spec", "pip install zserio"),
        ("which", "its compiler needs Java: apt-get install default-jre-headless"),
    ],
)
def test_what_is_missing_has_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, absent: str, remedy: str
) -> None:
    about = of_proto("every_type_proto3")(tmp_path)
    monkeypatch.setattr(zserio_schema, "find_spec", lambda _: None if absent == "find_spec" else 1)
    monkeypatch.setattr(zserio_schema.shutil, "which", lambda *_, **__: None)
    backend = Python(about, ASKED, lambda _: None)
    assert backend.missing == {"zserio": remedy}
    assert backend.contenders() == []
