# SPDX-License-Identifier: Apache-2.0
"""What is compiled for each library: its generated code and ours around it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from google.protobuf import descriptor_pb2 as pb

from wirecost.bench.message.cpp import code, gencpp, ros_code, rosidl
from wirecost.bench.message.cpp.flatbuffers_code import SCHEMA as FLATBUFFERS_SCHEMA
from wirecost.bench.message.cpp.flatbuffers_code import flatbuffers
from wirecost.bench.message.cpp.tools import has_header, ran
from wirecost.bench.message.ros.installed import Ros2
from wirecost.bench.message.subject import Subject
from wirecost.compile.compiler import Columns, emitted, write
from wirecost.compile.emit import Request
from wirecost.compile.schema import CompileError

GOOGLES_OWN = "google/protobuf/"
MOST_MESSAGES = 40
"""Of a schema for which everything is compiled."""
LEFT_OUT = f"left out of schemas of more than {MOST_MESSAGES} messages, which compile for long"

SHARED = "holders.cpp"
"""The unit that every program has."""

Texts = dict[str, str]


@dataclass(frozen=True)
class Source:
    """A program before it is compiled. ``units``: the files that are compiled for it."""

    name: str
    units: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    classes: str = "google"
    """Folder of the classes with Protobuf's interface: protoc's or ours."""


def generate(
    subject: Subject, lists: Sequence[str], ros2: Ros2, folder: Path
) -> tuple[list[Source], dict[str, str]]:
    """All into the folder; and why others are missing, by library. ``lists``: types of elements
    that columns are tried for."""
    sources, missing = _ours(subject, folder)
    others = _others(subject, ros2)
    if lists:
        others["wirecost-columns"] = partial(_columns, lists)
    for name, make in others.items():
        found = make(subject, folder)
        if isinstance(found, str):
            missing[name] = found
        else:
            sources.append(found)
    return sources, missing


def _is_large(subject: Subject) -> bool:
    return len(list(subject.schema.messages())) > MOST_MESSAGES


def _put(folder: Path, texts: Texts) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _ours(subject: Subject, folder: Path) -> tuple[list[Source], dict[str, str]]:
    missing: dict[str, str] = {}
    others = subject.other_wires
    if _is_large(subject):
        missing |= {f"wirecost-{wire}": LEFT_OUT for wire in others}
        others = ()
    wires = (subject.wire, *others)
    write(emitted(subject.schema, ("cpp",), Request(wires, recycling=False)), folder)
    texts = code.fixed()
    texts |= {"holders.hpp": code.holders(subject), SHARED: code.shared(subject)}
    sources = []
    for wire in wires:
        name = "wirecost" if wire == subject.wire else f"wirecost-{wire}"
        texts[f"{name}.cpp"] = code.ours(subject, wire)
        sources.append(Source(name, (f"{name}.cpp",)))
    _put(folder, texts)
    return sources, missing


Make = Callable[[Subject, Path], "Source | str"]


def _others(subject: Subject, ros2: Ros2) -> dict[str, Make]:
    """Others' libraries: the program's source, or how to install what it needs."""
    found: dict[str, Make] = {"protobuf": _protobuf}
    if subject.wire == "protobuf":
        found["wirecost-classes"] = _our_classes
    if subject.wire == "ros1":
        found["gencpp"] = _gencpp
    if subject.wire == "cdr":
        found["fast-cdr"] = _fast_cdr
        found[rosidl.NAME] = partial(_rosidl, ros2)
    return found | {"messagepack": _messagepack, "flatbuffers-table": _flatbuffers}


def _protobuf(subject: Subject, folder: Path) -> Source | str:
    if complaint := _googles_classes(subject, folder / "google"):
        return complaint
    _put(folder, {"classes.hpp": code.classes(subject), "protobuf.cpp": code.google(subject)})
    theirs = sorted(p.relative_to(folder).as_posix() for p in (folder / "google").rglob("*.pb.cc"))
    return Source("protobuf", ("protobuf.cpp", *theirs), ("-lprotobuf", "-pthread"))


def _our_classes(subject: Subject, folder: Path) -> Source | str:
    """The same program as protoc's, but for the arena, compiled with our classes."""
    if _is_large(subject):
        return LEFT_OUT
    classes = folder / "classes"
    request = Request((subject.wire,), recycling=False, protobuf_api=True)
    write(emitted(subject.schema, ("cpp",), request), classes)
    name = "wirecost-classes"
    texts = {"classes.hpp": code.classes(subject), f"{name}.cpp": code.google(subject, arena=False)}
    _put(folder, texts)
    theirs = (*classes.rglob("*.pb.cc"), *classes.rglob("message.cc"))
    units = sorted(path.relative_to(folder).as_posix() for path in theirs)
    return Source(name, (f"{name}.cpp", *units), classes="classes/cpp")


