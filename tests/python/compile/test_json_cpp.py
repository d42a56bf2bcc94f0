# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON of generated C++: what Python says, and what Google does, under sanitizers."""

from __future__ import annotations

import importlib
import json
import random
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from syrupy.assertion import SnapshotAssertion

from support.compiled import (
    PROTOS,
    ROOT,
    SCHEMAS,
    compile_python,
    google_class,
    random_message,
)
from support.json_texts import HOSTILE, REFUSED, TEXTS
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

SOURCE = ROOT / "tests" / "conformance" / "json" / "texts.cpp"
FLAGS = ["-std=c++20", "-O0", "-g1", "-Wall", "-Wextra", "-Werror"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
EVERY_TYPE = "conformance.proto2.EveryType", "conformance.proto3.EveryType"
SEEDS, MUTATIONS = 40, 3000


class Program:
    """Reads messages of one type and writes them again."""

    def __init__(self, folder: Path, schema: Path, header: str, message: str, types: str) -> None:
        write(compile_schema([str(schema)], ["cpp"], Request(("protobuf",), json=True)), folder)
        program = folder / "texts"
        defined = [f'-DHEADER="{header}"', f"-DMESSAGE={message}", *types.split()]
        command = ["g++", *FLAGS, *SANITIZERS, f"-I{folder / 'cpp'}", *defined]
        subprocess.run([*command, str(SOURCE), "-o", str(program)], check=True)
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, text: str | bytes, ignore_unknown: bool = False) -> tuple[bool, str]:
        """Return whether it is a message, and its text or what is wrong."""
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(struct.pack("<II", len(data), ignore_unknown) + data)
        self.process.stdin.flush()
        head = self.process.stdout.read(5)
        assert len(head) == 5, data[:200]
        size, read = struct.unpack("<IB", head)
        return bool(read), self.process.stdout.read(size).decode()

    def close(self) -> None:
        self.process.communicate()
        assert self.process.returncode == 0


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    program = Program(
        tmp_path_factory.mktemp("known"),
        SCHEMAS / "well_known.proto",
        "json.types.hpp",
        "::wire::conformance::known::Known",
        "-DTYPES=::wire::json_types",
    )
    yield program
    program.close()


@pytest.fixture(scope="module")
def python() -> Any:
    schema = str(SCHEMAS / "well_known.proto")
    return compile_python([schema], ("protobuf",), json=True)("conformance.known.well_known").Known


@pytest.mark.parametrize("texts", TEXTS, ids=lambda texts: texts[0])
def test_forms(texts: tuple[str, ...], known: Program):
    read, text = known.ask(texts[0])
    assert read, text
    assert json.loads(text) == json.loads(texts[-1])
    assert known.ask(text) == (True, text)


@pytest.mark.parametrize("text", [text for text, _ in REFUSED])
def test_refused(text: str, known: Program):
    assert not known.ask(text)[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"wide": 1, "other": 2}', "a name is none of the message's fields at 12"),
        ('{"wide": -1}', "a number is out of range at 9"),
        ('{"data": "a"}', "a string is not base64 at 9"),
        ('{"singles": [1, true]}', "a value does not have the type of its field at 16"),
        ('{"wide": 1 "a"}', "the text is not JSON at 11"),
        ('{"wide": 1} 2', "the text is not JSON at 12"),
        ('{"text": "\xe4', "the text is not JSON at 12"),
        (
            '{"text": "\\q"}',
            "a string has an escape that is none, or half of a surrogate pair at 10",
        ),
    ],
)
def test_errors_say_where(text: str, said: str, known: Program):
    assert known.ask(text) == (False, said)


def test_bytes_that_are_no_text(known: Program, snapshot: SnapshotAssertion):
    answers = [
        known.ask(text) for text in (b'{"text":"\xc3\xa4\xed\xa0\x80"}', b'{"text":"a\x00"}')
    ]
    assert answers == snapshot


def test_what_is_unknown_is_skipped_if_that_is_asked(known: Program):
    text = (
        '{"new":[{"a":{}}],"wide":"1","color":"NEW","colors":["NEW","RED"],"byTruth":{"true":""}}'
    )
    assert not known.ask(text)[0]
    assert known.ask(text, ignore_unknown=True) == (True, '{"colors":["RED"],"wide":"1"}')
    assert not known.ask('{"new":' + "[" * 1000 + "]" * 1000 + "}", ignore_unknown=True)[0]


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_are_refused(kind: str, known: Program):
    read, said = known.ask(HOSTILE[kind])
    assert not read
    assert len(said) < 200


def test_messages_that_take_far_more_memory_than_their_text_are_refused(known: Program):
    many = ",".join(['"1":{}'] * 1_000_000)
    read, said = known.ask(f'{{"byNumber":{{{many}}}}}')
    assert not read
    assert "too much memory" in said


def test_nesting_ends_where_it_does_in_python(known: Program):
    text = "{}"
    for _ in range(50):
        text = f'{{"byNumber":{{"1":{text}}}}}'
    assert known.ask(text)[0]
    assert "nested too deep" in known.ask(f'{{"byNumber":{{"1":{text}}}}}')[1]


