# SPDX-License-Identifier: Apache-2.0
"""Prices of this machine: real generated codecs are measured, and times are split into parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np
import numpy.typing as npt

from wirecost.data.messages.anatomy import PARTS, Anatomy, anatomy
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.cost.least_squares import nonnegative
from wirecost.measure.cost.prices import PREFERRED, STAGES, Price, PriceList, machine_name
from wirecost.measure.cost.spread import MESSAGES, TOP, contents, spread_subject
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.languages import backend_of
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

CONTENTS = {"cpp": 60, "python": 30}
"""Contents of the message with lists."""
CONTENTS_WITHOUT_LISTS = {"cpp": 6, "python": 2}
"""Contents of each of the others."""
TOPS = {
    "cpp": (TOP, "Track", "Stamp", "Pose", "Head", "Flags", "Box"),
    "python": tuple(MESSAGES),
}
"""Messages that are measured: in C++ each is compiled."""
REPETITIONS = 9
WIRES = ("protobuf", "ros1", "cdr")
MODE = "new"
OURS = "wirecost"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Observation:
    """Nanoseconds per message of each stage, and what the messages consist of."""

    parts: Anatomy
    ns: Mapping[str, float]
    bytes: float


class AbsentError(UserError):
    """A library that is not here; its text says what brings it."""


def calibrated(
    say: Say,
    languages: Sequence[str] = ("cpp", "python"),
    wires: Sequence[str] = WIRES,
    seed: int = 1,
) -> PriceList:
    """Measure the prices of this machine, which takes minutes. Raises UserError."""
    prices: dict[str, dict[str, Price]] = {}
    for wire in wires:
        for lang in languages:
            for library in (*PREFERRED[lang, wire], OURS):
                seen = list(_spread(lang, wire, library, say, seed))
                if len(seen) >= len(PARTS):
                    prices[f"{lang} {library} {wire}"] = {
                        stage: fitted([(one.parts, one.ns[stage]) for one in seen])
                        for stage in STAGES
                    }
    if not prices:
        raise UserError("no prices: no library of these languages and wires is here")
    about = {
        "machine": machine_name(),
        "wirecost": version("wirecost"),
        "date": time.strftime("%Y-%m-%d"),
    }
    return PriceList(about, prices, is_own=True)


def _spread(lang: str, wire: str, library: str, say: Say, seed: int) -> Iterator[Observation]:
    for top in TOPS[lang]:
        about = spread_subject(wire, top)
        count = (CONTENTS if top == TOP else CONTENTS_WITHOUT_LISTS)[lang]
        messages = list(contents(about, count, seed))
        try:
            yield from observed(about, lang, library, messages, say)
        except AbsentError:
            return
        except ProgramFailedError as error:
            say(f"{lang} {library}: {error}")


def observed(
    about: Subject, lang: str, library: str, content: Sequence[list[bytes]], say: Say
) -> list[Observation]:
    """Measure contents of a type with a library.

    Raises AbsentError where the library is not here, UserError, ProgramFailedError.
    """
    selection = ContenderSelection(libraries=frozenset({library}))
    backend = backend_of(lang, about, selection, say)
    found = [one for one in backend.contenders() if one.library == library and one.mode == MODE]
    if not found:
        raise AbsentError(backend.missing.get(library, f"install {library}"))
    say(f"measuring {lang} {library}, {about.type}")
    samples = _measured(backend, found[0], content)
    seen = []
    for messages, stages in zip(content, samples, strict=True):
        size = sum(map(len, messages)) / len(messages)
        parts = anatomy(about, messages, size)
        if parts is not None:
            ns = {stage: median(stages[stage]) for stage in STAGES}
            seen.append(Observation(parts, ns, size))
    return seen


def _measured(
    backend: MessageBackend, contender: Contender, content: Sequence[list[bytes]]
) -> list[dict[str, list[float]]]:
    with scratch.folder("calibration") as folder:
        paths = [folder / str(number) for number in range(len(content))]
        for path, messages in zip(paths, content, strict=True):
            write_content(path, messages)
        keys = [path.name for path in paths]
        # A Python program takes one content, a C++ program all of them in turns.
        runs: Iterable[tuple[Sequence[Path], Sequence[str]]]
        runs = [(paths, keys)] if backend.lang == "cpp" else [([p], [p.name]) for p in paths]
        samples: list[dict[str, list[float]]] = [{} for _ in paths]
        for some, names in runs:
            for item in backend.measured(contender, some, names, REPETITIONS):
                if isinstance(item, StageSample):
                    samples[int(item.key)].setdefault(item.stage, []).append(item.ns)
        return samples


def fitted(observations: Sequence[tuple[Anatomy, float]]) -> Price:
    """Return nanoseconds by part that differ least, in relation, from what was measured.

    No part has a negative price.
    """
    parts = np.array([one.vector() for one, _ in observations])
    ns: npt.NDArray[np.float64] = np.array([ns for _, ns in observations])
    weighted = parts / ns[:, None]
    scale = np.where(weighted.any(0), np.abs(weighted).max(0), 1.0)
    solution = nonnegative(weighted / scale, np.ones(len(ns)))
    return {
        part: float(value) for part, value in zip(PARTS, solution / scale, strict=True) if value
    }
