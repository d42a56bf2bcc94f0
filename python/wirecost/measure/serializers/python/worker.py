# SPDX-License-Identifier: Apache-2.0
"""Processes for the Python contenders: each reads a job, prints what the C++ programs print.

``python -m wirecost.measure.serializers.python.worker`` with JSON objects on standard input, a line
each. The first has ``folder`` (our generated modules, the subject) and ``type``. For each further
one a process is forked: ``command`` (verify, measure), ``library`` (or the path of a user's
module), ``mode``, ``content`` (a file as the C++ programs read it), ``out`` (a folder),
``repetitions``, ``most_s`` (no further sample begins later). Behind what it prints stands a line
with its status and standard error.
"""

from __future__ import annotations

import gc
import json
import marshal
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from itertools import cycle
from mmap import mmap
from pathlib import Path
from random import SystemRandom
from tempfile import TemporaryFile
from time import perf_counter_ns
from types import CodeType
from typing import Any

from wirecost.data.messages.content_file import read_content, write_content
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.timing import timed
from wirecost.measure.serializers.altered import alter
from wirecost.measure.serializers.choices import COLUMNS
from wirecost.measure.serializers.python import code
from wirecost.measure.serializers.python.libraries import NEW, OURS, ROOT, library
from wirecost.measure.serializers.python.subject_folder import kept

LEAST_SAMPLE_NS = 1_000_000
WARM_NS = 5_000_000
STAGES = ("fill", "encode", "decode", "read", "destroy")
SENT, END = "sent", "end"
"""See ``backend``, whose module takes long to import."""
RANDOM = SystemRandom()


class WorkerContender:
    """A library's functions for the message."""

    def __init__(self, about: Subject, name: str, folder: Path, mode: str = NEW) -> None:
        scope: dict[str, Any] = {}
        exec(_functions(about, name, folder), scope)
        chosen = library(about, name, mode)
        top = [message.full_name for message in about.schema.messages()].index(about.type)
        self.encode, self.decode, self.again = chosen.encode, chosen.decode, chosen.again
        self.read: Callable[[Any], float] = scope[f"read_{top}"]
        self._classes, self._top, self._into = chosen.classes, chosen.top, chosen.into
        self.top = chosen.classes[top] if chosen.classes else None
        self._make: Callable[[Any, Any], Any] = scope[f"make_{top}"]
        self.last: tuple[bytes | memoryview, Any] = b"", None
        """The message that was sent and read last."""

    def fill(self, value: Any) -> Any:
        parts = self._make(self._classes, value)
        return self._top(**parts) if self._top else parts

    def reuse_memory(self, values: list[Any]) -> None:
        """Encode into memory that is used again, as much as these messages together take."""
        if self._into is None:
            return
        room, into = max(len(self.encode(self.fill(value))) for value in values), self._into
        # Memory that is mapped has a hash, and so have its views.
        memories = cycle([memoryview(mmap(-1, room)) for _ in values])

        def encode(message: Any) -> memoryview:
            memory = next(memories)
            return memory[: into(message, memory)]

        self.encode = encode


def _functions(about: Subject, name: str, folder: Path) -> CodeType:
    """Return the code, compiled by the first process.

    For a hundred messages compiling takes as long as the imports.
    """
    kept_code = folder / f"{Path(name).stem}.code"
    if not kept_code.exists():
        source = code.module(about.schema, code.style(about, name))
        kept_code.write_bytes(marshal.dumps(compile(source, f"<{name}>", "exec")))
    compiled = marshal.loads(kept_code.read_bytes())
    assert isinstance(compiled, CodeType)
    return compiled


def main() -> None:
    shared = json.loads(sys.stdin.readline())
    folder = Path(shared["folder"])
    sys.path.insert(0, str(folder / "python"))
    about = kept(folder, shared["type"])
    gc.freeze()  # so that collecting leaves alone what the processes share
    for line in sys.stdin:
        with TemporaryFile() as errors:
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
                os.dup2(errors.fileno(), 2)
                _run(about, folder, json.loads(line))
                sys.stdout.flush()
                os._exit(0)
            _, status = os.waitpid(child, 0)
            errors.seek(0)
            said = errors.read().decode(errors="replace")
        print(END, json.dumps((os.waitstatus_to_exitcode(status), said)), sep="\t", flush=True)


def _run(about: Subject, folder: Path, job: dict[str, Any]) -> None:
    messages = read_content(Path(job["content"]))
    if job["library"] == COLUMNS:
        columns = ColumnsContender(about, job["lists"], folder)
        contender: WorkerContender = columns
        content = WorkerContent(about, messages, columns.held)
    else:
        contender = WorkerContender(about, job["library"], folder, job["mode"])
        content = WorkerContent(about, messages)
    contender.reuse_memory(content.values)
    if job["command"] == "verify":
        _verify(contender, content.values, Path(job["out"]), job["mode"])
    else:
        _measure(contender, content, job["repetitions"], job["most_s"])


