# SPDX-License-Identifier: Apache-2.0
"""``wirecost_compile()`` in a project of CMake: what is made again, and when."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.system.installation import installation

CMAKE = Path(sys.executable).with_name("cmake")
LISTS = """cmake_minimum_required(VERSION 3.16)
project(trip CXX)
find_package(wirecost CONFIG REQUIRED)
wirecost_compile(schemas SCHEMAS trip.proto IMPORT_DIRS "shared parts")
wirecost_compile(modules SCHEMAS trip.proto LANG python IMPORT_DIRS "shared parts")
add_executable(program main.cpp)
target_link_libraries(program PRIVATE schemas)
wirecost_compile(classes SCHEMAS trip.proto PROTOBUF_API IMPORT_DIRS "shared parts")
add_executable(drop_in drop_in.cpp)
set_target_properties(drop_in PROPERTIES CXX_STANDARD 17)
target_link_libraries(drop_in PRIVATE classes)
wirecost_compile(apart SCHEMAS trip.proto SOURCES IMPORT_DIRS "shared parts")
add_executable(linked main.cpp)
target_link_libraries(linked PRIVATE apart)
"""
MAIN = """#include <cstdio>
#include "trip/trip.protobuf.hpp"
int main() {
  wire::trip::Trip trip;
  trip.part.emplace().number = 1;
  std::printf("%zu\\n", wire::trip::protobuf::encoded_size(trip));
}
"""
DROP_IN = """#include <cstdio>
#include "trip.pb.h"
int main() {
  trip::Trip trip;
  trip.mutable_part()->set_number(1);
  std::printf("%zu\\n", trip.ByteSizeLong());
}
"""
TRIP = """syntax = "proto3";
package trip;
import "part.proto";
message Trip { part.Part part = 1; }
"""
PART = 'syntax = "proto3";\npackage part;\nmessage Part { int32 number = 1; }\n'
STEP = "Compiling the schemas of schemas"


@dataclass
class Project:
    """A project and its build."""

    folder: Path
    generator: str

    @property
    def build(self) -> Path:
        return self.folder / "build"

    @property
    def part(self) -> Path:
        return self.folder / "shared parts" / "part.proto"

    def cmake(self, *words: str | Path, status: int = 0) -> str:
        done = execute([CMAKE, *words], cwd=self.folder)
        assert (done.returncode != 0) == (status != 0), done.stdout + done.stderr
        return done.stdout + done.stderr

    def made(self, status: int = 0) -> str:
        """Return the output of a build."""
        return self.cmake("--build", self.build, status=status)

    def printed(self, program: str = "program") -> str:
        done = execute([self.build / program], check=True)
        return done.stdout.strip()

    def times(self, pattern: str) -> dict[str, int]:
        paths = (path for path in self.build.rglob(pattern) if path.is_file())
        found = {str(path): path.stat().st_mtime_ns for path in paths}
        assert found
        return found


@pytest.fixture(params=["Ninja", "Unix Makefiles"])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    """One that was built."""
    made = Project(tmp_path / "a project", request.param)
    made.part.parent.mkdir(parents=True)
    made.part.write_text(PART)
    sources = {"main.cpp": MAIN, "drop_in.cpp": DROP_IN, "trip.proto": TRIP}
    for name, text in {"CMakeLists.txt": LISTS, **sources}.items():
        (made.folder / name).write_text(text)
    prefix = f"-DCMAKE_PREFIX_PATH={installation().cmake}"
    made.cmake("-G", made.generator, "-S", ".", "-B", made.build, prefix)
    assert STEP in made.made()
    assert made.printed() == made.printed("drop_in") == made.printed("linked") == "4"
    return made


def test_a_new_time_of_an_import_compiles_the_schemas_only(project: Project) -> None:
    times = project.times("*.[hosd]*")
    assert STEP not in project.made()
    assert project.times("*.[hosd]*") == times
    headers, objects = project.times("*.hpp"), project.times("*.o")
    stamps = project.times("*.wirecost.stamp")
    assert len(stamps) == 4
    project.part.touch()
    assert STEP in project.made()
    assert (project.times("*.hpp"), project.times("*.o")) == (headers, objects)
    assert all(time > stamps[path] for path, time in project.times("*.wirecost.stamp").items())
    assert STEP not in project.made()


def test_a_new_text_of_an_import_makes_what_includes_it(project: Project) -> None:
    project.part.write_text(PART.replace("number = 1", "number = 100"))
    assert STEP in project.made()
    assert project.printed() == project.printed("drop_in") == "5"
    (module,) = project.build.rglob("part/part.py")
    assert str(100 << 3) in module.read_text()
    assert STEP not in project.made()


@pytest.mark.parametrize("name", ["part.proto", "trip.proto"])
def test_a_fault_is_shown_and_leaves_what_was_made(project: Project, name: str) -> None:
    headers = project.times("*.hpp")
    (faulty,) = project.folder.rglob(name)
    text = faulty.read_text()
    faulty.write_text(text.replace("= 1;", "= one;"))
    printed = project.made(status=1)
    number = 1 + text[: text.index("= 1;")].count("\n")
    shown = f"wirecost: {faulty}:{number}:"
    assert any(line.strip().startswith(shown) for line in printed.splitlines()), printed
    assert project.times("*.hpp") == headers
    assert project.printed() == "4"
    faulty.write_text(text)
    project.made()
    assert project.times("*.hpp") == headers


def test_an_import_that_is_no_longer_there(project: Project) -> None:
    schema = project.folder / "trip.proto"
    without = schema.read_text().replace('import "part.proto";\n', "")
    schema.write_text(without.replace("part.Part part", "Part part") + "message Part {}\n")
    project.part.unlink()
    (project.folder / "main.cpp").write_text(MAIN.replace(".number = 1", ""))
    (project.folder / "drop_in.cpp").write_text(DROP_IN.replace("->set_number(1)", ""))
    assert STEP in project.made()
    assert project.printed() == "2"
    assert STEP not in project.made()


FAKE = """#!/bin/sh
# What wirecost compile does, for a header and a source.
while [ $# -gt 0 ]; do
  case $1 in --out) out=$2 ;; --stamp) stamp=$2 ;; --depfile) depfile=$2 ;; --list) list=1 ;; esac
  case $1 in *.proto) schema=$1 ;; esac
  shift
