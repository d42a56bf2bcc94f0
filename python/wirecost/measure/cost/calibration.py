# SPDX-License-Identifier: Apache-2.0
"""Prices of this machine: real generated codecs are measured, and times are split into parts."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from statistics import median

import numpy as np

from wirecost.data.messages.anatomy import OF_CONSTRUCTORS, PARTS, Anatomy, anatomy
from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.cost.disturbance import Others, disturbed
from wirecost.measure.cost.path_calibration import measured_path, paths_of
from wirecost.measure.cost.path_fit import LIKELY, least_relative
from wirecost.measure.cost.paths import CLIENTS, PLAIN, PathPrice, PathTable
from wirecost.measure.cost.prices import (
    PREFERRED,
    STAGES,
    CodecPrice,
    PriceList,
    known_prices,
    machine_name,
)
from wirecost.measure.cost.ros_python.codec import LIBRARIES, CodecObservation
from wirecost.measure.cost.ros_python.codec import observed as observed_in_ros
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
MODE = "new"
KEPT = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
"""Variables that are glibc's thresholds where they have grown most."""
OURS = "wirecost"
OF_CODECS = tuple(part for part in PARTS if part not in OF_CONSTRUCTORS)
"""Parts that codecs of other libraries than rclpy are priced by."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Observation:
    """Nanoseconds per message of each stage, and what the messages consist of."""

    parts: Anatomy
    ns: Mapping[str, float]
    bytes: float
    type: str = ""


class AbsentError(UserError):
    """A library that is not here; its text says what brings it."""


@dataclass(frozen=True)
class CalibratedEnds:
    """What is measured: a language's codecs on a wire, and its path over a middleware, if any."""

    lang: str
    wire: str
    middleware: str = ""


def calibrated(
    ends: Sequence[CalibratedEnds], ros2: Ros2Installation, say: Say, seed: int = 1
) -> PriceList:
    """Measure the prices of this machine, in about two minutes for each end. Raises UserError.

    They are the less sure, the more of the processors others take meanwhile.
    """
    about = {
        "machine": machine_name(),
        "wirecost": version("wirecost"),
        "date": time.strftime("%Y-%m-%d"),
    }
    prices: dict[str, CodecPrice] = {}
    paths: dict[str, PathPrice] = {}
    with Others() as others:
        for one in ends:
            prices |= _codecs(one, ros2, say, seed)
            codecs = PriceList(about, prices).over(known_prices())
            client = CLIENTS.get((one.wire, one.lang), PLAIN)
            for path in paths_of(client, one.middleware):
                try:
                    priced = measured_path(path, ros2.python, codecs, {}, say)
                except ProgramFailedError as error:
                    raise UserError(f"--calibrate: {error}; stop what keeps it busy") from error
                paths[priced.name] = priced
        share = others.share()
    if not prices and not paths:
        raise UserError("--calibrate: no library of these languages and wires is here")
    return disturbed(PriceList(about, prices, PathTable(paths), is_own=True), share)


def _codecs(
    ends: CalibratedEnds, ros2: Ros2Installation, say: Say, seed: int
) -> dict[str, CodecPrice]:
    lang, wire = ends.lang, ends.wire
    if lang == "python" and wire in LIBRARIES:
        say(f"measuring {LIBRARIES[wire]}'s serialization")
        seen = observed_in_ros(wire, ros2, seed)
        return {f"python {LIBRARIES[wire]} {wire}": codec_price(seen, PARTS)}
    prices = {}
    for library in (*PREFERRED.get((lang, wire), ()), OURS):
        name = f"{lang} {library} {wire}"
        spread = [
            CodecObservation(one.type, one.parts, {s: [one.ns[s]] for s in STAGES}, one.bytes)
            for one in _spread(lang, wire, library, say, seed)
        ]
        if len(spread) >= len(OF_CODECS):
            price = codec_price(spread, OF_CODECS)
            # Types of others differ more from ours than ours from each other.
            known = known_prices().prices.get(name)
            wider = {
                stage: max(price.spread[stage], known.spread.get(stage, 0.0) if known else 0.0)
                for stage in STAGES
            }
            prices[name] = replace(price, spread=wider)
    return prices