def test_messages_in_an_any_are_written_as_deep_as_in_python(known: Program, python: Any):
    inner = "{}"
    for _ in range(16):
        inner = f'{{"@type":"a/google.protobuf.Any","value":{inner}}}'
    text = f'{{"any":{inner}}}'
    assert known.ask(text) == (True, text)
    assert python.from_json(text).to_json() == text
    deeper = f'{{"any":{{"@type":"a/google.protobuf.Any","value":{inner}}}}}'
    assert "nested too deep" in known.ask(deeper)[1]
    with pytest.raises(ValueError, match="deeper than 16"):
        python.from_json(deeper).to_json()


def test_python_and_cpp_take_the_same_texts(known: Program, python: Any):
    error = importlib.import_module(python.__module__.partition(".")[0]).WireError
    chance = random.Random(1)
    accepted = 0
    for _ in range(MUTATIONS):
        text = list(chance.choice(TEXTS)[0])
        for _ in range(chance.randint(1, 2)):
            at = chance.randint(0, len(text))
            inserted = chance.choices('{}[]",:\\ueE+-.0129aZ_ ntf', k=chance.randint(0, 2))
            text[at : at + chance.randint(0, 2)] = inserted
        mutated, ignored = "".join(text), chance.random() < 0.3
        read, said = known.ask(mutated, ignored)
        try:
            ours = python.from_json(mutated, ignore_unknown=ignored).to_json()
        except error as fault:
            assert not read, (mutated, said, str(fault))
            continue
        assert read, (mutated, said)
        assert json.loads(said) == json.loads(ours)
        accepted += 1
    assert accepted > MUTATIONS / 20


@pytest.mark.parametrize("name", EVERY_TYPE)
def test_google_reads_what_is_written_and_the_reverse(name: str, tmp_path: Path):
    package = name.rpartition(".")[0]
    path = PROTOS[package]
    header = f"{package.replace('.', '/')}/{path.stem}.json.hpp"
    program = Program(tmp_path, path, header, f"::wire::{name.replace('.', '::')}", "")
    for seed in range(SEEDS):
        reference = random_message(name, seed)
        for as_declared in (False, True):
            as_google = json_format.MessageToJson(
                reference, preserving_proto_field_name=as_declared
            )
            read, text = program.ask(as_google)
            assert read, text
            again = json_format.Parse(text, google_class(name)())
            assert again == reference
    program.close()


BOUNDED = [
    "{}",
    '{"name":"12345","few":[1,2,3],"words":["abcd",""],"parts":[{"x":2}],"withDefault":0}',
    '{"pair":[{"tag":"a"}],"flags":[true],"one":{"x":255},"withText":"","withBool":false}',
    '{"pair":[],"flags":[false,true,true],"withReal":0.5}',
]
OUT_OF_BOUNDS = [
    '{"name":"123456"}',
    '{"few":[1,2,3,4]}',
    '{"words":["a","b","c"]}',
    '{"words":["abcde"]}',
    '{"parts":[{},{},{}]}',
    '{"pair":[{},{},{}]}',
    '{"flags":[true,true,true,true]}',
    '{"one":{"x":256}}',
    '{"one":{"tag":"1234"}}',
    '{"withDefault":32768}',
]


def test_messages_of_ros_keep_their_bounds(tmp_path: Path):
    path = PROTOS["bounds_msgs"]
    header = "bounds_msgs/bounded.json.hpp"
    program = Program(tmp_path, path, header, "::wire::bounds_msgs::Bounded", "")
    holder = compile_python([str(path)], ("cdr",), json=True)("bounds_msgs").Bounded
    error = importlib.import_module(holder.__module__.partition(".")[0]).WireError
    for text in BOUNDED:
        read, again = program.ask(text)
        assert read, again
        assert json.loads(again) == json.loads(holder.from_json(text).to_json())
        assert holder.from_json(again) == holder.from_json(text)
    for text in OUT_OF_BOUNDS:
        assert not program.ask(text)[0], text
        with pytest.raises(error):
            holder.from_json(text)
    program.close()


CAPTURED = """
syntax = "proto3"; package odd.json;
enum table { made = 0; }
message text { options M = 1; int32 to_json = 2; table fields = 3; }
message options { repeated text field = 1; }
message M { map<string, M> names = 1; oneof type { M get = 2; text make = 3; } }
message to_json { to_json from_json = 1; Value Value = 2; }
message Value { string value = 1; }
message Enum {}
message Kind { Enum Message = 1; message Shape { Kind Form = 1; } }
"""


def test_names_that_the_tables_use(tmp_path: Path):
    path = tmp_path / "names.proto"
    path.write_text(CAPTURED)
    write(compile_schema([str(path)], ["cpp"], Request(("protobuf",), json=True)), tmp_path)
    unit = '#include "odd/json/names.json.hpp"'
    command = ["g++", *FLAGS, f"-I{tmp_path / 'cpp'}", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=unit, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
