# SPDX-License-Identifier: Apache-2.0
"""Sources for each library: its generated code and ours around it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.program import INSTALLED
from wirecost.measure.serializers.choices import COLUMNS, HEADERS
from wirecost.measure.serializers.cpp import (
    code,
    columns_program,
    gencpp,
    ros_code,
    rosidl,
)
from wirecost.measure.serializers.cpp.flatbuffers_code import SCHEMA as FLATBUFFERS_SCHEMA
from wirecost.measure.serializers.cpp.flatbuffers_code import flatbuffers
from wirecost.measure.serializers.cpp.source import SHARED, ProgramSource
from wirecost.measure.serializers.cpp.tools import has_header, ran
from wirecost.measure.serializers.selection import (
    CodecFile,
    ContenderSelection,
    is_large,
    left_out,
)
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.cpp.api_names import ApiNames
from wirecost.system.errors import UserError

GOOGLES_OWN = "google/protobuf/"
CURRENT_PROTOBUF = INSTALLED / "rivals" / "protobuf-current.json"
"""Paths of its compiler, headers and library, and its version, where it is built."""
HEAVY = frozenset(("wirecost-classes", "messagepack", "flatbuffers-table", rosidl.NAME, COLUMNS))
"""Libraries whose programs of a large schema compile for long."""
LATER = frozenset((COLUMNS, "flatbuffers-table"))
"""Those of them that take part when all others are measured."""

Texts = dict[str, str]


def generate(
    subject: Subject, selection: ContenderSelection, folder: Path
) -> tuple[list[ProgramSource], dict[str, str]]:
    """Generate all sources into the folder; return them, and why others are missing, by library."""
    sources, missing = _ours(subject, selection, folder)
    others = _others(subject, selection)
    if selection.lists:
        others[COLUMNS] = partial(columns_program.generate, selection.lists)
    for name, make in others.items():
        if not selection.takes(name):
            continue
        is_heavy = name in HEAVY and is_large(subject) and not selection.asks_for(name)
        if is_heavy and name not in LATER:
            missing[name] = left_out(name)
            continue
        source = make(subject, folder)
        if isinstance(source, str):
            missing[name] = source
        else:
            sources.append(replace(source, is_later=is_heavy))
    sources += [program.generate(subject, folder) for program in selection.generated]
    for file in selection.files_of(*HEADERS):
        if file.is_kept:
            sources += of_file(subject, selection, file, folder)
    return sources, missing


def of_file(
    subject: Subject, selection: ContenderSelection, file: CodecFile, folder: Path
) -> list[ProgramSource]:
    """Return the programs of a user's codec, which are named as its header is. Raises UserError."""
    try:
        text = file.path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(
            f"--contender {file.path}: {error}; name a header that can be read"
        ) from error
    (folder / "users").mkdir(exist_ok=True)
    (folder / "users" / file.path.name).write_text(text, encoding="utf-8")
    unit = f"{file.name}.users.cpp"
    _put(folder, {unit: code.users(subject, f"users/{file.path.name}")})
    include = () if file.is_kept else (str(file.path.parent.resolve()),)
    source = ProgramSource(file.name, (unit,), include=include)
    return [source, source.recycled()] if selection.has_recycled else [source]


def _put(folder: Path, texts: Texts) -> None:
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def _ours(
    subject: Subject, selection: ContenderSelection, folder: Path
) -> tuple[list[ProgramSource], dict[str, str]]:
    missing: dict[str, str] = {}
    others = tuple(wire for wire in subject.other_wires if selection.takes(f"wirecost-{wire}"))
    if subject.ros is not None and selection.asks_for("wirecost-protobuf"):
        others = (*others, "protobuf")
    if is_large(subject):
        unasked = [wire for wire in others if not selection.asks_for(f"wirecost-{wire}")]
        missing |= {name: left_out(name) for name in (f"wirecost-{wire}" for wire in unasked)}
        others = tuple(wire for wire in others if wire not in unasked)
    wires = (subject.wire, *others)
    write(emitted(subject.schema, ("cpp",), Request(wires, recycling=False)), folder)
    texts = code.fixed()
    texts |= {"holders.hpp": code.holders(subject), SHARED: code.shared(subject)}
    sources = []
    for wire in wires:
        name = "wirecost" if wire == subject.wire else f"wirecost-{wire}"
        if selection.takes(name):
            texts[f"{name}.cpp"] = code.ours(subject, wire)
            sources.append(ProgramSource(name, (f"{name}.cpp",)))
    if selection.has_recycled:
        write(emitted(subject.schema, ("cpp",), Request((subject.wire,))), folder / "recycled")
        sources += [source.recycled() for source in sources if source.name == "wirecost"]
    _put(folder, texts)
    return sources, missing