def codec_price(seen: Sequence[CodecObservation], parts: Sequence[str]) -> CodecPrice:
    """Return the prices by part, and their errors for types that were not measured.

    Each type's error is that of the prices that the others have.
    """
    stages, spread = {}, {}
    for stage in STAGES:
        times = [min(one.ns[stage]) for one in seen]
        counts = [[getattr(one.parts, part) for part in parts] for one in seen]
        stages[stage], of_known = least_relative(parts, counts, times)
        errors = []
        types = {one.type for one in seen}
        for type_ in types if len(types) > 2 else ():
            rows = list(zip(seen, counts, times, strict=True))
            others = [(counts, ns) for one, counts, ns in rows if one.type != type_]
            price, _ = least_relative(parts, *zip(*others, strict=True))
            values = [price.get(part, 0.0) for part in parts]
            errors += [
                abs(float(np.dot(values, counts)) / ns - 1)
                for one, counts, ns in rows
                if one.type == type_
            ]
        noise = np.median([max(one.ns[stage]) / min(one.ns[stage]) - 1 for one in seen])
        likely = float(np.percentile(errors, LIKELY)) if errors else of_known
        spread[stage] = float(np.hypot(likely, noise))
    return CodecPrice(stages, spread, is_own=True)


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
    backend, contender = contender_of(about, lang, library, say)
    say(f"measuring {lang} {library}, {about.type}")
    samples = stage_times(backend, contender, content)
    seen = []
    for messages, stages in zip(content, samples, strict=True):
        size = sum(map(len, messages)) / len(messages)
        parts = anatomy(about, messages, size)
        if parts is not None:
            ns = {stage: median(stages[stage]) for stage in STAGES}
            seen.append(Observation(parts, ns, size, about.type))
    return seen


def contender_of(
    about: Subject, lang: str, library: str, say: Say
) -> tuple[MessageBackend, Contender]:
    """Return a library's contender for a type, and its backend. Raises AbsentError, UserError."""
    selection = ContenderSelection(libraries=frozenset({library}))
    backend = backend_of(lang, about, selection, say)
    for one in backend.contenders():
        if one.library == library and one.mode == MODE:
            return backend, one
    raise AbsentError(backend.missing.get(library, f"install {library}"))


@contextmanager
def _memory_kept() -> Iterator[None]:
    """Let programs keep what they free, as one does that has freed a larger block before.

    glibc's thresholds grow with such a block. By those of a program that has done nothing else, a
    message of thousands of others goes back to the system, and each of its pages comes anew.
    """
    before = {name: os.environ.get(name) for name in KEPT}
    os.environ.update(KEPT)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def stage_times(
    backend: MessageBackend,
    contender: Contender,
    content: Sequence[list[bytes]],
    repetitions: int = REPETITIONS,
) -> list[dict[str, list[float]]]:
    """Return for each content the nanoseconds per message of every repetition, by stage.

    Raises ProgramFailedError.
    """
    with scratch.folder("calibration") as folder, _memory_kept():
        paths = [folder / str(number) for number in range(len(content))]
        for path, messages in zip(paths, content, strict=True):
            write_content(path, messages)
        keys = [path.name for path in paths]
        # A Python program takes one content, a C++ program all of them in turns.
        runs: Iterable[tuple[Sequence[Path], Sequence[str]]]
        runs = [(paths, keys)] if backend.lang == "cpp" else [([p], [p.name]) for p in paths]
        samples: list[dict[str, list[float]]] = [{} for _ in paths]
        for some, names in runs:
            for item in backend.measured(contender, some, names, repetitions):
                if isinstance(item, StageSample):
                    samples[int(item.key)].setdefault(item.stage, []).append(item.ns)
        return samples
