# SPDX-License-Identifier: Apache-2.0
"""``.proto`` files to the IR; protoc parses them."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from wirecost import scratch
from wirecost.compile.frontends import descriptor_set
from wirecost.compile.frontends.descriptor_checks import refuse_bytes
from wirecost.compile.frontends.protoc_errors import complaint
from wirecost.compile.schema import File
from wirecost.errors import UserError

TIMEOUT_S = 60


def load(paths: Sequence[Path], include: Sequence[Path]) -> list[File]:
    """Raises CompileError with protoc's first complaint."""
    protoc = _protoc()
    for path in paths:
        if not path.is_file():
            raise UserError(f"{path}: error: no such file; name a .proto file")
    roots = list(dict.fromkeys([*include, *(_root(path, include) for path in paths)]))
    with scratch.folder("protoc") as folder:
        made = folder / "schema.fds"
        command = [*protoc, "--include_imports", "--include_source_info"]
        command += [f"--descriptor_set_out={made}", *(f"-I{root}" for root in roots)]
        try:
            done = subprocess.run(
                [*command, *map(str, paths)],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=TIMEOUT_S,
            )
        except subprocess.TimeoutExpired as error:
            raise UserError(
                f"{paths[0]}: error: protoc took over {TIMEOUT_S} s; give it fewer files"
            ) from error
        if done.returncode != 0:
            raise complaint(done.stderr, paths[0], roots)
        found = pb.FileDescriptorSet.FromString(made.read_bytes())
    refuse_bytes(found, paths[0])
    return descriptor_set.convert(found.file, _shown(found, roots))


def _protoc() -> list[str]:
    """The machine's protoc, else the one of Python's grpcio-tools."""
    if found := shutil.which("protoc"):
        return [found]
    if importlib.util.find_spec("grpc_tools"):
        return [sys.executable, "-P", "-m", "grpc_tools.protoc"]
    raise UserError(
        "protoc is needed to read .proto files; pip install grpcio-tools, or apt-get install "
        "protobuf-compiler"
    )


def _root(path: Path, include: Sequence[Path]) -> Path:
    """The folder imports are relative to: an include folder above the file, or its own."""
    above = [root for root in include if path.resolve().is_relative_to(root.resolve())]
    return above[0] if above else path.parent


def _shown(found: pb.FileDescriptorSet, roots: Sequence[Path]) -> dict[str, str]:
    """How a person finds each file: the path below the root that holds it."""
    shown = {}
    for file in found.file:
        for root in roots:
            if (root / file.name).is_file():
                shown[file.name] = str(root / file.name)
                break
    return shown
