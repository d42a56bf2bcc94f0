# SPDX-License-Identifier: Apache-2.0
"""Classes with Protobuf's interface beside Google's, and the unknown values that they keep."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.compiled import compile_python
from support.programs import execute
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

CLOSED = """syntax = "proto2"; package closed;
enum E { ZERO = 0; MINUS = -1; }
message M {
  repeated E packed = 1 [packed = true];
  repeated E plain = 2;
  optional E single = 3;
  map<int32, E> entries = 4;
  oneof o { E chosen = 5; }
}
"""
BIG = "aea997ce28"
"""A varint of 35 bits, of which the lower 32 are no declared value."""
LOWER_IS_ZERO = "8080808010"
"""2³²: declared, for an enum's value is its lower 32 bits."""
UNKNOWN = {
    "packed alone": (f"0a0600{BIG}", f"0800 08{BIG}"),
    "packed between": (f"0a0c00{BIG}01{LOWER_IS_ZERO}", f"0800 0800 08{BIG} 0801"),
    "unpacked of a packed field": (f"08{BIG}", f"08{BIG}"),
    "unpacked": (f"10{BIG}", f"10{BIG}"),
    "packed of an unpacked field": (f"1205{BIG}", f"10{BIG}"),
    "single": (f"18{BIG}", f"18{BIG}"),
    "map": (f"2208080110{BIG}", f"2208080110{BIG}"),
    "oneof": (f"28{BIG}", f"28{BIG}"),
}
MAIN = """#include <cstdio>
#include <string>
#include "closed.pb.h"
int main() {
    for (char line[512]; std::scanf("%511s", line) == 1;) {
        std::string bytes;
        for (const char* p = line; *p != 0; p += 2)
            bytes.push_back(static_cast<char>(std::stoi(std::string(p, 2), nullptr, 16)));
        closed::M m;
        if (!m.ParseFromString(bytes)) std::puts("refused");
        else {
            for (const unsigned char c : m.SerializeAsString()) std::printf("%02x", c);
            std::puts("");
        }
    }
}
"""


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("closed") / "closed.proto"
    path.write_text(CLOSED)
    return path


def test_unknown_values_of_closed_enums_keep_all_bits_in_classes(schema: Path) -> None:
    folder = schema.parent
    write(compile_schema([str(schema)], ["cpp"], Request((), protobuf_api=True)), folder)
    (folder / "main.cpp").write_text(MAIN)
    sources = [folder / "main.cpp", *(folder / "cpp").rglob("*.cc")]
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{folder / 'cpp'}"]
    subprocess.run([*command, *sources, "-o", folder / "main"], check=True)
    inputs = "\n".join(before for before, _ in UNKNOWN.values())
    done = execute([folder / "main"], input=inputs, check=True)
    # Declared elements of a packed field are packed again.
    printed = dict(zip(UNKNOWN, done.stdout.split(), strict=True))
    expected = {name: after.replace(" ", "") for name, (_, after) in UNKNOWN.items()}
    expected["packed alone"] = f"0a010008{BIG}"
    expected["packed between"] = f"0a02000008{BIG}0801"
    assert printed == expected


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_values_of_closed_enums_keep_all_bits_in_python(name: str, schema: Path) -> None:
    module = compile_python([str(schema)], ("protobuf",), preserve_unknown=True)
    before, after = UNKNOWN[name]
    again = module("closed.closed").M.decode_protobuf(bytes.fromhex(before)).encode_protobuf()
    declared = {"packed alone": "0a0100", "packed between": "0a020000"}.get(name, "")
    assert again.hex() == declared + after.replace("0800", "").replace(" ", "")


def test_headers_of_a_root_of_their_own_do_not_hide_googles(tmp_path: Path) -> None:
    """Nor those of a package whose folder is the file's."""
    (tmp_path / "k").mkdir()
    for name, package in (("k.proto", "k"), ("k/same.proto", "k")):
        (tmp_path / name).write_text(
            f'syntax = "proto3"; package {package}; import "google/protobuf/timestamp.proto"; '
            f"message {Path(name).stem.title()} {{ google.protobuf.Timestamp t = 1; }}"
        )
    inputs = [str(tmp_path / "k.proto"), str(tmp_path / "k" / "same.proto")]
    request = Request((), protobuf_api=True, api_namespace="ours::api")
    texts = compile_schema(inputs, ["cpp"], request, [tmp_path])
    headers = {str(path) for path in texts if path.name.endswith(".pb.h")}
    assert headers == {
        "cpp/k/k.pb.h", "cpp/ours/api/k/same.pb.h", "cpp/ours/api/google/protobuf/timestamp.pb.h",
    }  # fmt: skip
