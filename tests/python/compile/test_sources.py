# SPDX-License-Identifier: Apache-2.0
"""``--sources``: headers that declare, and sources that are compiled once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.programs import execute
from wirecost.cli import app

PART = """syntax = "proto3";
package part;
message Part { string name = 1; repeated double at = 2; }
message Id { uint32 value = 1; }  // so small that its own file has its functions inlined
"""
WHOLE = """syntax = "proto2";
package whole;
import "part.proto";
message Whole {
  required uint32 number = 1;
  repeated part.Part parts = 2;
  map<string, part.Part> by_name = 3;
  oneof one { string text = 4; part.Part part = 5; }
  optional part.Id id = 6;
}
"""
MAIN = """#include <cstdio>
#include "whole/whole.cdr.hpp"
#include "whole/whole.protobuf.hpp"
#include "whole/whole.ros1.hpp"
#include "other.hpp"

#define THROUGH(wire)                                                                      \\
  [](const whole::Whole& sent) {                                                           \\
    std::vector<std::byte> bytes(whole::wire::encoded_size(sent));                         \\
    whole::Whole received;                                                                 \\
    whole::wire::WholeView view;                                                           \\
    if (whole::wire::encode(sent, bytes).error || whole::wire::decode(bytes, received) ||  \\
        whole::wire::view(bytes, view))                                                    \\
      return false;                                                                        \\
    return received == sent && (*view.parts.begin()).name == "a" &&                        \\
           (*view.by_name.begin()).value.name == "b";                                      \\
  }(sent)

using namespace wire;

int main() {
  whole::Whole sent = other();
  std::printf("%d%d%d\\n", THROUGH(protobuf), THROUGH(ros1), THROUGH(cdr));
}
"""
OTHER = """#include "whole/whole.protobuf.hpp"
inline wire::whole::Whole other() {
  wire::whole::Whole made;
  made.number = 1;
  made.id.emplace().value = 2;
  made.parts.emplace_back().name = "a";
  made.by_name["x"].name = "b";
  made.one.emplace<wire::whole::Whole::one_part>().at = {1, 2};
  return made;
}
"""
DEFINED = re.compile(r"^[^/#\n]*\) (?:const )?(?:noexcept )?\{$", re.MULTILINE)
"""Start of a function's body."""


def run(folder: Path, *options: str) -> str:
    """Compile the schemas and return what the command printed."""
    (folder / "part.proto").write_text(PART)
    (folder / "whole.proto").write_text(WHOLE)
    words = ["compile", str(folder / "whole.proto"), "-I", str(folder), "--lang", "cpp"]
    words += ["--wire", "protobuf,ros1,cdr", "--out", str(folder / "out"), *options]
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.output
    return done.output


def compiled(folder: Path, *more: str | Path) -> tuple[int, str]:
    """Return a compiler's status and output for the program and all sources that there are."""
    (folder / "main.cpp").write_text(MAIN)
    (folder / "other.hpp").write_text(OTHER)
    sources = sorted((folder / "out" / "cpp").rglob("*.cc"))
    command = [
        "g++",
        "-std=c++20",
        "-O2",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-I",
        folder / "out" / "cpp",
    ]
    done = execute([*command, folder / "main.cpp", *sources, "-o", folder / "program", *more])
    return done.returncode, done.stderr


def test_a_program_is_linked_with_the_sources(tmp_path: Path) -> None:
    run(tmp_path, "--sources")
    assert compiled(tmp_path) == (0, "")
    assert execute([tmp_path / "program"], check=True).stdout == "111\n"


@pytest.mark.parametrize("sources", [True, False])
def test_headers_declare_where_sources_define(tmp_path: Path, sources: bool) -> None:
    run(tmp_path, *(["--sources"] if sources else []))
    folder = tmp_path / "out" / "cpp"
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.cc"))
    suffixes = ("", ".cdr", ".protobuf", ".ros1")
    expected = [f"{name}/{name}{suffix}.cc" for name in ("part", "whole") for suffix in suffixes]
    assert names == (expected if sources else [])
    for name in expected:
        header = (folder / name).with_suffix(".hpp").read_text()
        assert bool(DEFINED.search(header)) is not sources, name


def test_sources_beside_headers_that_define_do_not_compile(tmp_path: Path) -> None:
    """So a folder in which sources of an earlier run are left is noticed."""
    run(tmp_path, "--sources")
    run(tmp_path)
    status, complaint = compiled(tmp_path)
    assert status != 0
    assert "redefinition" in complaint


def test_what_is_printed_says_how_sources_are_used(tmp_path: Path) -> None:
    (tmp_path / "part.proto").write_text(PART)
    words = ["compile", str(tmp_path / "part.proto"), "--lang", "cpp", "--sources"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")])
    assert "linked with its .cc files" in done.output
    done = CliRunner().invoke(app, [*words, "--native", "--out", str(tmp_path / "extension")])
    assert done.exit_code == 1
    assert "--native" in str(done.exception)