class ColumnsContender(WorkerContender):
    """The same of lists in columns, whose program keeps them in arrays."""

    def __init__(self, about: Subject, lists: Sequence[tuple[str, str]], folder: Path) -> None:
        super().__init__(about, OURS, folder)
        from wirecost.measure.serializers.python import columns_library  # noqa: PLC0415

        tables = columns_library.tables(about, lists, ROOT)
        rows = super().fill
        codec = columns_library.ColumnsCodec(tables, self.top, self.read, ROOT)
        self.encode, self.decode, self.again = codec.encode, codec.decode, codec.again
        self.read, self._fill = codec.read, codec.fill
        self.held = lambda value: codec.held(rows(value))

    def fill(self, value: Any) -> Any:
        return self._fill(value)


class WorkerContent:
    """Messages, and the values from which objects are filled in, as ``held`` makes them."""

    def __init__(
        self,
        about: Subject,
        messages: list[bytes],
        held: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self._about = about
        to_value = code.values(about.schema, about.type)
        self._to_value = lambda message: held(to_value(message))
        self._messages = [about.read(data) for data in messages]
        self.values = list(map(self._to_value, self._messages))

    def altered(self) -> list[Any]:
        """Change the messages and return their values.

        Nothing that is kept of an earlier pass is right then.
        """
        for message in self._messages:
            alter(message, RANDOM)
        self.values = list(map(self._to_value, self._messages))
        return self.values

    def written(self, number: int) -> bytes:
        """Return what a message is on its own wire, without a contender's code."""
        return self._about.write(self._messages[number])


def _verify(contender: WorkerContender, values: list[Any], out: Path, mode: str) -> None:
    sent = [contender.encode(contender.fill(value)) for value in values]
    decoded = [contender.decode(data) for data in sent]
    write_content(out / f"{mode}.sent", map(bytes, sent))
    if contender.again is not None:
        write_content(out / f"{mode}.back", map(contender.again, decoded))
    elif any(
        message != contender.fill(value) for message, value in zip(decoded, values, strict=True)
    ):
        sys.exit("what it read is not what it sent")


def _measure(
    contender: WorkerContender, content: WorkerContent, repetitions: int, most_s: float
) -> None:
    gc.freeze()  # what is imported stays, so that collecting before each sample looks at little
    warmed = 0
    while warmed < WARM_NS:
        warmed += timed(lambda: _total(contender, content.values))
    begin = perf_counter_ns()
    _total(contender, content.values)
    passes = LEAST_SAMPLE_NS // (perf_counter_ns() - begin) + 1
    end_ns = perf_counter_ns() + most_s * 1e9
    for repetition in range(repetitions):
        if repetition and perf_counter_ns() >= end_ns:
            break
        ns = carried = 0
        for _ in range(passes):
            values = content.altered()
            # How many there are is not foreseen: the last one is looked at afterwards.
            values = values[: len(values) - RANDOM.randrange(len(values) // 2 + 1)]
            ns += timed(partial(_total, contender, values))
            carried += len(values)
        print(0, repetition, "total", f"{ns / carried:.3f}", sep="\t")
        _report(contender, repetition, content.written(len(values) - 1), values[-1])
        stage_ns = [0] * len(STAGES)
        for _ in range(passes):
            values = content.altered()
            stage_ns = [a + b for a, b in zip(stage_ns, _stages(contender, values), strict=True)]
        for stage, ns in zip(STAGES, stage_ns, strict=True):
            print(0, repetition, stage, f"{ns / (passes * len(values)):.3f}", sep="\t")
        sys.stdout.flush()


def _report(contender: WorkerContender, repetition: int, expected: bytes, value: Any) -> None:
    """Print the last message that was timed, for an independent reader.

    Compares what was read where there is no reader.
    """
    sent, parsed = contender.last
    words = [bytes(sent).hex(), expected.hex()]
    if contender.again is not None:
        words.append(contender.again(parsed).hex())
    elif parsed != contender.fill(value):
        sys.exit("while it was timed, it read another message than it sent")
    print(0, repetition, SENT, *words, sep="\t")


def _total(contender: WorkerContender, values: list[Any]) -> float:
    """Return the sum of what reading gave."""
    fill, encode, decode, read = (
        contender.fill, contender.encode, contender.decode, contender.read,
    )  # fmt: skip
    total: float = 0
    sent: bytes | memoryview = b""
    parsed = None
    for value in values:
        sent = encode(fill(value))
        parsed = decode(sent)
        total += read(parsed)
    contender.last = sent, parsed
    return total


def _stages(contender: WorkerContender, values: list[Any]) -> list[int]:
    """Return the nanoseconds of each stage."""
    objects: list[Any] = []
    sent: list[bytes | memoryview] = []
    parsed: list[Any] = []
    steps: tuple[Callable[[], Any], ...] = (
        lambda: objects.extend(map(contender.fill, values)),
        lambda: sent.extend(map(contender.encode, objects)),
        lambda: parsed.extend(map(contender.decode, sent)),
        lambda: [contender.read(message) for message in parsed],
        lambda: [held.clear() for held in (objects, sent, parsed)],
    )
    return [timed(step) for step in steps]


if __name__ == "__main__":
    main()
