# SPDX-License-Identifier: Apache-2.0
"""Cost of compiling grows with the schema's size; what would not end is refused in one line."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from support import wide_schemas
from support.compiled import compile_python
from support.programs import execute
from support.wide_schemas import SHAPES, descriptor_set
from wirecost.schema.compile.compiler import Columns, compile_schema
from wirecost.schema.compile.emit import Request, Texts
from wirecost.schema.compile.plan.columns import DEEPEST as DEEPEST_COLUMNS
from wirecost.schema.compile.plan.extent import DEEPEST, DEEPEST_STRUCT
from wirecost.system.errors import UserError

ALL_WIRES = ("protobuf", "ros1", "cdr")
LANGUAGES = ("cpp", "python", "java")
SECONDS, MEMORY = 300, 4 << 30
"""Of processor time and bytes, for what takes some seconds: far from a second for each field."""
SIZES = (20, 40, 80)


def described(folder: Path, made: list[Any]) -> str:
    path = folder / "wide.fds"
    path.write_bytes(descriptor_set(made))
    return str(path)


def compiled(path: str, wires: tuple[str, ...] = ALL_WIRES, *languages: str) -> Texts:
    request = Request(wires, protobuf_api=True, api_namespace="facade", native=True, json=True)
    return compile_schema([path], languages or LANGUAGES, request)


def size(texts: Texts) -> int:
    return sum(map(len, texts.values()))


def lines_run(function: Callable[[], object]) -> int:
    """Lines of Python that run, each turn of a comprehension one of them."""
    count = 0

    def trace(_: FrameType, event: str, __: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_effort_and_output_grow_with_the_schema(shape: str, tmp_path: Path):
    """Twice the size is twice the work: with a square in it the increase would be fourfold."""
    paths = []
    for n in SIZES:
        folder = tmp_path / str(n)
        folder.mkdir()
        paths.append(described(folder, SHAPES[shape](n)))
    compiled(paths[0])  # fills what is kept between compilations
    for measure in (lambda p: lines_run(lambda: compiled(p)), lambda p: size(compiled(p))):
        small, medium, large = map(measure, paths)
        assert large - medium < 2.5 * (medium - small)


def test_counting_lines_sees_a_square():
    def square(n: int) -> list[int]:
        return [x for _ in range(n) for x in range(n) if x < 0]

    small, medium, large = (lines_run(lambda n=n: square(n)) for n in SIZES)  # type: ignore[misc]
    assert large - medium > 3.5 * (medium - small)


def test_a_message_that_many_share_is_planned_once(tmp_path: Path):
    """Its text would double with each level."""
    compiled(described(tmp_path, wide_schemas.shared(3)))  # fills what is kept
    for wires, depths in ((("protobuf",), (8, 11, 14)), (ALL_WIRES, (8, 11, 14))):
        for make in (wide_schemas.shared, wide_schemas.hollow):
            sizes, lines = [], []
            for n in depths:
                path = described(tmp_path, make(n))
                lines.append(lines_run(lambda p=path, w=wires: compiled(p, w)))  # type: ignore[misc]
                sizes.append(size(compiled(path, wires)))
            for small, medium, large in (sizes, lines):
                assert large - medium < 1.5 * (medium - small)


CHILD = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
from wirecost.schema.compile.compiler import compile_schema
from wirecost.schema.compile.emit import Request
wires, languages = (words.split(",") for words in sys.argv[2:])
texts = compile_schema([sys.argv[1]], languages, Request(tuple(wires)))
print(sum(map(len, texts.values())))
"""


def compiled_apart(path: Path | str, wires: str, languages: str) -> int:
    """Characters of the output, made by a process that may not take all."""
    done = execute(
        [sys.executable, "-c", CHILD, str(path), wires, languages],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    )
    assert (done.returncode, done.stderr) == (0, "")
    return int(done.stdout)


@pytest.mark.thorough
def test_fifty_thousand_fields(tmp_path: Path):
    types = ("float64", "string", "int8[]", "string[]", "bool", "uint16[3]")
    written = []
    for n in (500, 50_000):
        names = (f"f{i}" for i in range(n))
        path = wide_schemas.ros_message(tmp_path / str(n), types, names)
        written.append(compiled_apart(path, "protobuf", ",".join(LANGUAGES)) / n)
    few, many = written
    assert many < 1.5 * few  # for each field; a square in it would be a hundredfold


def test_names_that_are_alike_are_distinguished_by_numbers(tmp_path: Path):
    path = wide_schemas.ros_message(tmp_path, ("int32",), wide_schemas.alike(3000))
    assert compiled_apart(path, "ros1", "java") < 3000 * 4000


