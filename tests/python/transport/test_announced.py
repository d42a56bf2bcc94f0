# SPDX-License-Identifier: Apache-2.0
"""Open publishers, as others of the same user list them."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.transport_peer import runtime_folder
from wirecost.messaging.transport.shared.announced import Announced, announced
from wirecost.messaging.transport.shared.progress import MOST_ANNOUNCED, Progress
from wirecost.system.errors import UserError
from wirecost.system.locks import hold

PROGRAM = """
from wirecost.transport.shared.progress import Progress
made = Progress(9)
made.announce(b"nine")
print(flush=True)
input()
"""


@pytest.fixture(autouse=True)
def streams() -> Iterator[Path]:
    with runtime_folder() as folder:
        streams = folder / "wirecost" / "streams"
        streams.mkdir(parents=True, mode=0o700)
        yield streams


def test_what_is_open_is_listed_with_its_number() -> None:
    first, silent = Progress(1), Progress(2)
    assert announced() == []
    first.announce(b"one")
    first.sent[0] = 2**40
    assert announced() == [Announced(2**40, b"one")]
    first.announce(b"a longer text")
    first.announce(b"1")
    assert announced() == [Announced(2**40, b"1")]
    first.announce(b"x" * MOST_ANNOUNCED)
    first.announce(b"x" * (MOST_ANNOUNCED + 1))
    (announcement,) = announced()
    assert len(announcement.text) == MOST_ANNOUNCED
    first.close()
    first.announce(b"after its end")
    silent.close()
    assert announced() == []


def test_a_killed_process_is_cleared_away(streams: Path) -> None:
    killed = subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert killed.stdout
    killed.stdout.readline()
    assert announced() == [Announced(0, b"nine")]
    killed.kill()
    killed.communicate()
    assert list(streams.iterdir())
    assert announced() == []
    assert list(streams.iterdir()) == []


def written(text: bytes, length: int | None = None, checksum: int | None = None) -> bytes:
    length = len(text) if length is None else length
    checksum = zlib.crc32(text) if checksum is None else checksum
    return struct.pack("<QII", 7, length, checksum) + text


DAMAGED = {
    "empty": b"",
    "half a number": b"1234",
    "number alone": struct.pack("<Q", 3),
    "no text": written(b""),
    "cut": written(b"some text", 20),
    "changed": written(b"some text", None, 5),
    "endless": written(b"x" * 100_000),
    "lengthy": written(b"x", 2**32 - 1),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_files_are_left_out(streams: Path, content: bytes) -> None:
    whole = Progress(1)
    whole.announce(b"whole")
    path = streams / f"{5:016x}.sent"
    lock = hold(path)
    path.write_bytes(content)
    assert announced() == [Announced(0, b"whole")]
    lock.release()
    whole.close()


def test_what_is_no_file_is_left_alone(streams: Path) -> None:
    elsewhere = streams.parent / "elsewhere"
    elsewhere.write_bytes(written(b"elsewhere"))
    os.mkfifo(streams / "fifo.sent")
    (streams / "folder.sent").mkdir()
    (streams / "link.sent").symlink_to(elsewhere)
    (streams / "other.txt").write_text("something else")
    with ExitStack() as stack:
        stack.callback(hold(elsewhere).release)
        assert announced() == []
        assert len(list(streams.iterdir())) == 4


def test_a_folder_that_others_can_write_is_refused(streams: Path) -> None:
    streams.chmod(0o777)
    with pytest.raises(UserError, match=r"streams: can be written by others; remove it"):
        announced()
