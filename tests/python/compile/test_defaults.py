# SPDX-License-Identifier: Apache-2.0
"""Declared defaults that languages write in their own manner: in each they are the same bits."""

from __future__ import annotations

import importlib
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import JAVAC
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

DEFAULTS: dict[str, tuple[str, ...]] = {
    "double": (
        "-0.0", "-0", "0", "inf", "-inf", "nan", "-nan", "5e-324", "1e-500", "-1e-500", "1e500",
        "1.7976931348623157e308", "1e3", "7", "0x10", "0.1",
    ),
    "float": (
        "-0.0", "inf", "-inf", "nan", "1e-45", "1e-60", "-1e-60", "1e60", "3.4028235e38",
        "3.4028234663852886e+38", "1.17549435e-38", "0.1", "16777217",
    ),
    "int32": ("-2147483648", "2147483647", "-0777", "0x7FFFFFFF"),
    "int64": ("-9223372036854775808", "9223372036854775807"),
    "uint64": ("18446744073709551615", "9223372036854775808"),
    "sint32": ("-2147483648",),
    "fixed64": ("0xFFFFFFFFFFFFFFFF",),
}  # fmt: skip
FIELDS = [(type_, value) for type_, values in DEFAULTS.items() for value in values]
FORMS = {
    "double": "d", "float": "f", "int32": "i", "int64": "q", "uint64": "Q", "sint32": "i",
    "fixed64": "Q",
}  # fmt: skip

CPP = """#include <cstdio>
#include <vector>
#include "d/d.cdr.hpp"
#include "d/d.ros1.hpp"
#include "d.pb.h"
int main() {
    const wire::d::D absent;
    std::vector<std::byte> ros1(wire::d::ros1::encoded_size(absent));
    std::vector<std::byte> cdr(wire::d::cdr::encoded_size(absent));
    if (wire::d::ros1::encode(absent, ros1).error) return 1;
    if (wire::d::cdr::encode(absent, cdr).error) return 1;
    for (const auto* bytes : {&ros1, &cdr}) {
        for (const std::byte b : *bytes) std::printf("%02x", static_cast<unsigned>(b));
        std::puts("");
    }
    d::D api;
    api.set_r(1);
    api.clear_r();
    std::printf("%a %a\\n", static_cast<double>(api.f0()), static_cast<double>(api.r()));
}
"""
JAVA = """import java.util.HexFormat;
class Absent {
    public static void main(String[] arguments) throws Exception {
        wire.d.D absent = new wire.d.D();
        byte[] out = new byte[4096];
        int size = absent.encodeRos1(out, 0, 4096);
        System.out.println(HexFormat.of().formatHex(out, 0, size));
        size = absent.encodeCdr(out, 0, 4096);
        System.out.println(HexFormat.of().formatHex(out, 0, size));
    }
}
"""


def proto(folder: Path) -> Path:
    lines = ['syntax = "proto2"; package d;', "message D {"]
    lines += [
        f"  optional {type_} f{i} = {i + 1} [default = {value}];"
        for i, (type_, value) in enumerate(FIELDS)
    ]
    lines += ["  required float r = 100 [default = -0.0];", "}"]
    path = folder / "d.proto"
    path.write_text("\n".join(lines) + "\n")
    return path


def value(type_: str, text: str) -> float:
    """Return a default as C++'s compiler of Protobuf reads it: integers as C writes them."""
    if FORMS[type_] in "df":
        number = float(int(text, 0)) if text.startswith("0x") else float(text)
        if type_ == "float" and abs(number) > 3.5e38:
            return float(f"{'-' if number < 0 else ''}inf")
        return float("nan") if "nan" in text else number  # without its sign
    return int(text, 8) if text.lstrip("-").startswith("07") else int(text, 0)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("defaults")
    request = Request(("ros1", "cdr", "protobuf"), "wire", protobuf_api=True)
    write(compile_schema([str(proto(folder))], ["cpp", "python", "java"], request), folder)
    return folder


@pytest.fixture(scope="module")
def lines(generated: Path) -> list[str]:
    """Absent fields on ros1 and on cdr, by Python."""
    code = "from wire.d.d import D; print(D().encode_ros1().hex(), D().encode_cdr().hex())"
    command = [sys.executable, "-c", f"import sys; sys.path[:0] = ['{generated}/python']; {code}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_python_writes_the_declared_bits(lines: list[str]) -> None:
    expected = b"".join(struct.pack(f"<{FORMS[t]}", value(t, text)) for t, text in FIELDS)
    assert bytes.fromhex(lines[0]) == expected + struct.pack("<f", -0.0)


def test_cpp_writes_the_same(generated: Path, lines: list[str]) -> None:
    (generated / "absent.cpp").write_text(CPP)
    program = generated / "absent"
    command = ["g++", "-std=c++20", "-Wall", "-Wextra", "-Werror", f"-I{generated / 'cpp'}"]
    sources = [generated / "absent.cpp", *(generated / "cpp").rglob("*.cc")]
    subprocess.run([*command, *map(str, sources), "-o", str(program)], check=True)
    printed = subprocess.run(
        [program], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert printed == [*lines, "-0x0p+0 -0x0p+0"]


def test_java_writes_the_same(generated: Path, lines: list[str]) -> None:
    (generated / "Absent.java").write_text(JAVA)
    sources = [generated / "Absent.java", *(generated / "java").rglob("*.java")]
    classes = str(generated / "classes")
    subprocess.run([*JAVAC, "-d", classes, *map(str, sources)], check=True)
    command = ["java", "-cp", classes, "Absent"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.split() == lines


def test_defaults_and_constants_of_ros(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values below the least of a float are zero, which every language can write."""
    folder = tmp_path / "d_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "D.msg").write_text(
        "float32 LEAST=1e-60\nfloat64 NEGATIVE_ZERO=-0.0\nint64 MINIMUM=-9223372036854775808\n"
        "float32 x -1e-60\nfloat64 y -0.0\nfloat64 z 1e3\nfloat32 n nan\n"
    )
    schema = frontends.load([str(folder / "D.msg")], dialect="ros2")
    message = schema.message("d_msgs.D")
    assert [repr(c.value) for c in message.constants] == ["0.0", "-0.0", "-9223372036854775808"]
    assert [repr(f.default) for f in message.fields] == ["-0.0", "-0.0", "1000.0", "nan"]
    request = Request(("protobuf", "ros1"), "ros_defaults", json=True)
    write(compile_schema([str(folder / "D.msg")], ["python", "cpp"], request), tmp_path)
    header = (tmp_path / "cpp" / "d_msgs" / "d.hpp").read_text()
    assert all(f"{name} = -0.0" in header for name in (" NEGATIVE_ZERO", " x", " y"))
    codec = (tmp_path / "cpp" / "d_msgs" / "d.protobuf.hpp").read_text()
    assert "std::bit_cast<std::uint64_t>(-0.0)" in codec
    monkeypatch.syspath_prepend(tmp_path / "python")
    defaults = importlib.import_module("ros_defaults.d_msgs").D()
    assert (defaults.encode_protobuf(), defaults.to_json()) == (b"", "{}")
    defaults.y = 0.0
    assert (defaults.encode_protobuf().hex(), defaults.to_json()) == (
        "110000000000000000",
        '{"y":0.0}',
    )