done
echo "$out/cpp/number.hpp"
echo "$out/cpp/number.cc"
[ -z "$list" ] || exit 0
mkdir -p "$out/cpp"
[ -e "$out/cpp/number.hpp" ] || echo 'int number();' >"$out/cpp/number.hpp"
echo '#include "number.hpp"' >"$out/cpp/number.cc"
echo "int number() { return $(cat "$schema"); }" >>"$out/cpp/number.cc"
echo "$(echo "$stamp" | sed 's/ /\\\\ /g'): $(echo "$schema" | sed 's/ /\\\\ /g')" >"$depfile"
touch "$stamp"
"""


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_sources_among_the_output_are_compiled(generator: str, tmp_path: Path) -> None:
    project = Project(tmp_path / "a project", generator)
    project.folder.mkdir()
    lists = LISTS.partition("wirecost_compile")[0] + (
        "wirecost_compile(schemas SCHEMAS number.proto)\n"
        "add_executable(program main.cpp)\ntarget_link_libraries(program PRIVATE schemas)\n"
    )
    main = '#include <cstdio>\n#include "number.hpp"\nint main() { std::printf("%d", number()); }\n'
    files = {"CMakeLists.txt": lists, "main.cpp": main, "number.proto": "7", "fake": FAKE}
    for name, text in files.items():
        (project.folder / name).write_text(text)
    (project.folder / "fake").chmod(0o755)
    prefix = f"-DCMAKE_PREFIX_PATH={installation().cmake}"
    fake = f"-DWIRECOST_EXECUTABLE={project.folder / 'fake'}"
    project.cmake("-G", generator, "-S", ".", "-B", project.build, prefix, fake)
    project.made()
    assert project.printed() == "7"
    (project.folder / "number.proto").write_text("8")
    project.made()
    assert project.printed() == "8"
    assert STEP not in project.made()


def test_another_wirecost_compiles_the_schemas_again(project: Project) -> None:
    program = Path(sys.executable).with_name("wirecost")
    copy = project.folder / "wirecost"
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o755)
    project.cmake(project.build, f"-DWIRECOST_EXECUTABLE={copy}")
    assert STEP in project.made()
    assert STEP not in project.made()
    copy.touch()
    assert STEP in project.made()
