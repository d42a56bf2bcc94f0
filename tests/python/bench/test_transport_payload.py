# SPDX-License-Identifier: Apache-2.0
"""Payloads are what the protocol's text says, and damaged ones are found."""

from __future__ import annotations

import tracemalloc

import pytest

from wirecost.measure.bench.transport.payload import (
    PART,
    TransportPayload,
    digest,
    read_head,
    template,
)

SIZES = [24, 25, 100, 4096, 4104, 4111, 4112, 4113, 8191, 8200, 8208, 100_003, 2 * PART]
ALL = (1 << 64) - 1


def as_described(size: int, run: int, number: int) -> bytes:
    """By the words of ``protocol``, byte by byte."""
    content = bytearray(((offset * 0x9E3779B1) % 2**32) >> 24 for offset in range(size))
    content[0:8] = run.to_bytes(8, "little")
    content[8:16] = (number & ALL).to_bytes(8, "little")
    page = 1
    while 4096 * page + 16 <= size:
        content[4096 * page : 4096 * page + 8] = ((number + page) & ALL).to_bytes(8, "little")
        page += 1
    content[size - 8 :] = (~number & ALL).to_bytes(8, "little")
    return bytes(content)


@pytest.mark.parametrize("size", SIZES)
def test_a_payload_is_as_described(size: int) -> None:
    payload = TransportPayload(size, 7)
    for number in (-1, 0, 1, 12_345, 1 << 40):
        content = payload.set(number).tobytes()
        assert content == as_described(size, 7, number)
        assert read_head(memoryview(content)) == (7, number)
        assert TransportPayload(size, 7).equals(memoryview(content), number)


@pytest.mark.parametrize("size", [100, 100_003])
def test_a_changed_byte_is_found_wherever_it_is(size: int) -> None:
    expected = TransportPayload(size, 7)
    for place in (16, 17, size // 2, 4096 % size, size - 9):
        content = bytearray(as_described(size, 7, 5))
        content[place] ^= 1
        assert not expected.equals(memoryview(content), 5), place


def test_a_page_of_another_message_is_found() -> None:
    content = bytearray(as_described(100_000, 7, 5))
    content[8192:12288] = as_described(100_000, 7, 4)[8192:12288]
    assert not TransportPayload(100_000, 7).equals(memoryview(content), 5)


def test_what_is_cut_or_has_another_end_has_no_head() -> None:
    content = as_described(100, 7, 5)
    assert read_head(memoryview(content[:-1])) is None
    assert read_head(memoryview(content[:20])) is None
    assert read_head(memoryview(b"")) is None


def test_making_one_takes_no_more_memory_than_its_size() -> None:
    size = 8 << 20
    tracemalloc.start()
    try:
        template(size)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size <= most < 1.2 * size


def test_the_digest_of_a_size_is_computed_once() -> None:
    digest.cache_clear()
    assert digest(100) == digest(100)
    assert digest.cache_info().misses == 1
    assert digest(101) != digest(100)