Make = Callable[[Subject, Path], "ProgramSource | str"]


def _others(subject: Subject, selection: ContenderSelection) -> dict[str, Make]:
    """Return what makes the source of each library of others, or says how to install it."""
    makers: dict[str, Make] = {"protobuf": _protobuf}
    if subject.wire == "protobuf":
        makers["wirecost-classes"] = _our_classes
    if subject.wire == "ros1":
        makers["gencpp"] = _gencpp
    if subject.wire == "cdr":
        makers["fast-cdr"] = _fast_cdr
        makers[rosidl.NAME] = partial(_rosidl, selection.ros2)
    if selection.asks_for("protobuf-current"):
        makers["protobuf-current"] = _current_protobuf
    if selection.asks_for("memcpy"):
        makers["memcpy"] = _memcpy
    return makers | {"messagepack": _messagepack, "flatbuffers-table": _flatbuffers}


def _protobuf(subject: Subject, folder: Path) -> ProgramSource | str:
    if complaint := _googles_classes(subject, folder / "google"):
        return complaint
    _put(folder, {"classes.hpp": code.classes(subject), "protobuf.cpp": code.google(subject)})
    generated = sorted(
        p.relative_to(folder).as_posix() for p in (folder / "google").rglob("*.pb.cc")
    )
    return ProgramSource("protobuf", ("protobuf.cpp", *generated), ("-lprotobuf", "-pthread"))


def _current_protobuf(subject: Subject, folder: Path) -> ProgramSource | str:
    """Return Debian's program with the version that `make rivals` built."""
    try:
        built = json.loads(CURRENT_PROTOBUF.read_text(encoding="utf-8"))
    except OSError:
        return "`make rivals` in a checkout builds it"
    if complaint := _classes_by(built["protoc"], subject, folder / "current", is_lite=True):
        return complaint
    name = "protobuf-current"
    _put(folder, {"classes.hpp": code.classes(subject), f"{name}.cpp": code.google(subject)})
    units = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("current/**/*.cc"))
    libraries = (built["library"], "-pthread")
    return ProgramSource(
        name, (f"{name}.cpp", *units), libraries, tuple(built["include"]), "current"
    )


def _our_classes(subject: Subject, folder: Path) -> ProgramSource | str:
    """Return protoc's program, compiled with our classes and their arena."""
    classes = folder / "classes"
    request = Request((subject.wire,), recycling=False, protobuf_api=True)
    write(emitted(subject.schema, ("cpp",), request), classes)
    name = "wirecost-classes"
    program = code.google(subject, googles=False)
    texts = {"classes.hpp": code.classes(subject), f"{name}.cpp": program}
    _put(folder, texts)
    generated = (*classes.rglob("*.pb.cc"), *classes.rglob("message.cc"))
    units = sorted(path.relative_to(folder).as_posix() for path in generated)
    return ProgramSource(name, (f"{name}.cpp", *units), classes="classes/cpp")


def _gencpp(subject: Subject, folder: Path) -> ProgramSource | str:
    if complaint := gencpp.generate(subject, folder / "generated"):
        return complaint
    _put(folder, ros_code.gencpp(subject))
    libraries = ("-lroscpp_serialization", "-lrostime", "-lcpp_common")
    return ProgramSource("gencpp", ("gencpp.cpp",), libraries)


def _fast_cdr(subject: Subject, folder: Path) -> ProgramSource | str:
    if not has_header("fastcdr/Cdr.h"):
        return "apt-get install libfastcdr-dev"
    _put(folder, ros_code.fast_cdr(subject))
    return ProgramSource("fast-cdr", ("fast-cdr.cpp",), ("-lfastcdr",))


