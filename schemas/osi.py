# SPDX-License-Identifier: Apache-2.0
"""Derive every OSI schema the build needs from the installed osi-python package.

No OSI .proto file lives in this repository: the descriptors inside the package are the
source of truth. Written to the given folder:

- ``osi.fds``         FileDescriptorSet, complete: what the independent reader interprets
- ``osi_lite.fds``    the same for the lite runtime: what protoc turns into C++ classes
- ``osi_files.txt``   the file names in it, one per line: what protoc is asked to generate
- ``osi_table.fbs``   FlatBuffers, every message a table
- ``osi_struct.fbs``  FlatBuffers, the small fixed messages as structs
- ``sensor_view_configuration.bin``, ``….inc``  what the sensor FMU asks for by default

The lite runtime parses and serializes with the same generated code but registers no
descriptors, so that several FMUs with their own OSI classes can live in one importer.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import osi3
from google.protobuf import descriptor_pb2 as pb
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, FileDescriptor
from osi3.osi_sensorviewconfiguration_pb2 import SensorViewConfiguration

STRUCTS = {
    "Vector3d",
    "Dimension3d",
    "Orientation3d",
    "Spherical3d",
    "Identifier",
    "Timestamp",
    "LidarSensorView_Reflection",
}
"""Messages the performance report turned into structs ("Reflections, Vector3d etc.").

A struct has no optional members, so a message field inside one is left out: a reflection
keeps its three doubles, 24 bytes, which is what the report's 20 MB amount to.
"""

SCALARS = {
    FieldDescriptor.TYPE_DOUBLE: "double",
    FieldDescriptor.TYPE_FLOAT: "float",
    FieldDescriptor.TYPE_INT64: "int64",
    FieldDescriptor.TYPE_SINT64: "int64",
    FieldDescriptor.TYPE_SFIXED64: "int64",
    FieldDescriptor.TYPE_UINT64: "uint64",
    FieldDescriptor.TYPE_FIXED64: "uint64",
    FieldDescriptor.TYPE_INT32: "int32",
    FieldDescriptor.TYPE_SINT32: "int32",
    FieldDescriptor.TYPE_SFIXED32: "int32",
    FieldDescriptor.TYPE_UINT32: "uint32",
    FieldDescriptor.TYPE_FIXED32: "uint32",
    FieldDescriptor.TYPE_BOOL: "bool",
    FieldDescriptor.TYPE_STRING: "string",
    FieldDescriptor.TYPE_BYTES: "[ubyte]",
}


def osi_files() -> list[FileDescriptor]:
    """All files of the package and what they import, dependencies first."""
    ordered: dict[str, FileDescriptor] = {}

    def visit(file: FileDescriptor) -> None:
        for dependency in file.dependencies:
            visit(dependency)
        ordered.setdefault(file.name, file)

    for module in sorted(m.name for m in pkgutil.iter_modules(osi3.__path__)):
        if module.endswith("_pb2"):
            visit(importlib.import_module(f"osi3.{module}").DESCRIPTOR)
    return list(ordered.values())


def descriptor_set(files: Iterable[FileDescriptor]) -> pb.FileDescriptorSet:
    result = pb.FileDescriptorSet()
    for file in files:
        file.CopyToProto(result.file.add())
    return result


def lite(full: pb.FileDescriptorSet) -> pb.FileDescriptorSet:
    """Return the set for the lite runtime, which cannot extend descriptor.proto's options."""
    result = pb.FileDescriptorSet()
    for file in full.file:
        if file.package != "osi3":
            continue
        copy = result.file.add()
        copy.CopyFrom(file)
        copy.ClearField("extension")
        copy.ClearField("options")
        copy.options.optimize_for = pb.FileOptions.LITE_RUNTIME
        kept = [name for name in file.dependency if not name.startswith("google/")]
        copy.ClearField("dependency")
        copy.dependency.extend(kept)
    return result


def flat_name(item: Descriptor | EnumDescriptor) -> str:
    """Nested types as protoc's C++ names them: ``LidarSensorView_Reflection``."""
    return item.full_name.removeprefix("osi3.").replace(".", "_")


