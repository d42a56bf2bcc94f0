# SPDX-License-Identifier: Apache-2.0
"""Files that cannot be written are reported before long work, by a check that changes nothing."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from wirecost.cli.ending import Output
from wirecost.cli.output_files import check_writable
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError


@pytest.mark.parametrize("name", ["new.json", "there.json", "link.json", "queue"])
def test_what_can_be_written_is_left_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / "there.json").write_text("before")
    (tmp_path / "link.json").symlink_to(tmp_path / "target.json")
    os.mkfifo(tmp_path / "queue")
    before = sorted(one.name for one in tmp_path.iterdir())
    check_writable("--json", tmp_path / name)
    assert sorted(one.name for one in tmp_path.iterdir()) == before
    assert (tmp_path / "there.json").read_text() == "before"
    assert (tmp_path / "link.json").is_symlink()


@pytest.mark.parametrize(("name", "why"), [(".", "Is a directory"), ("none/x", "No such file")])
def test_what_cannot_is_refused(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(UserError, match=f"{why}.*; name a writable --json file"):
        check_writable("--json", tmp_path / name)


def test_a_file_may_lie_in_the_folder_that_the_work_makes(tmp_path: Path) -> None:
    check_writable("--json", tmp_path / "run" / "x.json", tmp_path / "run")
    check_writable("--json", Path("-"))
    check_writable("--json", None)


def test_a_page_does_not_get_the_name_of_another_format(tmp_path: Path) -> None:
    for suffix in ("", ".html", ".md", ".svg"):
        Output(report=tmp_path / f"x{suffix}").check()
    with pytest.raises(UserError, match=r"name a file that ends in \.html, \.md"):
        Output(report=tmp_path / "x.txt").check()


def test_what_a_link_leads_to_is_replaced_and_keeps_its_permissions(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("before")
    target.chmod(0o600)
    link.symlink_to(target)
    Output(link).write(Answer("", document={"a": 1}))
    assert link.is_symlink() and json.loads(target.read_text()) == {"a": 1}
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    queue = tmp_path / "queue"
    os.mkfifo(queue)
    reader = os.open(queue, os.O_RDONLY | os.O_NONBLOCK)
    Output(queue).write(Answer("", document=[]))
    assert json.loads(os.read(reader, 100)) == []
    os.close(reader)
    assert queue.is_fifo()
