# SPDX-License-Identifier: Apache-2.0
"""``--no-recycling``: no generated type takes its memory from a list of small blocks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirecost.cli import app
from wirecost.schema.compile.compiler import compile_schema
from wirecost.schema.compile.emit import Request

SCHEMA = """syntax = "proto3";
package a;
message Part { string name = 1; }
message Whole { bytes text = 1; repeated Part parts = 2; repeated string names = 3;
                map<string, Part> by_name = 4; oneof one { string s = 5; Part p = 6; } }
"""
OWNING = re.compile(r"wirecost::(?:Plain)?(?:String|Sequence|Map)\b")


def types(folder: Path, *, recycling: bool) -> set[str]:
    """Return the types that own memory in the generated headers.

    The classes with Protobuf's interface never keep blocks."""
    path = folder / "schema.proto"
    path.write_text(SCHEMA)
    request = Request(
        ("protobuf", "ros1", "cdr"), protobuf_api=True, api_namespace="facade", recycling=recycling
    )
    texts = compile_schema([str(path)], ["cpp"], request)
    generated = [text for name, text in texts.items() if "wirecost" not in name.parts]
    return {type_ for text in generated for type_ in OWNING.findall(text)}


@pytest.mark.parametrize("options", [(), ("--recycling",), ("--no-recycling",)])
def test_the_command_recycles_unless_told_not_to(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "schema.proto"
    path.write_text(SCHEMA)
    words = ["compile", str(path), "--lang", "cpp", "--out", str(tmp_path / "out"), *options]
    done = CliRunner().invoke(app, words)
    assert done.exception is None, done.output
    header = (tmp_path / "out" / "cpp" / "a" / "schema.hpp").read_text()
    assert ("wirecost::PlainString name" in header) == ("--no-recycling" in options)


@pytest.mark.parametrize("recycling", [True, False])
def test_the_types_say_where_their_memory_comes_from(tmp_path: Path, recycling: bool) -> None:
    prefix = "" if recycling else "Plain"
    expected = {f"wirecost::{prefix}{kind}" for kind in ("String", "Sequence", "Map")}
    assert types(tmp_path, recycling=recycling) == expected
