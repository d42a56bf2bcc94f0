# SPDX-License-Identifier: Apache-2.0
"""``protoc --wirecost_out``: Debian's protoc and the one of Python run the plugin."""

from __future__ import annotations

import inspect
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2 as pb
from google.protobuf.compiler import plugin_pb2
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from support.compiled import ROOT, SCHEMAS
from support.programs import execute
from wirecost.cli import compile as command
from wirecost.schema.compile import plugin
from wirecost.schema.compile.compiler import Columns, compile_schema
from wirecost.schema.compile.emit import LANGUAGES, Request, Texts
from wirecost.schema.compile.options import Options
from wirecost.schema.compile.parameter import parsed
from wirecost.schema.compile.schema import Omission
from wirecost.system.errors import UserError

PLUGIN = Path(sys.executable).with_name("protoc-gen-wirecost")
PROTOCS = {"debian": ["protoc"], "python": [sys.executable, "-P", "-m", "grpc_tools.protoc"]}
ALL = {
    "every_type_proto2.proto": ("protobuf", "ros1", "cdr"),
    "every_type_proto3.proto": ("protobuf", "ros1", "cdr"),
    "recursive_maps.proto": ("protobuf",),
}
MAIN = """syntax = "proto3"; package trip;
import "part.proto"; import "google/protobuf/duration.proto";
message Trip { part.Part part = 1; google.protobuf.Duration time = 2; optional int32 left = 3; }
"""
PART = 'syntax = "proto3"; package part;\nmessage Part { int32 number = 1; }\n'


@pytest.fixture(params=PROTOCS)
def protoc(request: pytest.FixtureRequest) -> list[str]:
    if request.param == "debian" and shutil.which("protoc") is None:
        pytest.skip("no protoc: apt install protobuf-compiler")
    return PROTOCS[request.param]


def run(
    protoc: list[str], out: Path, *arguments: str, cwd: Path = SCHEMAS
) -> subprocess.CompletedProcess[str]:
    out.mkdir(exist_ok=True)
    words = [f"--plugin=protoc-gen-wirecost={PLUGIN}", f"--wirecost_out={out}", "-I."]
    return execute([*protoc, *words, *arguments], cwd=cwd)


def files(folder: Path) -> dict[str, str]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_text() for path in paths}


def named(texts: Texts) -> dict[str, str]:
    return {str(path): text for path, text in texts.items()}


@pytest.mark.parametrize("name", ALL)
def test_it_writes_what_compile_writes(name: str, protoc: list[str], tmp_path: Path) -> None:
    wires = ALL[name]
    options = f"lang=cpp+python+java,wire={'+'.join(wires)},namespace=over,unknown=preserve,maven"
    done = run(protoc, tmp_path / "out", f"--wirecost_opt={options},protobuf-api", name)
    assert (done.returncode, done.stderr) == (0, "")
    request = Request(wires, "over", preserve_unknown=True, protobuf_api=True, maven=True)
    assert files(tmp_path / "out") == named(
        compile_schema([str(SCHEMAS / name)], LANGUAGES, request)
    )


def test_columns_and_the_native_extension(protoc: list[str], tmp_path: Path) -> None:
    message = "conformance.columns3.Samples"
    options = f"wire=protobuf+columns,columns={message},reduce=*=auto,native,no-recycling"
    done = run(protoc, tmp_path / "out", f"--wirecost_opt={options}", "columns_proto3.proto")
    assert (done.returncode, done.stderr) == (0, "")
    request = Request(("protobuf",), native=True, recycling=False)
    columns = Columns((message,), ("*=auto",))
    path = str(SCHEMAS / "columns_proto3.proto")
    assert files(tmp_path / "out") == named(
        compile_schema([path], LANGUAGES, request, columns=columns)
    )


def test_imported_files_are_left_to_a_run_of_their_own(protoc: list[str], tmp_path: Path) -> None:
    (tmp_path / "trip.proto").write_text(MAIN)
    (tmp_path / "part.proto").write_text(PART)
    whole = named(compile_schema([str(tmp_path / "trip.proto")], LANGUAGES, Request(("protobuf",))))
    parts = {name for name in whole if "part/" in name and "__init__" not in name}
    assert len(parts) == 4
    out = tmp_path / "out"
    assert run(protoc, out, "trip.proto", cwd=tmp_path).returncode == 0
    assert files(out) == {name: text for name, text in whole.items() if name not in parts}
    assert "cpp/google/protobuf/duration.hpp" in files(out)
    assert run(protoc, out, "part.proto", cwd=tmp_path).returncode == 0
    assert files(out) == whole
    both = tmp_path / "both"
    assert run(protoc, both, "--wirecost_opt=imports", "trip.proto", cwd=tmp_path).returncode == 0
    assert files(both) == whole


def test_files_keep_their_order(protoc: list[str], tmp_path: Path) -> None:
    """A file that depends on less could as well stand further up."""
    for name, imports in {"a": "cb", "b": "", "c": "d", "d": ""}.items():
        lines = [f'import "{other}.proto";' for other in imports]
        text = "\n".join(['syntax = "proto3";', *lines, f"message {name.upper()} {{}}\n"])
        (tmp_path / f"{name}.proto").write_text(text)
    out = tmp_path / "out"
    options = ("--wirecost_opt=imports", "a.proto")
    assert run(protoc, out, *options, cwd=tmp_path).returncode == 0
    assert files(out) == named(
        compile_schema([str(tmp_path / "a.proto")], LANGUAGES, Request(("protobuf",)))
    )


