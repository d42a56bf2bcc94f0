# SPDX-License-Identifier: Apache-2.0
"""``python written_places.py INPUTS OUT``: commands that write where nothing can be written.

Run it in a mount namespace of its own. It reads lines of arguments with ``{place}`` and
``{inputs}`` from standard input, and writes JSON to OUT: of each line and place the exit status,
what was printed on standard error, and the names below the place that are not as they were.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from wirecost.__main__ import main

FORMER = "former"


def places(folder: Path) -> dict[str, Path]:
    """Return a full and a read-only file system's folder; each has ``former`` files."""
    folders = {"full": folder / "full", "read-only": folder / "read-only"}
    for name, place in folders.items():
        place.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", name, place], check=True)
        (place / FORMER).write_text(FORMER)
        (place / "former.html").write_text(FORMER)
    try:
        with (folders["full"] / "filler").open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
    except OSError:
        pass
    subprocess.run(["mount", "-o", "remount,ro", folders["read-only"]], check=True)
    return folders


def state(place: Path) -> set[tuple[str, bytes]]:
    """Names and contents."""
    paths = place.rglob("*")
    return {
        (str(path.relative_to(place)), path.read_bytes() if path.is_file() else b"")
        for path in paths
    }


def run(words: list[str]) -> tuple[int, str]:
    """Run in this process, which has imported everything already.

    A command that gives its place to the program runs in another one."""
    if "--" in words:
        command = [sys.executable, "-m", "wirecost", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr
    printed = io.StringIO()
    sys.argv = ["wirecost", *words]
    try:
        with redirect_stderr(printed), redirect_stdout(io.StringIO()):
            main()
    except SystemExit as ended:
        return int(ended.code or 0), printed.getvalue()
    except BaseException as error:
        return -1, printed.getvalue() + repr(error)
    return 0, printed.getvalue()


if __name__ == "__main__":
    os.environ |= {"COLUMNS": "200", "NO_COLOR": "1"}
    inputs, out = map(Path, sys.argv[1:])
    lines = sys.stdin.read().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-t", "tmpfs", "places", folder], check=True)
        found = places(Path(folder))
        results = []
        for line in lines:
            for name, place in found.items():
                before = state(place)
                words = shlex.split(line.format(place=place, inputs=inputs))
                status, said = run(words)
                changed = sorted({name for name, _ in before ^ state(place)})
                results.append([line, name, status, said.replace(str(place), "PLACE"), changed])
        for place in found.values():
            subprocess.run(["umount", place], check=True)
        subprocess.run(["umount", folder], check=True)
    out.write_text(json.dumps(results))
