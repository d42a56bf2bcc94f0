# SPDX-License-Identifier: Apache-2.0
"""Changes that would make a system cheaper, with what each saves in the whole of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from wirecost.measure.cost.cloud import padding_share
from wirecost.measure.cost.prices import PriceList
from wirecost.measure.cost.survey import TopicSurvey
from wirecost.results.records.cost import Remedy, TopicCost

WORTH_BYTES, WORTH_SHARE = 1e6, 0.01
"""Bytes a second and share of a core from which on a change is worth doing."""
LARGE = 64 << 10
"""Bytes of a message from which on handing over memory beats encoding it."""

Topic = tuple[TopicSurvey, TopicCost]


def remedies(
    files: Sequence[str], topics: Sequence[Topic], prices: PriceList, lang: str
) -> list[Remedy]:
    """Return the changes that are worth it, those that save most first."""
    found: list[Remedy] = []
    for read, cost in topics:
        bench = f"wirecost bench message {shlex.quote(files[0])} --topic {cost.topic}"
        found += _packed(read, cost, bench)
        found += _handed_over(cost, bench)
        found += _another_library(read, cost, prices, lang, bench)
    worth = [one for one in found if one.bytes_per_s >= WORTH_BYTES or one.share >= WORTH_SHARE]
    worth.sort(key=lambda one: (-one.share, -one.bytes_per_s, one.topic))
    return worth


def _packed(read: TopicSurvey, cost: TopicCost, bench: str) -> Iterator[Remedy]:
    share = padding_share(read)
    if share:
        saved = share * cost.bytes_per_s
        yield Remedy(
            topic=cost.topic,
            what=f"leave out the padding of its points, {share:.0%} of its bytes",
            bytes_per_s=saved,
            share=share * cost.share,
            is_sure=True,
            command=bench,
        )


def _handed_over(cost: TopicCost, bench: str) -> Iterator[Remedy]:
    """Yield that ends which share memory neither encode nor decode."""
    if cost.median_bytes >= LARGE and cost.encode_ns is not None:
        yield Remedy(
            topic=cost.topic,
            what="hand it over in one process, or in shared memory",
            bytes_per_s=cost.bytes_per_s,
            share=cost.share,
            command=f"{bench} --over iceoryx2 --rate {cost.rate_hz:.3g}",
        )


def _another_library(
    read: TopicSurvey, cost: TopicCost, prices: PriceList, lang: str, bench: str
) -> Iterator[Remedy]:
    """Yield what our holders of the same bytes would save."""
    if read.subject is None or cost.encode_ns is None or cost.decode_ns is None:
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
            what="generate its code with wirecost, the same bytes",
            share=share,
            command=bench,
        )