def messages(files: Iterable[FileDescriptor]) -> Iterator[Descriptor]:
    def nested(message: Descriptor) -> Iterator[Descriptor]:
        yield message
        for inner in message.nested_types:
            yield from nested(inner)

    for file in files:
        for message in file.message_types_by_name.values():
            yield from nested(message)


def enum_text(enum: EnumDescriptor) -> str:
    by_number = {value.number: value.name for value in reversed(enum.values)}
    lines = [f"  {name} = {number}" for number, name in sorted(by_number.items())]
    return f"enum {flat_name(enum)} : int {{\n" + ",\n".join(lines) + "\n}\n"


def field_type(field: FieldDescriptor) -> str:
    if field.message_type is not None:
        name = flat_name(field.message_type)
    elif field.enum_type is not None:
        name = flat_name(field.enum_type)
    else:
        name = SCALARS[field.type]
    return f"[{name}]" if field.is_repeated else name


def member_text(field: FieldDescriptor, in_struct: bool) -> str:
    default = ""
    if field.enum_type is not None and not field.is_repeated and not in_struct:
        default = f" = {field.enum_type.values_by_number[field.default_value].name}"
    return f"  {field.name}:{field_type(field)}{default};\n"


def message_text(message: Descriptor, structs: set[str]) -> str:
    name = flat_name(message)
    if name not in structs:
        body = "".join(member_text(field, in_struct=False) for field in message.fields)
        return f"table {name} {{\n{body}}}\n"
    scalars = [f for f in message.fields if f.message_type is None and not f.is_repeated]
    return f"struct {name} {{\n{''.join(member_text(f, in_struct=True) for f in scalars)}}}\n"


def flatbuffers_schema(files: list[FileDescriptor], namespace: str, structs: set[str]) -> str:
    """One schema of every message; its own namespace keeps it apart from Protobuf's ``osi3``."""
    osi = [file for file in files if file.package == "osi3"]
    parts = [f"namespace {namespace};\n"]
    for message in messages(osi):
        parts += [enum_text(enum) for enum in message.enum_types]
    for file in osi:
        parts += [enum_text(enum) for enum in file.enum_types_by_name.values()]
    parts += [message_text(message, structs) for message in messages(osi)]
    return "\n".join([*parts, "root_type SensorView;\n"])


def default_configuration() -> bytes:
    """Return the SensorViewConfiguration of the dummy sensor: its lidar as in the report."""
    configuration = SensorViewConfiguration()
    configuration.sensor_id.value = 10000
    configuration.mounting_position.position.x = 1.5205
    configuration.mounting_position.position.z = 1.232
    lidar = configuration.lidar_sensor_view_configuration.add()
    lidar.field_of_view_horizontal = math.radians(145)
    lidar.field_of_view_vertical = math.radians(3.2)
    lidar.mounting_position.CopyFrom(configuration.mounting_position)
    return configuration.SerializeToString(deterministic=True)


def write_if_changed(path: Path, content: bytes) -> None:
    """Keep the time stamp of what stays the same, so that nothing is built again for it."""
    if not path.is_file() or path.read_bytes() != content:
        path.write_bytes(content)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    files = osi_files()
    full = descriptor_set(files)
    small = lite(full)
    configuration = default_configuration()
    outputs = {
        "osi.fds": full.SerializeToString(deterministic=True),
        "osi_lite.fds": small.SerializeToString(deterministic=True),
        "osi_files.txt": "".join(f"{file.name}\n" for file in small.file).encode(),
        "sensor_view_configuration.bin": configuration,
        "sensor_view_configuration.inc": (", ".join(map(str, configuration)) + "\n").encode(),
    }
    for namespace, structs in {"osi_table": set[str](), "osi_struct": STRUCTS}.items():
        outputs[f"{namespace}.fbs"] = flatbuffers_schema(files, namespace, structs).encode()
    for name, content in outputs.items():
        write_if_changed(folder / name, content)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