def test_editions(tmp_path: Path) -> None:
    done = run(PROTOCS["python"], tmp_path / "out", "editions_2023.proto")
    assert (done.returncode, done.stderr) == (0, "")
    path = str(SCHEMAS / "editions_2023.proto")
    assert files(tmp_path / "out") == named(
        compile_schema([path], LANGUAGES, Request(("protobuf",)))
    )


def test_what_is_left_out_is_a_warning(protoc: list[str], tmp_path: Path) -> None:
    done = run(protoc, tmp_path / "out", "left_out.proto")
    assert done.returncode == 0
    assert done.stderr.count(": warning: ") == 4
    assert done.stderr.startswith("left_out.proto:")


def test_a_schema_that_cannot_be_compiled(protoc: list[str], tmp_path: Path) -> None:
    invalid = ROOT / "tests" / "conformance" / "invalid"
    out = tmp_path / "out"
    done = run(protoc, out, "--wirecost_opt=wire=ros1", "recursive.proto", cwd=invalid)
    assert done.returncode == 1
    expected = "--wirecost_out: recursive.proto:5:3: error: Node.next contains its own message"
    assert done.stderr.startswith(expected)
    assert done.stderr.count("\n") == 1
    assert files(out) == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("lang=rust", "lang rust: there are cpp, python, java"),
        ("lang=cpp,python", "python: no option; there are lang, wire, namespace, unknown, "),
        ("lnag=cpp", "lnag: no option; there are lang, wire, namespace, unknown, "),
        ("lang=cpp,lang=java", "lang: given twice; join languages and wires by +"),
        ("lang", "lang: needs a value, lang=…"),
        ("no-lang=cpp", "no-lang: no option; there are "),
        ("unknown=keep", "unknown=keep: give skip or preserve"),
        ("namespace=a.b", "namespace=a.b: give one identifier"),
        ("maven=yes", "maven=yes: give true or false"),
        ("wire=columns", "wire=columns needs columns=MESSAGE, the message whose lists become"),
        ("columns=a.B", "columns: add columns to wire"),
    ],
)
def test_options_that_cannot_be(options: str, message: str, tmp_path: Path) -> None:
    protoc = PROTOCS["python"]
    done = run(protoc, tmp_path / "out", f"--wirecost_opt={options}", "chain.proto")
    assert done.returncode == 1
    assert done.stderr.startswith(f"--wirecost_out: {message}")
    assert done.stderr.count("\n") == 1


def test_truth_is_written_out_or_denied() -> None:
    assert parsed("maven=false,no-recycling=false").options == Options()
    assert parsed("maven=true,no_recycling,protobuf_api") == parsed(
        "maven,recycling=false,protobuf-api"
    )
    assert parsed("reduce=a=exact,reduce=b=error:0.1").options.reduce == ("a=exact", "b=error:0.1")


def test_the_command_has_the_same_options() -> None:
    """With the same defaults; what is not here is protoc's business."""
    of_command = inspect.signature(command.command).parameters
    protocs = {"inputs", "out", "include", "dialect", "depfile", "stamp", "list_only"}
    assert of_command.keys() - protocs == {field.name for field in fields(Options)}
    for field in fields(Options):
        assert (of_command[field.name].default or field.default) == field.default


def request(text: str = "wire=protobuf") -> bytes:
    file = pb.FileDescriptorProto(name="a.proto", package="a", syntax="proto3")
    file.message_type.add(name="M")
    code_request = plugin_pb2.CodeGeneratorRequest(
        file_to_generate=["a.proto"], parameter=text, proto_file=[file]
    )
    return code_request.SerializeToString()


def silent(_: Omission) -> None:
    """Nobody asks for warnings."""


def answered(data: bytes) -> plugin_pb2.CodeGeneratorResponse | None:
    """None where the bytes are no request."""
    try:
        return plugin_pb2.CodeGeneratorResponse.FromString(plugin.answer(data, silent))
    except UserError:
        return None


def test_every_cut_of_a_request_is_refused() -> None:
    whole = request()
    response = answered(whole)
    assert response is not None
    assert response.file
    for length in range(len(whole)):
        cut = answered(whole[:length])
        assert cut is None or (cut.error and not cut.file), length


@given(st.binary(max_size=200))
def test_bytes_that_are_no_request_are_refused(data: bytes) -> None:
    response = answered(data)
    assert response is None or response.error


def test_a_request_that_asks_for_a_file_it_lacks(snapshot: SnapshotAssertion) -> None:
    changed = plugin_pb2.CodeGeneratorRequest.FromString(request())
    changed.file_to_generate.append("gone.proto")
    response = answered(changed.SerializeToString())
    assert response is not None
    assert response.error == snapshot


@pytest.mark.parametrize("field", [b"\x0a\x02\xff.", b"\x12\x01\xff"])
def test_a_request_whose_texts_are_none(field: bytes) -> None:
    response = answered(request() + field)
    assert response is not None
    assert "not UTF-8" in response.error


def alone(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [PLUGIN, *arguments], input=data, capture_output=True, check=False, timeout=60
    )


def test_a_person_who_runs_it_is_told_how() -> None:
    assert b"protoc --wirecost_out=" in alone("--help").stdout
    done = alone("x.proto")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"protoc --wirecost_out=" in done.stderr


@pytest.mark.parametrize("data", [b"", b"\xff" * 100, b"syntax = 'proto3';"])
def test_hostile_input_is_one_line(data: bytes) -> None:
    done = alone(data=data)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"protoc-gen-wirecost: ")
    assert done.stderr.endswith(b"; let protoc run it\n")
    assert done.stderr.count(b"\n") == 1
