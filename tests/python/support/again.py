# SPDX-License-Identifier: Apache-2.0
"""Generated code in three languages as programs that read messages and write them again."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.compiled import ROOT
from support.programs import JAVA, JAVAC
from wirecost.schema.compile.emit.cpp.api_names import ApiNames
from wirecost.schema.compile.emit.cpp.names import CppNames
from wirecost.schema.compile.emit.java.names import JavaNames
from wirecost.schema.compile.emit.python import names as python_names
from wirecost.schema.compile.schema import File, Schema

HERE = ROOT / "tests" / "conformance" / "foreign"


@dataclass(frozen=True)
class Generated:
    """A schema that was compiled into a folder, in the namespace ``wire``."""

    schema: Schema
    folder: Path
    wire: str

    def python(self, names: Sequence[str]) -> list[str]:
        """Return the command of a program for these messages."""
        places = []
        for name in names:
            home = self.schema.home(name)
            module = ".".join(("wire", *python_names.module_place(home).parts))
            places.append(f"{module}:{python_names.class_name(home, name)}")
        return [
            sys.executable,
            str(HERE / "again.py"),
            str(self.folder / "python"),
            self.wire,
            *places,
        ]

    def cpp(self, names: Sequence[str], folder: Path) -> list[str]:
        """Return the command of a C++ program, compiled into ``folder`` without a warning."""
        written = CppNames(self.schema, "wire")
        homes = {name: self.schema.home(name) for name in names}
        headers = sorted({written.header(home, f".{self.wire}") for home in homes.values()})
        rows = [
            f"AGAIN({self.wire}, {written.namespace(home)}, "
            f"{written.plain(self.schema.message(name))}),"
            for name, home in homes.items()
        ]
        return self._built(headers, rows, folder)

    def classes(self, names: Sequence[str], files: Sequence[File], folder: Path) -> list[str]:
        """Return the command of a program with Protobuf's interface.

        ``files``: all that these messages need."""
        written = ApiNames(self.schema, "")
        # Google's own options are not generated: Google's headers have them.
        headers = (written.header(file, ".pb.cc") for file in files)
        sources = [source for source in headers if (self.folder / "cpp" / source).exists()]
        rows = []
        for name in names:
            message = self.schema.message(name)
            space = written.namespace(self.schema.home(name))
            rows.append(f"AGAIN_CLASS({space}::{written.plain(message)}),")
        return self._built([*sources, "wirecost/api/message.cc"], rows, folder)

    def _built(self, included: Sequence[str], rows: Sequence[str], folder: Path) -> list[str]:
        lines = [f'#include "{header}"' for header in (*included, "again.hpp")]
        lines += [
            "const Again every[] = {",
            *rows,
            "};",
            "int main() { return answer(every); }",
            "",
        ]
        (folder / "again.cpp").write_text("\n".join(lines))
        flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror"]
        command = ["g++", *flags, f"-I{self.folder / 'cpp'}", f"-I{HERE}"]
        compiled([*command, str(folder / "again.cpp"), "-o", str(folder / "again")])
        return [str(folder / "again")]

    def java(self, names: Sequence[str], folder: Path) -> list[str]:
        """Return the command of a Java program; all classes are compiled, not only these."""
        if shutil.which("javac") is None:
            pytest.skip("no javac: apt install openjdk-17-jdk-headless")
        written = JavaNames(self.schema, "wire")
        places = [written.place(name) for name in names]
        sources = [*map(str, (self.folder / "java").rglob("*.java")), str(HERE / "Again.java")]
        (folder / "sources").write_text("\n".join(sources))
        command = [*JAVAC, "-Xlint:all", "-Werror"]
        compiled([*command, "-d", str(folder / "classes"), f"@{folder / 'sources'}"])
        java = [*JAVA, str(folder / "classes"), "Again"]
        classes = [f"{place.package}.{'$'.join(place.classes)}" for place in places]
        return [*java, self.wire.capitalize(), *classes]


def compiled(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def check(command: list[str], messages: Sequence[tuple[str, bytes]]) -> None:
    """Check that each message comes back as it was.

    ``command``: of a program for their names, in the order in which these are first met."""
    names = list(dict.fromkeys(name for name, _ in messages))
    lines = "".join(f"{names.index(name)} {data.hex()}\n" for name, data in messages)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answers = done.stdout.split("\n")[:-1]
    assert len(answers) == len(messages)
    for (name, data), answer in zip(messages, answers, strict=True):
        assert answer == data.hex(), name
