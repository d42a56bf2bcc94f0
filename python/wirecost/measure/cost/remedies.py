# SPDX-License-Identifier: Apache-2.0
"""Changes that would make a system cheaper, with what each saves in the whole of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
import zstandard

from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.cloud import padding_share
from wirecost.measure.cost.prices import PriceList
from wirecost.results.records.cost import Remedy, TopicCost, is_live
from wirecost.system.foreign import shell_line

WORTH_BYTES, WORTH_SHARE = 1e6, 0.01
"""Bytes a second and share of a core from which on a change is worth doing."""
PACKED, HANDED, GENERATED = "packed", "shared memory", "wirecost"
COMPRESSED, HALF = "zstd -1", "half rate"
LEAST_COMPRESSED, MOST_COMPRESSED = 4 << 10, 1 << 20
"""Bytes of a topic's sample that are worth compressing, and that are compressed."""
LARGE = 64 << 10
"""Bytes of a message from which on handing over memory beats encoding it."""
CARRIERS = {"cdr": "dds", "ros1": "ros1"}
"""Transport by which messages of a wire usually go."""

Topic = tuple[TopicSurvey, TopicCost]


def remedies(
    files: Sequence[str], topics: Sequence[Topic], prices: PriceList, lang: str
) -> list[Remedy]:
    """Return what changes would save, each by itself, those that save most first.

    ``files``: as ``SystemCost`` has them.
    """
    found: list[Remedy] = []
    for read, cost in topics:
        if not cost.has_rate:
            continue
        bench = shell_line("wirecost", "bench", "message", files[0], "--topic", cost.topic)
        if is_live(files):  # whose messages are in no file
            bench = ""
        found += _packed(read, cost, files)
        found += _handed_over(cost)
        found += _another_library(read, cost, prices, lang, bench)
        found += _compressed(read, cost, bench)
        found += _half_as_often(cost)
    found = [msgspec.structs.replace(one, is_worth=_is_worth(one)) for one in found]
    found.sort(key=lambda one: (not one.is_worth, -one.share, -one.bytes_per_s, one.topic))
    return found


def _is_worth(one: Remedy) -> bool:
    """Say whether a change is advice: what it gives up is no message."""
    is_large = one.bytes_per_s >= WORTH_BYTES or one.share >= WORTH_SHARE
    return is_large and one.kind not in (HALF, COMPRESSED)


def _packed(read: TopicSurvey, cost: TopicCost, files: Sequence[str]) -> Iterator[Remedy]:
    """Yield that points have the bytes of their fields alone; measured, where the topic was."""
    share = padding_share(read)
    if not share:
        return
    saved_share, how = share * cost.share, "--measure"
    if cost.packed_ns is not None and cost.encode_ns is not None and cost.decode_ns is not None:
        encode_ns, decode_ns = cost.packed_ns
        saved_ns = cost.encode_ns - encode_ns + (cost.decode_ns - decode_ns) * cost.subscribers
        saved_share, how = max(0.0, saved_ns * cost.rate_hz / 1e9), "--topic"
    yield Remedy(
        topic=cost.topic,
        kind=PACKED,
        what=f"remove padding ({100 * share:.0f} %)",
        bytes_per_s=share * cost.bytes_per_s,
        share=saved_share,
        is_sure=True,
        is_measured=cost.packed_ns is not None,
        command=shell_line("wirecost", "cost", *files, how, cost.topic),
    )


def _handed_over(cost: TopicCost) -> Iterator[Remedy]:
    """Yield that ends which share memory neither encode nor decode."""
    carrier = CARRIERS.get(cost.wire, "zeromq")
    rate = float(f"{cost.rate_hz:.3g}")
    receivers = f" --subscribers {cost.subscribers}" if cost.subscribers > 1 else ""
    if cost.median_bytes >= LARGE and cost.encode_ns is not None:
        yield Remedy(
            topic=cost.topic,
            kind=HANDED,
            what="use shared memory or one process",
            bytes_per_s=cost.bytes_per_s,
            share=cost.share,
            command=f"wirecost bench transport --middlewares {carrier},iceoryx2 "
            f"--sizes {cost.median_bytes} --rate {rate:g}{receivers}",
        )


def _another_library(
    read: TopicSurvey, cost: TopicCost, prices: PriceList, lang: str, bench: str
) -> Iterator[Remedy]:
    """Yield what our holders of the same bytes would save."""
    if read.subject is None or cost.encode_ns is None or cost.decode_ns is None:
        return
    if cost.is_measured:  # an estimate of ours says nothing beside a measurement
        return
    parts = read.parts
    ours = prices.of_library(lang, "wirecost", cost.wire, parts) if parts is not None else None
    if ours is None:
        return
    saved_ns = (
        cost.encode_ns - ours.encode_ns + (cost.decode_ns - ours.decode_ns) * cost.subscribers
    )
    share = saved_ns * cost.rate_hz / 1e9
    if share > 0:
        yield Remedy(
            topic=cost.topic,
            kind=GENERATED,
            what="the same bytes by wirecost's code",
            share=share,
            command=bench,
        )


def _compressed(read: TopicSurvey, cost: TopicCost, bench: str) -> Iterator[Remedy]:
    """Yield what zstd's quickest level leaves of the sample; its own time is not known here."""
    data = b"".join(read.sample.values())
    if len(data) < LEAST_COMPRESSED:
        return
    left = len(zstandard.ZstdCompressor(level=1).compress(data[:MOST_COMPRESSED]))
    share = 1 - left / len(data[:MOST_COMPRESSED])
    if share > 0:
        yield Remedy(
            topic=cost.topic,
            kind=COMPRESSED,
            what="compress it (the time of zstd is not included)",
            bytes_per_s=share * cost.bytes_per_s,
            is_sure=True,
            command=bench,
        )


def _half_as_often(cost: TopicCost) -> Iterator[Remedy]:
    if cost.rate_hz:
        yield Remedy(
            topic=cost.topic,
            kind=HALF,
            what="publish it half as often",
            bytes_per_s=cost.bytes_per_s / 2,
            share=cost.share / 2,
        )
