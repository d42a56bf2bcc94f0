# SPDX-License-Identifier: Apache-2.0
"""Decoding under the meter: refused or not, a frame costs no more than its size allows."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from attack.meter import Cost, Limit, Meter, prepare, slowness
from attack.target import Target, one_line
from attack.tensor.corpus import frames, frameworks, installed
from attack.tensor.frames import compressed_bytes
from attack.tensor.hostile import hostile
from attack.tensor.mutate import mutated_frame
from wirecost.messaging.tensor import arrow_stream, codec, decode, plan
from wirecost.messaging.tensor.budget import MOST_EXPANDED
from wirecost.messaging.tensor.matching import COMPRESSED
from wirecost.system.errors import UserError

LIMIT = Limit(8, 16 << 20, 100, 1_000_000)
EXPANDED_TIMES, EXPANDED_NS = 3, 20
"""Beside that, for each byte of a compressed tensor that is expanded: memory and nanoseconds."""
CONSTRUCTOR_NS = {"dask": 100_000, "jax": 100_000, "zarr": 200_000}
"""What making an object of these takes, however small it is: theirs, and not in the limit
(docs/tensor.md)."""
TENSORS = ("numpy", "torch", "tensorflow", "jax", "mxnet", "paddle", "dask")
TABLES = ("pandas", "polars", "pyarrow")
_AGAIN, _CHILDREN = 15, 3
"""Measurements in this process, and then new processes, before a cost is believed: a garbage
collection, a page that was shared, a busy machine."""
_PATIENCE = 300.0
"""Seconds for one input that may be measured again and again."""
_SMALL = 20_000
"""Bytes of a frame to start from."""
_MEMORY_ENDED = ("MemoryError", "bad_alloc", "malloc of size", "realloc of size")


class CostError(Exception):
    """A frame costs more than its size allows."""


def wanted() -> list[str | None]:
    """Return the values that ``as_`` may have here."""
    return [None, COMPRESSED, *(name for name in (*TENSORS, *TABLES) if installed(name))]


@dataclass(frozen=True)
class Metered:
    """Metered decoding of a frame into every object that it may become.

    Raises CostError, and what decoding as its sender's object raised."""

    frameworks: tuple[str, ...]

    def __call__(self, frame: bytes) -> None:
        meter = _ready(self.frameworks)
        own: Exception | None = None
        for as_ in wanted():
            cost, raised = meter.measured(partial(decode, frame, as_=as_))
            _look_at(raised)
            if self._excess(cost, frame, as_):
                self._again(frame, as_)
            if as_ is None:
                own = raised
        if own is not None:
            raise own

    def _again(self, frame: bytes, as_: str | None) -> None:
        cost = usual(frame, as_, _ready(self.frameworks))
        for _ in range(_CHILDREN):
            if not self._excess(cost, frame, as_):
                return
            cost = _in_a_child(frame, as_, self.frameworks)
        if excess := self._excess(cost, frame, as_):
            raise CostError(f"as_={as_!r}: {excess}")

    def _excess(self, cost: Cost, frame: bytes, as_: str | None) -> str:
        if not LIMIT.excess(cost, len(frame)):
            return ""
        each = max(CONSTRUCTOR_NS.get(name, 0) for name in (as_ or "", *self.frameworks))
        expanded = compressed_bytes(frame)
        without = replace(
            cost,
            nbytes=cost.nbytes - min(EXPANDED_TIMES * expanded, MOST_EXPANDED),
            nanoseconds=cost.nanoseconds
            - each * _extensions(frame)
            - EXPANDED_NS * min(expanded, MOST_EXPANDED),
        )
        return LIMIT.excess(without, len(frame))


def _extensions(frame: bytes) -> int:
    """MessagePack's extensions, of which every object is one: at most so many."""
    return sum(frame.count(kind) for kind in (b"\xc7", b"\xc8", b"\xc9", b"\xd8"))


def usual(frame: bytes, as_: str | None, meter: Meter) -> Cost:
    """Return the cost for a process that has not seen such a frame, were the machine idle.

    It is the least of many measurements, as nothing makes a program quicker than it is."""
    costs = [_cold(frame, as_, meter) for _ in range(_AGAIN)]
    return Cost(min(cost.nbytes for cost in costs), min(cost.nanoseconds for cost in costs))


def _cold(frame: bytes, as_: str | None, meter: Meter) -> Cost:
    for memo in (codec._PLANS, plan._PLANS, arrow_stream._SCHEMAS):
        memo.clear()
    codec._LATEST_PLAN[0] = (b"", None)
    slow = slowness()
    cost, _ = meter.measured(partial(decode, frame, as_=as_))
    return Cost(cost.nbytes, int(cost.nanoseconds / min(slow, slowness())))


def _look_at(raised: Exception | None) -> None:
    """Raise what is no refusal of a frame in one line."""
    if raised is None:
        return
    if not isinstance(raised, UserError):
        raise raised
    one_line(raised)
    if any(words in str(raised) for words in _MEMORY_ENDED):
        raise CostError(f"memory ended: {raised}")


@cache
def _ready(names: tuple[str, ...]) -> Meter:
    """Once for a process: what is loaded and read by whoever comes first is there."""
    for frame in [content for name in names for content in frames(name)]:
        for as_ in wanted() * 2:
            try:
                decode(frame, as_=as_)
            except UserError:
                continue
    prepare()
    return Meter()


def _in_a_child(frame: bytes, as_: str | None, names: tuple[str, ...]) -> Cost:
    with tempfile.NamedTemporaryFile(prefix="attack-") as file:
        file.write(frame)
        file.flush()
        command = [sys.executable, "-m", "attack.tensor.cost", file.name, str(as_), *names]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        child = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment)
    nbytes, nanoseconds = child.stdout.split()[-2:]
    return Cost(int(nbytes), int(nanoseconds))


@dataclass(frozen=True)
class Frames(Target):
    """All frames of the corpus as they are, then what mutation makes of the small ones."""

    def input(self, corpus: Sequence[bytes], seed: int, number: int) -> bytes:
        if number < len(corpus):
            return corpus[number]
        small = [frame for frame in corpus if len(frame) < _SMALL]
        return super().input(small, seed, number)


def corpus(names: Sequence[str]) -> list[bytes]:
    """Good frames and hostile ones."""
    if multiprocessing.parent_process() is not None:
        # A child that will read them has time for its imports now.
        _ready(tuple(names))
    all_frames = [frame for name in names for frame in frames(name)]
    return all_frames + [frame for name in names for frame in hostile(name).values()]


def target(*names: str) -> Target:
    """Return the frames of frameworks under attack."""
    return Frames(
        f"tensor-{names[0]}" if len(names) == 1 else "tensor",
        partial(corpus, names),
        Metered(names),
        mutate=mutated_frame,
        patience=_PATIENCE,
    )


TARGETS = tuple(target(name) for name in frameworks())

if __name__ == "__main__":
    path, as_, *names = sys.argv[1:]
    chosen = None if as_ == "None" else as_
    cost = usual(Path(path).read_bytes(), chosen, _ready(tuple(names)))
    print(cost.nbytes, cost.nanoseconds)
