# SPDX-License-Identifier: Apache-2.0
"""The preset of the notification: its messages, its rows, and other values of the same sizes."""

from __future__ import annotations

from random import Random

import pytest

from wirecost.measure.serializers.altered import alter
from wirecost.measure.serializers.choices import LANGUAGES
from wirecost.measure.serializers.contender import Contender
from wirecost.system.errors import UserError
from wirecost_scenarios.notification.messages import (
    MESSAGES,
    NotificationContent,
    mirror,
)
from wirecost_scenarios.notification.race import (
    NotificationRow,
    row_of,
    selection,
    subject_of,
)
from wirecost_scenarios.notification.settings import (
    WIRES,
    Settings,
)

PROTOBUF = subject_of("cpp", "protobuf")
CONTENTS = [
    NotificationContent("ticket", 4, 1),
    NotificationContent("ticket", 128, 1),
    NotificationContent("realistic", 16, 1),
]


@pytest.mark.parametrize(("factor", "size"), [(4, 55), (8, 83), (16, 139), (32, 251), (128, 933)])
def test_the_ticket_s_messages_have_their_size(factor: int, size: int) -> None:
    messages = NotificationContent("ticket", factor, 1).messages(PROTOBUF.message_class)
    assert {len(PROTOBUF.write(message)) for message in messages} == {size}
    assert len({PROTOBUF.write(message) for message in messages}) == MESSAGES


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: content.case)
def test_messages_follow_from_the_seed(content: NotificationContent) -> None:
    again = NotificationContent(content.kind, content.factor, 1).messages(PROTOBUF.message_class)
    other = NotificationContent(content.kind, content.factor, 2).messages(PROTOBUF.message_class)
    assert content.messages(PROTOBUF.message_class) == again != other


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("wire", ["ros1", "cdr"])
def test_a_message_of_ros_holds_the_same(lang: str, wire: str) -> None:
    about = subject_of(lang, wire)
    for message in CONTENTS[2].messages(PROTOBUF.message_class):
        data = about.write(mirror(message, about.message_class()))
        read = about.read(data)
        for name in ("scope", "wire_schema", "data", "method"):
            text = getattr(read, name)
            assert (text.encode() if isinstance(text, str) else text) == getattr(message, name)
        assert read.meta_data.deliver_time == message.meta_data.deliver_time
        numbers = [cause.sequence_number for cause in message.causes]
        assert [cause.sequence_number for cause in read.causes] == numbers


@pytest.mark.parametrize("content", CONTENTS, ids=lambda content: content.case)
@pytest.mark.parametrize("wire", WIRES)
def test_altered_messages_are_others_of_the_same_size(
    content: NotificationContent, wire: str
) -> None:
    about = subject_of("cpp", wire)
    for message in content.messages(PROTOBUF.message_class):
        if wire != "protobuf":
            message = mirror(message, about.message_class())  # noqa: PLW2901 - the same on its wire
        before = about.write(message)
        alter(message, Random(1))
        after = about.write(message)
        assert before != after and len(before) == len(after)


def test_nothing_is_compiled_for_modes_that_nobody_asks_for() -> None:
    settings = Settings(("cpp", "python"), modes=("arena", "recycled"))
    assert settings.sides() == [("cpp", wire) for wire in WIRES]
    assert settings.libraries("cpp", "protobuf") == {"protobuf", "wirecost"}
    assert [file.name for file in selection(settings, "cpp", "ros1").files] == ["hand_written"]
    assert selection(settings, "cpp", "ros1").has_recycled
    assert selection(Settings(modes=("view",)), "cpp", "ros1").files == ()


def test_who_takes_part_nowhere_is_refused_before_anything_is_compiled() -> None:
    with pytest.raises(UserError, match="no contender of python has mode arena on protobuf, ros1"):
        Settings(("python",), modes=("arena",)).check()


@pytest.mark.parametrize(
    ("contender", "wire", "row"),
    [
        (("cpp", "wirecost", "view"), "ros1", ("wirecost-ros1", "view", "borrowing, validating")),
        (
            ("cpp", "wirecost", "recycled"),
            "cdr",
            ("wirecost-cdr", "recycled", "owning, validating"),
        ),
        (
            ("cpp", "wirecost-classes", "new"),
            "protobuf",
            ("wirecost-protobuf", "facade", "owning, validating"),
        ),
        (("cpp", "wirecost-classes", "reused"), "protobuf", None),
        (("cpp", "memcpy", "reused"), "ros1", ("memcpy", "reused", "neither; a floor")),
        (
            ("java", "HandWritten", "new"),
            "ros1",
            ("hand-written", "new", "owning, validating, by reference; a floor"),
        ),
        (
            ("java", "protobuf", "best"),
            "protobuf",
            ("protobuf", "view", "view of the buffer, validating, by reference"),
        ),
        (
            ("python", "wirecost-native", "new"),
            "cdr",
            ("wirecost-native-cdr", "new", "owning, validating, by reference"),
        ),
        (("python", "wirecost", "view"), "ros1", None),
    ],
)
def test_rows_are_called_as_they_were(
    contender: tuple[str, str, str], wire: str, row: tuple[str, str, str] | None
) -> None:
    assert row_of(Contender(*contender, wire, "1"), wire) == (
        NotificationRow(*row) if row else None
    )
