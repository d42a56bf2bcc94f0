# SPDX-License-Identifier: Apache-2.0
"""``.proto`` files mean the same on every machine, whatever protoc is on its path."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.schema.compile import frontends
from wirecost.schema.compile.schema import CompileError

SINCE_PROTOC_22 = {
    "debug_redact": 'syntax = "proto3"; message A { string secret = 1 [debug_redact = true]; }',
    "retention and targets": 'syntax = "proto2"; import "google/protobuf/descriptor.proto"; '
    "extend google.protobuf.FieldOptions { optional string doc = 50001 "
    "[retention = RETENTION_SOURCE, targets = TARGET_TYPE_FIELD]; } "
    'message A { optional int32 x = 1 [(doc) = "text"]; }',
    "declared extensions": 'syntax = "proto2"; message A { extensions 100 to 200 [declaration = '
    '{ number: 100, full_name: ".ext", type: "int32" }]; } extend A { optional int32 ext = 100; }',
    "JSON names that differ in case": 'syntax = "proto3"; message A { int32 aB_C = 1; '
    "int32 a_bc = 2; }",
    "edition 2024": 'edition = "2024"; export message A { local enum E { Z = 0; } E e = 1; }',
}


@pytest.mark.parametrize("text", SINCE_PROTOC_22.values(), ids=SINCE_PROTOC_22)
def test_a_machines_own_protoc_is_not_asked(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "protoc"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    path = tmp_path / "a.proto"
    path.write_text(text)
    assert frontends.load([str(path)]).message("A").fields or "extensions" in text


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_byte_order_mark_is_no_part_of_the_schema(end: str, tmp_path: Path) -> None:
    lines = ['syntax = "proto3";', 'import "part.proto";', "message A { Part part = 1; }", ""]
    (tmp_path / "a.proto").write_text(end.join(lines), encoding="utf-8-sig", newline="")
    part = end.join(['syntax = "proto3";', "message Part { int32 x = 1; }", ""])
    (tmp_path / "part.proto").write_text(part, encoding="utf-8-sig", newline="")
    schema = frontends.load([str(tmp_path / "a.proto")])
    assert [m.full_name for m in schema.messages()] == ["Part", "A"]


def test_warnings_of_protoc_are_not_taken_for_its_complaint(tmp_path: Path) -> None:
    path = tmp_path / "a.proto"
    path.write_text("message A { optional Nothing x = 1; }")  # and no syntax, of which it warns
    with pytest.raises(CompileError, match=r"a\.proto:1:22: error: `Nothing` is not defined; "):
        frontends.load([str(path)])