def _columns(lists: Sequence[str], subject: Subject, folder: Path) -> Source | str:
    if _is_large(subject):
        return LEFT_OUT
    made = folder / "columns"
    asked = Columns(tuple(lists), ("*=auto",))
    try:
        write(
            emitted(subject.schema, ("cpp",), Request(("protobuf",), recycling=False), asked), made
        )
    except CompileError as error:
        return str(error)
    headers = sorted((made / "cpp").rglob("columns_containers.hpp"))
    containers = PurePosixPath(headers[0].relative_to(made / "cpp"))
    name = "wirecost-columns"
    _put(
        folder,
        {
            "columns.hpp": code.columns(subject, containers),
            f"{name}.cpp": code.users(subject, "columns.hpp"),
        },
    )
    return Source(name, (f"{name}.cpp",), include=("columns/cpp",))


def _gencpp(subject: Subject, folder: Path) -> Source | str:
    if complaint := gencpp.generate(subject, folder / "generated"):
        return complaint
    _put(folder, ros_code.gencpp(subject))
    libraries = ("-lroscpp_serialization", "-lrostime", "-lcpp_common")
    return Source("gencpp", ("gencpp.cpp",), libraries)


def _fast_cdr(subject: Subject, folder: Path) -> Source | str:
    if not has_header("fastcdr/Cdr.h"):
        return "apt-get install libfastcdr-dev"
    _put(folder, ros_code.fast_cdr(subject))
    return Source("fast-cdr", ("fast-cdr.cpp",), ("-lfastcdr",))


def _rosidl(ros2: Ros2, subject: Subject, folder: Path) -> Source | str:
    if _is_large(subject):
        return LEFT_OUT
    generated = folder / "generated"
    if complaint := rosidl.generate(subject, ros2, generated):
        return complaint
    headers = sorted(generated.rglob(f"*__{rosidl.SUPPORT}.hpp"))
    units = sorted(generated.rglob("*__type_support.cpp"))
    names = [path.relative_to(generated).as_posix() for path in headers]
    _put(folder, ros_code.rosidl(subject, ros2.having("include/fastcdr"), names))
    include, libraries = rosidl.options(ros2)
    theirs = (path.relative_to(folder).as_posix() for path in units)
    return Source(rosidl.NAME, ("rosidl.cpp", *theirs), libraries, include)


def _messagepack(subject: Subject, folder: Path) -> Source | str:
    if _is_large(subject):
        return LEFT_OUT
    if not has_header("msgpack.hpp"):
        return "apt-get install libmsgpack-cxx-dev"
    program = code.messagepack_program(subject)
    _put(folder, {"messagepack.hpp": code.messagepack(subject), "messagepack.cpp": program})
    return Source("messagepack", ("messagepack.cpp",))


def _flatbuffers(subject: Subject, folder: Path) -> Source | str:
    if _is_large(subject):
        return LEFT_OUT
    flatc = shutil.which("flatc")
    if flatc is None or not has_header("flatbuffers/flatbuffers.h"):
        return "apt-get install flatbuffers-compiler libflatbuffers-dev"
    _put(folder, flatbuffers(subject))
    made = folder / "flatbuffers"
    complaint = ran([flatc, "--cpp", "-o", str(made), str(folder / FLATBUFFERS_SCHEMA)])
    if complaint:
        return f"{flatc}: {complaint}"
    return Source("flatbuffers-table", ("flatbuffers.cpp",))


def _googles_classes(subject: Subject, folder: Path) -> str:
    """Those of protoc; why there are none, if so."""
    protoc = shutil.which("protoc")
    if protoc is None or not has_header("google/protobuf/message.h"):
        return "apt-get install protobuf-compiler libprotobuf-dev"
    folder.mkdir()
    described = folder / "schema.fds"
    described.write_bytes(_with_functions(subject.descriptors).SerializeToString())
    files = [file.name for file in subject.descriptors.file if not _in_library(file.name)]
    command = [protoc, f"--descriptor_set_in={described}", f"--cpp_out={folder}", *files]
    complaint = ran(command)
    return f"{protoc}: {complaint}" if complaint else ""


def _with_functions(descriptors: pb.FileDescriptorSet) -> pb.FileDescriptorSet:
    """Without `ctype`: fields of such a type have no functions in what protoc writes for others."""
    made = pb.FileDescriptorSet()
    made.CopyFrom(descriptors)
    waiting = [message for file in made.file for message in file.message_type]
    while waiting:
        message = waiting.pop()
        waiting += message.nested_type
        for one in message.field:
            one.options.ClearField("ctype")
    return made


def _in_library(name: str) -> bool:
    """Well-known types, whose classes libprotobuf has."""
    return name.startswith(GOOGLES_OWN) and has_header(f"{name.removesuffix('.proto')}.pb.h")