def test_a_long_chain_of_messages(tmp_path: Path):
    path = described(tmp_path, wide_schemas.chain(3000))
    assert compiled_apart(path, "protobuf", "python,java") < 3000 * 20_000


def test_messages_that_each_hold_two_of_the_next(tmp_path: Path):
    path = described(tmp_path, wide_schemas.shared(20))
    assert compiled_apart(path, ",".join(ALL_WIRES), ",".join(LANGUAGES)) < 2_000_000
    path = described(tmp_path, wide_schemas.shared(DEEPEST))
    assert compiled_apart(path, "protobuf", "python,java") < 2_000_000


def fault(path: str, wires: tuple[str, ...], *languages: str, columns: str = "") -> str:
    with pytest.raises(UserError) as caught:
        compile_schema([path], languages, Request(wires), columns=Columns(tuple(columns.split())))
    assert str(caught.value).count("\n") == 0
    return str(caught.value)


@pytest.mark.parametrize("wire", ["ros1", "cdr"])
def test_more_than_decoders_read_is_refused_where_all_is_written(
    wire: str, tmp_path: Path, snapshot: SnapshotAssertion
):
    schemas = {"a chain": wide_schemas.chain(DEEPEST + 1), "shared": wide_schemas.shared(30)}
    said = {
        name: fault(described(tmp_path, schema), (wire,), "python")
        for name, schema in schemas.items()
    }
    assert said == snapshot
    compiled(described(tmp_path, wide_schemas.chain(DEEPEST)), (wire,))


def test_more_than_a_struct_holds_is_refused_for_cpp_only(
    tmp_path: Path, snapshot: SnapshotAssertion
):
    for schema in (wide_schemas.shared(30), wide_schemas.chain(DEEPEST_STRUCT + 1)):
        path = described(tmp_path, schema)
        assert fault(path, ("protobuf",), "cpp") == snapshot
        assert compile_schema([path], ["python", "java"], Request(("protobuf",)))


def test_arrays_that_no_memory_holds_are_refused(tmp_path: Path, snapshot: SnapshotAssertion):
    path = wide_schemas.ros_message(tmp_path, ("uint8[4294967295]",), ["much"])
    assert fault(str(path), ("ros1",), "java") == snapshot


def test_columns_mirror_the_nesting_up_to_a_limit(tmp_path: Path, snapshot: SnapshotAssertion):
    for schema in (wide_schemas.shared(20), wide_schemas.chain(DEEPEST_COLUMNS + 2)):
        path = described(tmp_path, schema)
        assert fault(path, ("protobuf",), "python", columns="wide.M0") == snapshot


def test_ros_messages_nest_as_deep_as_decoders_read(tmp_path: Path, snapshot: SnapshotAssertion):
    path = wide_schemas.ros_chain(tmp_path / "fits", DEEPEST)
    assert compiled(str(path), ("ros1", "cdr"))
    deeper = str(wide_schemas.ros_chain(tmp_path / "deeper", 3000))
    assert fault(deeper, ("ros1",), "python") == snapshot


def test_python_reads_back_what_many_fields_hold(tmp_path: Path):
    """Long oneofs are read by halves and reset by a loop."""
    path = described(tmp_path, wide_schemas.oneof(300))
    module = compile_python([path])("wide.wide")
    for number, value in ((0, 1.5), (1, "text"), (150, 1), (299, [])):
        name = f"field_{number}"
        message = module.Wide(**{name: value}) if number != 299 else module.Wide()
        for wire in ALL_WIRES:
            data = getattr(message, f"encode_{wire}")()
            assert getattr(module.Wide, f"decode_{wire}")(data) == message
    both = module.Wide(field_0=1.0).encode_protobuf() + module.Wide(field_1="b").encode_protobuf()
    assert module.Wide.decode_protobuf(both) == module.Wide(field_1="b")


@pytest.mark.parametrize(
    "line",
    [
        "int32 x=a" + " " * 100_000 + "b",
        'string x="' + "\\" * 100_001,
        'string x "' + "\\" * 100_001,
        "a<=" * 100_000,
        "int32[<=" + "9" * 100_000 + "] x",
        "int32 " + "x" * 500_000,
    ],
)
def test_lines_that_a_careless_pattern_would_read_for_ever(line: str, tmp_path: Path):
    path = tmp_path / "p" / "msg" / "X.msg"
    path.parent.mkdir(parents=True)
    path.write_text(line)
    for dialect in ("ros1", "ros2"):
        command = [sys.executable, "-m", "wirecost", "compile", str(path), "--dialect", dialect]
        command += ["--out", str(tmp_path / "out"), "--lang", "python"]
        done = execute(
            command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        )
        assert done.returncode in (0, 2)
        assert len(done.stderr.splitlines()) == (done.returncode == 2)
        assert len(done.stderr) < 3000
