# SPDX-License-Identifier: Apache-2.0
"""``.proto`` files to the IR.

They are parsed by the protoc of grpcio-tools, which wirecost is installed with: whatever protoc a
machine has besides, a schema means the same.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from wirecost.schema.compile.frontends import descriptor_set
from wirecost.schema.compile.frontends.descriptor_checks import refuse_bytes
from wirecost.schema.compile.frontends.protoc_errors import complaint
from wirecost.schema.compile.schema import File
from wirecost.system import scratch
from wirecost.system.errors import UserError

TIMEOUT_S = 60


def load(paths: Sequence[Path], include: Sequence[Path]) -> list[File]:
    """Raise CompileError with protoc's first complaint."""
    protos, readable = _parsed(paths, include)
    return [
        replace(file, sources=(Path(readable[file.name]),)) if file.name in readable else file
        for file in descriptor_set.convert(protos.file, readable)
    ]


def descriptors(paths: Sequence[Path], include: Sequence[Path]) -> pb.FileDescriptorSet:
    """Return the files and what they import, as protoc describes them. Raises CompileError."""
    return _parsed(paths, include)[0]


def _parsed(
    paths: Sequence[Path], include: Sequence[Path]
) -> tuple[pb.FileDescriptorSet, dict[str, str]]:
    """Return what protoc describes, and the path of each file for people."""
    for path in paths:
        if not path.is_file():
            raise UserError(f"{path}: error: no such file; name a .proto file")
    protoc = _protoc()
    roots = list(dict.fromkeys([*include, *(_root(path, include) for path in paths)]))
    for root in roots:
        if os.pathsep in str(root):
            raise UserError(
                f"{root}: error: protoc takes the {os.pathsep} for the end of a folder's name; "
                "rename the folder, or give its path from where you are"
            )
    with scratch.folder("protoc") as folder:
        described = folder / "schema.fds"
        arguments = [
            "--include_imports",
            "--include_source_info",
            f"--descriptor_set_out={described}",
        ]
        arguments += [*(f"-I{root}" for root in roots), *map(str, paths)]
        done = _run([*protoc, *arguments], paths[0])
        if done.returncode != 0:
            raise complaint(done.stderr, paths[0], roots)
        protos = pb.FileDescriptorSet.FromString(described.read_bytes())
    refuse_bytes(protos, str(paths[0]))
    return protos, _shown(protos, roots)


def _run(command: list[str], path: Path) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise UserError(
            f"{path}: error: protoc took over {TIMEOUT_S} s; give it fewer files"
        ) from error


def _protoc() -> list[str]:
    if importlib.util.find_spec("grpc_tools") is None:
        raise UserError("grpcio-tools is needed to read .proto files; pip install grpcio-tools")
    return [sys.executable, "-P", "-m", "grpc_tools.protoc"]


def _root(path: Path, include: Sequence[Path]) -> Path:
    """Return the folder imports are relative to: an include folder above the file, or its own."""
    above = [root for root in include if path.resolve().is_relative_to(root.resolve())]
    return above[0] if above else path.parent


def _shown(found: pb.FileDescriptorSet, roots: Sequence[Path]) -> dict[str, str]:
    """Return how a person finds each file: the path below the root that holds it."""
    readable = {}
    for file in found.file:
        for root in roots:
            if (root / file.name).is_file():
                readable[file.name] = str(root / file.name)
                break
    return readable
