# SPDX-License-Identifier: Apache-2.0
"""A process of its own for the Python contenders: reads a job, prints what the C++ programs print.

``python -m wirecost.bench.message.python.worker`` with one JSON object on standard input:
``folder`` (our generated modules, ``schema.fds``), ``type``, ``command`` (verify, measure),
``library`` (or the path of a user's module), ``content`` (a file as the C++ programs read it),
``out`` (a folder), ``repetitions``.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2 as pb

from wirecost.bench.message.content_file import read_content, write_content
from wirecost.bench.message.python import code
from wirecost.bench.message.subject import Subject, subject
from wirecost.bench.timed import timed
from wirecost.compile.emit.python.names import class_name, module_place

LEAST_SAMPLE_NS = 1_000_000
ROOT = "wire"
"""Package of our modules."""
STAGES = ("fill", "encode", "decode", "read", "destroy")


class Contender:
    """A library's functions for the message."""

    def __init__(self, about: Subject, library: str) -> None:
        scope: dict[str, Any] = {}
        own = Path(library) if library not in code.STYLES else None
        library = "wirecost" if own else library  # whose objects a user's codec takes
        source = code.module(about.schema, code.STYLES[library])
        exec(compile(source, f"<{library}>", "exec"), scope)
        names = [message.full_name for message in about.schema.messages()]
        top = names.index(about.type)
        self.library = library
        self._classes: Sequence[Any] = getattr(self, f"_{library}")(about, names)
        self._top: Any = self._classes[top] if library == "protobuf" else None
        """The constructor that takes what was made, where one takes it all."""
        self._make: Callable[[Any, Any], Any] = scope[f"make_{top}"]
        self.read: Callable[[Any], int] = scope[f"read_{top}"]
        self.encode: Callable[[Any], bytes]
        self.decode: Callable[[bytes], Any]
        if library == "json":
            compact = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
            self.encode = lambda message: compact(message).encode()
            self.decode = json.loads
            return
        kind: Any = self._classes[top]
        self.again: Callable[[Any], bytes] = (
            kind.encode_protobuf if library == "wirecost" else kind.SerializeToString
        )
        if own is not None:
            users = _module(own)
            self.encode, self.decode = users.encode, users.decode
        elif library == "wirecost":
            self.encode, self.decode = kind.encode_protobuf, kind.decode_protobuf
        else:
            self.encode, self.decode = kind.SerializeToString, kind.FromString

    def fill(self, value: Any) -> Any:
        made = self._make(self._classes, value)
        return self._top(**made) if self._top else made

    @staticmethod
    def _json(_: Subject, __: Sequence[str]) -> Sequence[Any]:
        return ()

    @staticmethod
    def _wirecost(about: Subject, names: Sequence[str]) -> Sequence[Any]:
        found = []
        for name in names:
            home = about.schema.home(name)
            module = importlib.import_module(".".join((ROOT, *module_place(home).parts)))
            found.append(getattr(module, class_name(home, name)))
        return found

    @staticmethod
    def _protobuf(about: Subject, names: Sequence[str]) -> Sequence[Any]:
        return [about.class_of(name) for name in names]


def _module(path: Path) -> Any:
    """A user's, with ``encode`` and ``decode``."""
    specification = importlib.util.spec_from_file_location(path.stem, path)
    if specification is None or specification.loader is None:
        sys.exit(f"{path} is no Python module")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    for name in ("encode", "decode"):
        if not callable(getattr(module, name, None)):
            sys.exit(f"{path} has no function {name}")
    return module


def main() -> None:
    job = json.load(sys.stdin)
    folder = Path(job["folder"])
    sys.path.insert(0, str(folder / "python"))
    found = pb.FileDescriptorSet.FromString((folder / "schema.fds").read_bytes())
    about = subject(found, "schema.fds", job["type"])
    contender = Contender(about, job["library"])
    to_value = code.values(about.schema, about.type)
    messages = read_content(Path(job["content"]))
    values = [to_value(about.message_class.FromString(data)) for data in messages]
    if job["command"] == "verify":
        _verify(contender, values, Path(job["out"]))
    else:
        _measure(contender, values, job["repetitions"])


def _verify(contender: Contender, values: list[Any], out: Path) -> None:
    sent = [contender.encode(contender.fill(value)) for value in values]
    decoded = [contender.decode(data) for data in sent]
    write_content(out / "new.sent", sent)
    if contender.library != "json":
        write_content(out / "new.back", [contender.again(one) for one in decoded])
    elif any(one != contender.fill(value) for one, value in zip(decoded, values, strict=True)):
        sys.exit("what it read is not what it sent")


def _measure(contender: Contender, values: list[Any], repetitions: int) -> None:
    for _ in range(3):
        _total(contender, values)
    expected = sum(contender.read(contender.fill(value)) for value in values)
    passes = LEAST_SAMPLE_NS // max(1, timed(lambda: _total(contender, values))) + 1
    work = passes * len(values)
    for repetition in range(repetitions):
        ns, sums = _timed_totals(contender, values, passes)
        if sums != [expected] * passes:
            sys.exit("it did not read what was sent")
        print(0, repetition, "total", f"{ns / work:.3f}", sep="\t")
        taken = [0] * len(STAGES)
        for _ in range(passes):
            taken = [a + b for a, b in zip(taken, _stages(contender, values), strict=True)]
        for stage, ns in zip(STAGES, taken, strict=True):
            print(0, repetition, stage, f"{ns / work:.3f}", sep="\t")
        sys.stdout.flush()


def _total(contender: Contender, values: list[Any]) -> int:
    """What reading them added up to."""
    fill, encode, decode, read = (
        contender.fill, contender.encode, contender.decode, contender.read,
    )  # fmt: skip
    return sum(read(decode(encode(fill(value)))) for value in values)


def _timed_totals(contender: Contender, values: list[Any], passes: int) -> tuple[int, list[int]]:
    """Nanoseconds of all passes, and what each read."""
    sums: list[int] = []
    ns = timed(lambda: sums.extend(_total(contender, values) for _ in range(passes)))
    return ns, sums


def _stages(contender: Contender, values: list[Any]) -> list[int]:
    """Nanoseconds of each stage."""
    made: list[Any] = []
    sent: list[bytes] = []
    parsed: list[Any] = []
    steps: tuple[Callable[[], Any], ...] = (
        lambda: made.extend(map(contender.fill, values)),
        lambda: sent.extend(map(contender.encode, made)),
        lambda: parsed.extend(map(contender.decode, sent)),
        lambda: [contender.read(one) for one in parsed],
        lambda: [held.clear() for held in (made, sent, parsed)],
    )
    return [timed(step) for step in steps]


if __name__ == "__main__":
    main()
