# SPDX-License-Identifier: Apache-2.0
"""What a person waits for: commands with their goals, and other tools for the same work."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SCHEMA = ROOT / "examples" / "consumers" / "state.proto"
FIRST_TABLE = "protobuf new"
"""End of each row of the first table of `bench message`."""
WRITE_TRACE = """\
import sys
from pathlib import Path
from support.ctf_traces import cycles, in_order, node_events, write_trace

folder, nodes, messages = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
events = []
for i in range(nodes):
    events += node_events(i + 1, f"node{i}", time_ns=1000 + 100 * i)
    events += cycles(i + 1, messages, first_ns=1_000_000 + 5_000 * i)
write_trace(folder, in_order(events), packet_events=5000)
"""
"""A program that writes a trace of nodes which answer messages."""
TRACES = {"4,932": (9, 45), "358,088": (34, 877)}
"""Nodes and messages of each, by the events of a trace."""


@dataclass(frozen=True)
class Row:
    """A command with its goal, and another tool for the same work.

    ``cache``: a folder of compiled programs, emptied before each run where ``is_cold``;
    ``is_counted``: whether its instructions can be counted in a minute; ``awaited``: text that ends
    the elapsed time on a terminal, empty for the command's end.
    """

    work: str
    words: tuple[str, ...]
    goal_s: float
    peer: tuple[str, ...] = ()
    cache: Path | None = None
    is_cold: bool = False
    is_counted: bool = True
    awaited: str = ""


def rows(folder: Path) -> list[Row]:
    """Write what the commands read into a folder, and return the rows."""
    subprocess.run(_wirecost("cost", "--example"), cwd=folder, check=True, capture_output=True)
    message = _wirecost("bench", "message", str(SCHEMA), "--lang", "cpp,python")
    return [
        Row("`wirecost -h`", _wirecost("-h"), 0.15, _there("ruff", "-h")),
        Row("`wirecost --version`", _wirecost("--version"), 0.15, _there("ruff", "--version")),
        Row("`cost`, 18 MB", _wirecost("cost", str(folder / "drive.mcap")), 0.5),
        *(of_trace(folder, name) for name in TRACES),
        Row("`bench message`, nothing compiled", message, 8.0,
            cache=folder / "cold", is_cold=True, is_counted=False, awaited=FIRST_TABLE),
        Row("`bench message`, again", message, 3.0,
            cache=folder / "warm", is_counted=False, awaited=FIRST_TABLE),
    ]  # fmt: skip


def of_trace(folder: Path, name: str) -> Row:
    """Write a trace of so many events, and return its row."""
    nodes, messages = TRACES[name]
    trace = folder / f"trace of {name} events"
    subprocess.run(
        [sys.executable, "-c", WRITE_TRACE, str(trace), str(nodes), str(messages)],
        check=True,
        env={"PYTHONPATH": str(ROOT / "tests" / "python")},
    )
    return Row(
        f"`probe show`, {name} events",
        _wirecost("probe", "show", str(trace)),
        0.5 if name == "4,932" else 1.0,
        _there("babeltrace2", str(trace)),
    )


def _wirecost(*words: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "wirecost", *words)


def _there(program: str, *words: str) -> tuple[str, ...]:
    """Return a tool's command; nothing where it is not installed."""
    beside = Path(sys.executable).with_name(program)
    path = str(beside) if beside.is_file() else shutil.which(program)
    return (path, *words) if path else ()
