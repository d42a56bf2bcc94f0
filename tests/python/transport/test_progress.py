# SPDX-License-Identifier: Apache-2.0
"""Progress of a publisher, as its listeners look it up."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.transport_peer import runtime_folder
from wirecost.messaging.transport.shared.progress import Progress, follow


@pytest.fixture(autouse=True)
def run_folder() -> Iterator[Path]:
    with runtime_folder() as folder:
        yield folder


def files(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*.sent")]


def test_a_listener_sees_what_was_sent_also_after_the_end(run_folder: Path) -> None:
    progress = Progress(7)
    followed = follow(7)
    assert followed is not None
    for number in 1, 2, 2**40:
        progress.sent[0] = number
        assert (followed.sent, followed.ended) == (number, False)
    progress.close()
    progress.close()
    assert (followed.sent, followed.ended) == (2**40, True)
    assert files(run_folder) == []
    assert follow(7) is None


def test_nobody_is_followed_who_is_not_there() -> None:
    assert follow(8) is None


def test_a_killed_publisher_has_ended_and_leaves_nothing(run_folder: Path) -> None:
    program = (
        "import os, signal; from wirecost.transport.shared.progress import Progress;"
        "made = Progress(9); made.sent[0] = 3; print(flush=True); input()"
    )
    killed = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert killed.stdout
    killed.stdout.readline()
    followed = follow(9)
    assert followed is not None
    assert (followed.sent, followed.ended) == (3, False)
    killed.kill()
    killed.communicate()
    assert files(run_folder)
    Progress(10).close()
    assert files(run_folder) == []
    assert (followed.sent, followed.ended) == (3, True)


def test_a_forked_process_ends_without_its_parents_publishers() -> None:
    progress = Progress(11)
    program = (
        "import os, sys; from wirecost.transport.shared.progress import Progress, follow;"
        "made = Progress(12)\n"
        "if os.fork() == 0: sys.exit()\n"
        "os.wait(); assert not follow(12).ended"
    )
    subprocess.run([sys.executable, "-c", program], check=True, env=os.environ)
    followed = follow(11)
    assert followed is not None
    assert not followed.ended
    progress.close()


def test_a_publisher_without_a_folder_sends_all_the_same(run_folder: Path) -> None:
    (run_folder / "wirecost").write_text("a file")
    progress = Progress(13)
    progress.sent[0] = 1
    progress.close()
    assert follow(13) is None


@pytest.mark.parametrize("content", [b"", b"1234567"])
def test_a_damaged_file_is_none(run_folder: Path, content: bytes) -> None:
    Progress(14).close()
    (run_folder / "wirecost" / "streams" / f"{15:016x}.sent").write_bytes(content)
    assert follow(15) is None
