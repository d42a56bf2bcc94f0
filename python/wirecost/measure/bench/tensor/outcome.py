# SPDX-License-Identifier: Apache-2.0
"""Measurements of a combination in a case."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cache

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.tensor.arrays import ArraySource
from wirecost.measure.bench.tensor.camera import Camera
from wirecost.measure.bench.tensor.cases import Combination, TensorCase
from wirecost.measure.bench.tensor.pair import TensorBlock
from wirecost.measure.bench.tensor.stamps import TensorCounts


@dataclass
class TensorOutcome:
    """Outcome of a combination in a case; the record of ``entry`` changes from block to block."""

    case: TensorCase
    entry: Entry[Combination]
    counts: TensorCounts = field(default_factory=TensorCounts)
    nbytes: int = 0
    """Bytes of a message of the last block; compressed ones differ."""
    measured: int = 0
    """Number of messages of which the entry has samples."""
    bytes_per_s: float | None = None
    """Bytes per second of messages sent back to back, as they arrived."""
    lost_back_to_back: int | None = None

    def add(
        self, block: TensorBlock, counts: TensorCounts, samples: list[dict[str, int]], process: int
    ) -> None:
        """Add a block; ``samples``: nanoseconds of each stage, message by message."""
        self.counts.add(counts)
        self.nbytes = block.nbytes or self.nbytes
        rows = [
            (stage, self.measured + place, process, ns, self.nbytes)
            for place, stages in enumerate(samples)
            for stage, ns in stages.items()
        ]
        names = ("stage", "repetition", "process", "ns", "bytes")
        self.entry.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
        self.measured += len(samples)
        self.state()

    def state(self) -> None:
        """Update the entry's record."""
        counts, timed = self.counts, self.case.rate > 0
        self.entry.facts.update(
            asked_rate=self.case.rate,
            rate=counts.rate if timed else None,
            sent=counts.sent,
            received=counts.received,
            lost=counts.lost,
            late=counts.late if timed else None,
            most_lag_ns=counts.most_lag_ns if timed else None,
            duplicates=counts.duplicates,
            reordered=counts.reordered,
            bytes_per_s=self.bytes_per_s,
            lost_without_pause=self.lost_back_to_back,
            message_bytes=self.nbytes,
            message_digest=self.entry.digest,
        )


def outcome(
    case: TensorCase, combination: Combination, content: str, pattern: str
) -> TensorOutcome:
    """Return an outcome without any block."""
    who = {
        "case": case.name if pattern == "pubsub" else f"{case.name}, {pattern}",
        "variant": content,
        "build": "release",
        "contender": combination.mware,
        "mode": combination.plugin,
        "plugin": combination.plugin,
        "mware": combination.mware,
        "dtype": case.dtype,
        "shape": case.shape_text,
        "pattern": pattern,
        "device": case.device,
    }
    digest = _digest(case.shape, case.dtype, content, combination.image)
    fresh = TensorOutcome(
        case, Entry(combination.label, combination, who, bytes=None, digest=digest)
    )
    fresh.state()
    return fresh


@cache
def _digest(shape: tuple[int, ...], dtype: str, content: str, image: bool) -> str:
    """Return the digest of message 0, which every contender sent and received equal."""
    array = (Camera if image else ArraySource)(shape, dtype, content).array(0)
    return hashlib.blake2b(array.tobytes(), digest_size=8).hexdigest()
