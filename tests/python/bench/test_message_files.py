# SPDX-License-Identifier: Apache-2.0
"""Messages in JSON, text and binary files: what separates them, and what is no message."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.data import (
    MessageChoice,
    RecordedMessages,
    of_recording,
    recorded,
)
from wirecost.schema.compile import frontends
from wirecost.system.errors import UserError

PROTO = """syntax = "proto3";
package m;
message Text { string text = 1; int32 a = 2; double x = 3; }
message Line { repeated Point points = 1; }
message Both { bytes d = 1; int32 b = 2; bytes c = 3; int32 a = 4; int32 e = 16; }
message Point { fixed64 a = 1; uint32 b = 2; }
"""
SEPARATORS = "\u2028\u2029\u0085"


@pytest.fixture
def about(tmp_path: Path) -> Subject:
    return of_type(tmp_path, "Text")


def of_type(folder: Path, name: str) -> Subject:
    path = folder / "m.proto"
    path.write_text(PROTO)
    return subject(frontends.descriptors([str(path)]), str(path), name)


def read(
    folder: Path, name: str, data: bytes, about: Subject, framing: str = ""
) -> RecordedMessages:
    path = folder / name
    path.write_bytes(data)
    return recorded(path, about, MessageChoice(framing=framing))


def texts(found: RecordedMessages, about: Subject) -> list[str]:
    return [about.message_class.FromString(data).text for data in found.messages]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n \n"])
def test_only_a_line_feed_ends_a_line(
    tmp_path: Path, about: Subject, end: str, snapshot: SnapshotAssertion
) -> None:
    values = ["a", *(f"b{separator}b" for separator in SEPARATORS), "c"]
    lines = [json.dumps({"text": value}, ensure_ascii=False) for value in values]
    data = (end.join(lines) + end).encode()
    sample = read(tmp_path, "m.jsonl", data, about)
    assert texts(sample, about) == values
    assert sample.said == snapshot


@pytest.mark.parametrize("name", ["m.json", "m.jsonl"])
@pytest.mark.parametrize(
    "content",
    [
        '{"text": "a"}\n{"text": "b"}',
        '{\n  "text": "a"\n}\n{\n  "text": "b"\n}\n',
        '[{"text": "a"}, {"text": "b"}]',
        '[\n{"text": "a"},\n{"text": "b"}\n]\n',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_json_is_what_it_looks_like(
    tmp_path: Path, about: Subject, name: str, content: str, encoding: str
) -> None:
    sample = read(tmp_path, name, content.encode(encoding), about)
    assert texts(sample, about) == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"text": "a\xe9"}', "line 2 is no m.Text: not UTF-8: byte 0xe9"),
        (b'{"text": "a", "x": NaN}', "nan"),
        (b'{"text": "\\ud800"}', "surrogate"),
        (b'{"text": "a\x0bb"}', "line 2 is no m.Text: Invalid control character"),
        (b'{"text": "a"},', "line 2 is no m.Text: Extra data"),
        (b'{"text": "a", "text": "b"}', "line 2 is no m.Text: text is there twice"),
        (b'{"text": ', "line 2 is no m.Text: Expecting value"),
        (b"3", "line 2 is no m.Text"),
    ],
)
def test_a_line_that_is_no_message_is_left_out_and_said(
    tmp_path: Path, about: Subject, line: bytes, said: str
) -> None:
    sample = read(tmp_path, "m.jsonl", b'{"text": "first"}\n' + line, about)
    assert texts(sample, about) == ["first"]
    count, reason = sample.said.split(" damaged ones left out: number 1 (")
    assert count.endswith(" 1") and reason.startswith("line 2 ")
    assert said.lower() in reason.lower()


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("m.jsonl", b'{"text": "a\xe9"}', "line 1 is no m.Text: not UTF-8"),
        ("m.json", b'[{"text":\n "a\xe9"}]', "not UTF-8: byte 0xe9 in line 2"),
        ("m.json", b'[{"text": "a"},\n]', "not valid JSON"),
        ("m.json", b'\xff\xfe{"text": "a"}', "no text in utf-16"),
        ("m.txtpb", b'text: "a"\ntext: "\xe9"', "not UTF-8: byte 0xe9 in line 2"),
        ("m.txtpb", b'text: "a"\nnothing: 1', "2:1 : "),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, about: Subject, name: str, data: bytes, said: str
) -> None:
    with pytest.raises(UserError) as error:
        read(tmp_path, name, data, about)
    assert said in str(error.value)


def test_text_may_begin_with_a_byte_order_mark(tmp_path: Path, about: Subject) -> None:
    sample = read(tmp_path, "m.txtpb", b'\xef\xbb\xbftext: "a"', about)
    assert texts(sample, about) == ["a"]


def delimited(*messages: bytes) -> bytes:
    return b"".join(bytes([len(message)]) + message for message in messages)


def test_one_binary_message_is_not_taken_for_several(tmp_path: Path) -> None:
    about = of_type(tmp_path, "Line")
    # Each of its points also reads as a message of ten bytes behind its length.
    data = about.message_class(points=[{"a": 5}] * 3).SerializeToString()
    assert data[0] == 10 and len(data) == 3 * 11
    sample = read(tmp_path, "m.binpb", data, about)
    assert sample.messages == [data]


def test_delimited_messages_are_read_as_such(
    tmp_path: Path, about: Subject, snapshot: SnapshotAssertion
) -> None:
    messages = [about.message_class(text="x" * n, a=n).SerializeToString() for n in range(1, 90)]
    whole = read(tmp_path, "m.binpb", delimited(*messages), about)
    assert len(whole.messages) == 50
    cut = read(tmp_path, "m.binpb", delimited(*messages[:3], messages[3])[:-1], about)
    assert cut.messages == messages[:3]
    assert {"whole": whole.said, "cut": cut.said} == snapshot


def test_what_can_be_both_is_said_and_can_be_chosen(
    tmp_path: Path, about: Subject, snapshot: SnapshotAssertion
) -> None:
    both = of_type(tmp_path, "Both")
    data = delimited(b"\x20\x80\x01\x10\x1a\x0a\x09" + b"z" * 9)
    whole, inner = both.message_class.FromString(data), both.message_class.FromString(data[1:])
    assert (whole.b, whole.e, whole.c) == (32, 16, b"\x09" + b"z" * 9)
    assert (inner.a, inner.b, inner.d) == (128, 26, b"z" * 9)

    def found(framing: str) -> RecordedMessages:
        return read(tmp_path, "m.binpb", data, both, framing)

    sample = found("")
    assert both.read(sample.messages[0]) == inner
    assert sample.said == snapshot
    for framing, message in (("single", whole), ("delimited", inner)):
        assert both.read(found(framing).messages[0]) == message
        assert "--framing" not in found(framing).said
    assert "--framing" not in read(tmp_path, "m.delimited", data, both).said
    text = about.message_class(text="b").SerializeToString()
    with pytest.raises(UserError, match="damaged or of another type: 1 message"):
        read(tmp_path, "m.binpb", delimited(text), about, "single")


def test_a_message_without_its_required_fields_is_left_out(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    path = tmp_path / "r.proto"
    path.write_text('syntax = "proto2"; message R { required int32 a = 1; optional int32 b = 2; }')
    needy = subject(frontends.descriptors([str(path)]), str(path), "R")
    for name, data in (
        ("m.binpb", b"\x10\x05"),
        ("m.json", b'{"b": 5}'),
        ("m.txtpb", b"b: 5"),
    ):
        with pytest.raises(UserError, match=r"1 message \(lacks required fields: a\)"):
            read(tmp_path, name, data, needy)
    sample = read(tmp_path, "m.jsonl", b'{"b": 5}\n{"a": 1}\n', needy)
    assert sample.messages == [b"\x08\x01"]
    assert sample.said == snapshot


@pytest.mark.parametrize("name", ["flight.ulg", "points.rrd", "table.csv", "folder"])
def test_no_schema_is_asked_for_where_none_would_help(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.touch()
    with pytest.raises(UserError, match="its suffix is not known; give one of"):
        of_recording(path, "", "")
