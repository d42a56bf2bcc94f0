# SPDX-License-Identifier: Apache-2.0
"""``.proto`` files to the IR; protoc parses them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

from wirecost.compile.frontends import descriptor_set
from wirecost.compile.schema import CompileError, File, Origin
from wirecost.errors import UserError

TIMEOUT_S = 60
_MESSAGE = re.compile(r"^(?P<file>[^:\n]+):(?:(?P<line>\d+):(?P<column>\d+):)? (?P<what>.+)$")


def load(paths: Sequence[Path], include: Sequence[Path]) -> list[File]:
    """Raises CompileError with protoc's first complaint."""
    protoc = shutil.which("protoc")
    if protoc is None:
        raise UserError("protoc is needed to read .proto files; apt-get install protobuf-compiler")
    for path in paths:
        if not path.is_file():
            raise UserError(f"{path}: no such file")
    roots = list(dict.fromkeys([*include, *(_root(path, include) for path in paths)]))
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "schema.fds"
        command = [protoc, "--include_imports", "--include_source_info"]
        command += [f"--descriptor_set_out={made}", *(f"-I{root}" for root in roots)]
        done = subprocess.run(
            [*command, *map(str, paths)],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
        )
        if done.returncode != 0:
            raise _complaint(done.stderr, paths[0])
        found = pb.FileDescriptorSet.FromString(made.read_bytes())
    return descriptor_set.convert(found.file, _shown(found, roots))


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


def _complaint(text: str, first: Path) -> UserError:
    for line in text.splitlines():
        match = _MESSAGE.match(line)
        if match and "warning:" not in line:
            place = Origin(match["file"], int(match["line"] or 0), int(match["column"] or 0))
            what = match["what"].rstrip(".")
            missing = "not found" in what or "not have any" in what
            remedy = (
                "give the folder of the imports with -I" if missing else "correct the schema there"
            )
            return CompileError(place, what, remedy)
    told = text.strip().splitlines()
    return UserError(f"{first}: protoc failed{': ' + told[0] if told else ''}")
