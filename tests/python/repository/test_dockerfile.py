# SPDX-License-Identifier: Apache-2.0
"""The Dockerfile gives what the README's commands give on a bare Debian 12. No Docker is needed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).parents[3]


def instructions() -> list[tuple[str, str]]:
    """Each instruction with its arguments; continued lines are joined."""
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in lines)]


def patterns(name: str) -> list[str]:
    lines = (ROOT / name).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_it_starts_from_the_readmes_system_and_installs_what_a_bare_one_needs() -> None:
    (base,) = [rest for name, rest in instructions() if name == "FROM"]
    assert base == "debian:12"
    assert "Debian 12" in (ROOT / "README.md").read_text()
    (install,) = [rest for _, rest in instructions() if "apt-get install" in rest]
    words = shlex.split(install.partition("apt-get install")[2])
    packages = [word for word in words if not word.startswith("-")]
    assert packages == patterns("setup/debian-bare.txt")


def test_its_commands_are_the_readmes() -> None:
    (command,) = [json.loads(rest) for name, rest in instructions() if name == "CMD"]
    comments = re.findall(r"^# .*", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    readme, makefile = (ROOT / "README.md").read_text(), (ROOT / "Makefile").read_text()
    assert command == ["make", "run"]
    for target in ("run", "test"):
        assert f"make {target}" in readme
        assert any(f"make {target}" in line for line in comments)
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_a_build_installs_and_leaves_measuring_to_the_run() -> None:
    built = [shlex.split(rest) for name, rest in instructions() if name == "RUN"]
    assert [words for words in built if words[0] == "make"] == [["make", "install"]]
    order = [name for name, _ in instructions()]
    assert order.index("COPY") < len(order) - 1 - order[::-1].index("RUN")


def test_only_tracked_files_are_copied() -> None:
    """Git's patterns hold at every depth unless they begin with a slash; Docker's at none."""
    ignored = [one.rstrip("/") for one in patterns(".gitignore")]
    docker = [one[1:] if one.startswith("/") else f"**/{one}" for one in ignored]
    assert set(docker) | {".git"} == set(patterns(".dockerignore"))
