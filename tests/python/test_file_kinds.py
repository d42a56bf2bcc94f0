# SPDX-License-Identifier: Apache-2.0
"""A file that is no schema is refused with the command that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.schema.compile import frontends
from wirecost.system.errors import UserError
from wirecost.system.file_kinds import OF_FOLDER, OF_SUFFIX, reading_command


@pytest.mark.parametrize("suffix", OF_SUFFIX)
def test_files(suffix: str, tmp_path: Path):
    path = tmp_path / f"a b{suffix}"
    path.write_text("x")
    with pytest.raises(UserError, match=f"no schema; `wirecost .*'{path}'.*` reads it"):
        frontends.load([str(path)])


@pytest.mark.parametrize("name", OF_FOLDER)
def test_folders(name: str, tmp_path: Path):
    (tmp_path / name.removeprefix("**/").replace("*", "log")).write_text("")
    assert reading_command(tmp_path) == f"`wirecost {OF_FOLDER[name].format(tmp_path)}` reads it"


def test_others(tmp_path: Path):
    assert reading_command(tmp_path) == reading_command(tmp_path / "a.txt") == ""