def _rosidl(ros2: Ros2Installation, subject: Subject, folder: Path) -> ProgramSource | str:
    generated = folder / "generated"
    if complaint := rosidl.generate(subject, ros2, generated):
        return complaint
    headers = sorted(generated.rglob(f"*__{rosidl.SUPPORT}.hpp"))
    units = sorted(generated.rglob("*__type_support.cpp"))
    names = [path.relative_to(generated).as_posix() for path in headers]
    _put(folder, ros_code.rosidl(subject, ros2.having("include/fastcdr"), names))
    include, libraries = rosidl.options(ros2)
    generated_units = (path.relative_to(folder).as_posix() for path in units)
    return ProgramSource(rosidl.NAME, ("rosidl.cpp", *generated_units), libraries, include)


def _memcpy(subject: Subject, folder: Path) -> ProgramSource | str:
    _put(folder, {"memcpy.cpp": code.rendered("memcpy.cpp.j2", type=subject.type)})
    return ProgramSource("memcpy", ("memcpy.cpp",))


def _messagepack(subject: Subject, folder: Path) -> ProgramSource | str:
    if not has_header("msgpack.hpp"):
        return "apt-get install libmsgpack-cxx-dev"
    program = code.messagepack_program(subject)
    _put(folder, {"messagepack.hpp": code.messagepack(subject), "messagepack.cpp": program})
    return ProgramSource("messagepack", ("messagepack.cpp",))


def _flatbuffers(subject: Subject, folder: Path) -> ProgramSource | str:
    flatc = shutil.which("flatc")
    if flatc is None or not has_header("flatbuffers/flatbuffers.h"):
        return "apt-get install flatbuffers-compiler libflatbuffers-dev"
    _put(folder, flatbuffers(subject))
    generated = folder / "flatbuffers"
    complaint = ran([flatc, "--cpp", "-o", str(generated), str(folder / FLATBUFFERS_SCHEMA)])
    if complaint:
        return f"{flatc}: {complaint}"
    return ProgramSource("flatbuffers-table", ("flatbuffers.cpp",))


def _googles_classes(subject: Subject, folder: Path) -> str:
    """Run protoc; return why there are no classes, if so."""
    protoc = shutil.which("protoc")
    if protoc is None or not has_header("google/protobuf/message.h"):
        return "apt-get install protobuf-compiler libprotobuf-dev"
    return _classes_by(protoc, subject, folder)


def _classes_by(protoc: str, subject: Subject, folder: Path, *, is_lite: bool = False) -> str:
    """Run this protoc; ``is_lite``: for the library without reflection."""
    folder.mkdir()
    described = folder / "schema.fds"
    descriptors = _for_protoc(subject)
    for file in descriptors.file if is_lite else ():
        file.options.optimize_for = pb.FileOptions.LITE_RUNTIME
    described.write_bytes(descriptors.SerializeToString())
    files = [file.name for file in descriptors.file if not _in_library(file.name)]
    command = [protoc, f"--descriptor_set_in={described}", f"--cpp_out={folder}", *files]
    complaint = ran(command)
    return f"{protoc}: {complaint}" if complaint else ""


def _for_protoc(subject: Subject) -> pb.FileDescriptorSet:
    """Return the descriptors as protoc writes the classes that our programs use.

    Recordings name files as they like: here each has the name from which its header's follows.
    `ctype` goes, as protoc writes no functions for fields of such a type.
    """
    changed = pb.FileDescriptorSet()
    changed.CopyFrom(subject.descriptors)
    header = partial(code.classes_header, subject, ApiNames(subject.schema, ""))
    of_file = {
        file.name: f"{header(file).removesuffix('.pb.h')}.proto"
        for file in subject.schema.files
        if subject.ros is None and not _in_library(file.name)
    }
    for described in changed.file:
        described.name = of_file.get(described.name, described.name)
        described.dependency[:] = [of_file.get(name, name) for name in described.dependency]
    waiting = [message for file in changed.file for message in file.message_type]
    while waiting:
        message = waiting.pop()
        waiting += message.nested_type
        for field in message.field:
            field.options.ClearField("ctype")
    return changed


def _in_library(name: str) -> bool:
    """Return whether libprotobuf has the classes, as of well-known types."""
    return name.startswith(GOOGLES_OWN) and has_header(f"{name.removesuffix('.proto')}.pb.h")
