# SPDX-License-Identifier: Apache-2.0
"""Reading what others announce: right where it is right, one error where it is not."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecost.data.messages.cdr_values import CdrError, Reader, Writer
from wirecost.replay.dds import entities, parameters

GUIDS = st.binary(min_size=16, max_size=16)
WORDS = st.text("abcdefghijklmnopqrstuvwxyz_0123456789", min_size=1, max_size=20)
NODES = st.builds(
    entities.NodeEntities,
    st.lists(WORDS, min_size=1, max_size=3).map(lambda words: "/" + "/".join(words)),
    st.lists(GUIDS, max_size=4),
    st.lists(GUIDS, max_size=4),
)
ANNOUNCEMENTS = st.builds(entities.ParticipantEntities, GUIDS, st.lists(NODES, max_size=4))


def values_reply(*values: tuple[int, bool, int, float, str]) -> bytes:
    """Return a reply of ``get_parameters``.

    It has kind, boolean, integer, double and text of each value, then the integers 4 and 5 and
    no other arrays."""
    writer = Writer()
    writer.scalar("I", len(values))
    for kind, boolean, integer, double, text in values:
        writer.scalar("B", kind)
        writer.scalar("B", boolean)
        writer.scalar("q", integer)
        writer.scalar("d", double)
        writer.string(text)
        for count in (0, 0, 2, 0, 0):
            writer.scalar("I", count)
            for number in range(4, 4 + count):
                writer.scalar("q", number)
    return writer.message()


@given(ANNOUNCEMENTS, st.sampled_from([16, 24]))
def test_announcements_of_both_sizes_of_guid(
    announced: entities.ParticipantEntities, gid_bytes: int
) -> None:
    assert entities.read(entities.write(announced, gid_bytes)) == announced


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_read_or_refused(content: bytes, little: bool) -> None:
    message = bytes((0, little, 0, 0)) + content
    for read in (entities.read, parameters.read_names, parameters.read_values):
        try:
            read(message)
        except CdrError:
            continue


@given(ANNOUNCEMENTS, st.data())
def test_cut_announcements_are_refused(
    announced: entities.ParticipantEntities, data: st.DataObject
) -> None:
    message = entities.write(announced)
    cut = message[: data.draw(st.integers(0, len(message) - 1))]
    with pytest.raises(CdrError):
        entities.read(cut)


@pytest.mark.parametrize("length", [0xFFFFFFFF, 0x7FFFFFFF, 1000])
def test_a_lying_length_allocates_nothing(length: int) -> None:
    message = b"\0\1\0\0" + bytes(16) + struct.pack("<I", length)
    with pytest.raises(CdrError, match=r"elements announced|bytes expected|value"):
        entities.read(message)
    with pytest.raises(CdrError):
        parameters.read_names(b"\0\1\0\0" + struct.pack("<I", length))


@pytest.mark.parametrize("header", [b"\0\3\0\0", b"\0\7\0\0", b"\0\1\0", b""])
def test_other_encapsulations_are_refused(header: bytes) -> None:
    with pytest.raises(CdrError, match="not plain CDR"):
        Reader(header)


def test_big_endian() -> None:
    reader = Reader(b"\0\0\0\0" + struct.pack(">Bxxxi", 7, -2))
    assert reader.integer("B") == 7
    assert reader.integer("i") == -2


def test_parameter_requests_and_replies() -> None:
    assert parameters.read_names(parameters.get_request(["a", "bc"])) == ["a", "bc"]
    reply = values_reply(*((kind, True, -5, 0.25, "text") for kind in (0, 1, 2, 3, 4, 7, 9)))
    values = parameters.read_values(reply)
    assert [each.kind for each in values] == [0, 1, 2, 3, 4, 7, 9]
    assert [each.value for each in values] == [None, True, -5, 0.25, "text", [4, 5], []]


def test_an_unknown_kind_of_parameter_is_refused() -> None:
    with pytest.raises(CdrError, match="unknown kind 10"):
        parameters.read_values(values_reply((10, False, 0, 0.0, "")))


def test_values_are_set_with_the_type_that_they_have() -> None:
    typed = [
        parameters.typed(True, parameters.Typed(0, None)),
        parameters.typed(3, parameters.Typed(3, 2.0)),
        parameters.typed([1, 2], parameters.Typed(5, [0])),
        parameters.typed([1, 2.5], parameters.Typed(8, [])),
        parameters.typed([], parameters.Typed(9, ["a"])),
        parameters.typed(["b", "ü"], parameters.Typed(0, None)),
    ]
    assert [each.kind for each in typed if each] == [1, 3, 5, 8, 9, 9]
    request = parameters.set_request([(f"p{i}", each) for i, each in enumerate(typed) if each])
    reader = Reader(request)
    assert reader.integer("I") == len(typed)
    for each in typed:
        reader.string()
        # One value as the reply of get_parameters has it, after the same number of bytes.
        assert each is not None
        assert parameters.read_value(reader) == each


@pytest.mark.parametrize("value", [None, {}, [1, "a"], [[1]]])
def test_what_is_no_parameter_is_not_set(value: object) -> None:
    assert parameters.typed(value, parameters.Typed(0, None)) is None


@pytest.mark.parametrize("typed", [parameters.Typed(5, [256]), parameters.Typed(2, 1 << 63)])
def test_values_that_do_not_fit_are_told(typed: parameters.Typed) -> None:
    with pytest.raises(ValueError, match=r"."):
        parameters.set_request([("p", typed)])


def test_results_say_why() -> None:
    writer = Writer()
    writer.scalar("I", 3)
    for done, reason in ((1, ""), (0, "read-only"), (0, "")):
        writer.scalar("B", done)
        writer.string(reason)
    results = parameters.read_results(writer.message())
    assert results == [None, "read-only", "no reason given"]
