# SPDX-License-Identifier: Apache-2.0
"""Names of others on a terminal and in commands to copy."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table

from wirecost.system.foreign import shell_line
from wirecost.system.terminal import Console


def printed(what: object) -> str:
    out = io.StringIO()
    Console(file=out, width=60, force_terminal=True, color_system=None).print(what)
    return out.getvalue()


@pytest.mark.parametrize("text", ["pip install 'wirecost[ros2]'", "a [bold]b[/bold]", ":warning:"])
def test_brackets_and_colons_are_printed_as_they_are(text: str) -> None:
    assert printed(text) == f"{text}\n"


def test_what_a_terminal_would_obey_is_visible() -> None:
    table = Table("topic")
    table.add_row("/a\x1b[31m\u202e\x07")
    assert "/a\\x1b[31m\\u202e\\x07" in printed(table)
    assert printed("line\x1b]0;title\x07\nnext") == "line\\x1b]0;title\\x07\nnext\n"


names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1)


@given(names)
def test_a_shell_reads_a_quoted_word_as_it_is(name: str) -> None:
    word = shell_line(name)
    assert word.isprintable()
    run = subprocess.run(
        ["bash", "-c", f"printf %s {word}"], capture_output=True, check=True, timeout=20
    )
    assert run.stdout == name.encode()


def test_bytes_that_are_no_text_are_quoted() -> None:
    assert shell_line(os.fsdecode(b"/\xff")) == "$'/\\377'"
    assert shell_line("wirecost", "cost", Path("a b.mcap")) == "wirecost cost 'a b.mcap'"


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("ascii", "~ -1 % \\xe9"), ("latin-1", "~ -1 % é"), ("utf-8", "≈ −1 % é")],
)
def test_characters_that_an_encoding_lacks_are_replaced(encoding: str, text: str) -> None:
    code = "from wirecost.system.named_output import name_output; name_output(); print('≈ −1 % é')"
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
    )
    assert run.stdout.decode(encoding).strip() == text


def test_a_command_works_in_a_folder_that_is_gone(tmp_path: Path) -> None:
    schema = tmp_path / "package" / "State.msg"
    schema.parent.mkdir()
    schema.write_text("int32 a\n")
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os, sys; os.rmdir(os.getcwd())\n"
        "from wirecost.__main__ import main; sys.argv[0] = 'wirecost'; main()"
    )
    for words, status in (
        (["compile", str(schema), "--out", str(tmp_path / "out")], 0),
        (["compile", "State.msg"], 2),
    ):
        run = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=gone,
            capture_output=True,
            text=True,
            check=False,
        )
        gone.mkdir()
        assert run.returncode == status, run.stderr
        assert "Traceback" not in run.stderr
