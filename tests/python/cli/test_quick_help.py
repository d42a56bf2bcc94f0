# SPDX-License-Identifier: Apache-2.0
"""Help and completion import what lists a command's options, none of its work; answers, their own.

``python -m acceptance.help_times`` prints how long they take."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from cost.drives import mcap
from recordings.small import small_recording
from support.commands import commands
from support.programs import execute
from wirecost.system.extras import EXTRAS, REQUIRED

HEAVY = sorted(
    REQUIRED - {"nanobind_backend"}  # of a millisecond, which the extensions import
    | set[str]().union(*EXTRAS.values())
    | {"asyncio", "concurrent.futures", "google.protobuf", "grpc", "grpc_tools", "jinja2"}
    | {"multiprocessing", "pandas", "pydantic", "scipy", "torch", "zmq"}
)
"""All that extras bring, and what else is slow to import."""
TRACE = Path(__file__).parents[2] / "data" / "lttng" / "trace"
PROGRAM = """\
import io, json, os, sys
from contextlib import redirect_stdout, suppress
import typer
from typer.completion import completion_init
from wirecost.cli import app

completion_init()
group = typer.main.get_command(app)
complete, heavy, every = json.load(sys.stdin)
found = {}
for words in every:
    printed = io.StringIO()
    if complete:
        os.environ["_WIRECOST_COMPLETE"] = "complete_bash"
        os.environ["COMP_WORDS"] = " ".join(["wirecost", *words, "--"])
        os.environ["COMP_CWORD"] = str(len(words) + 1)
    with redirect_stdout(printed), suppress(SystemExit):
        group.main([] if complete else [*words, "-h"], prog_name="wirecost")
    found[" ".join(words)] = printed.getvalue(), sorted(set(heavy) & set(sys.modules))
json.dump(found, sys.stdout)
"""


@pytest.mark.parametrize("complete", [False, True], ids=["help", "completion"])
def test_nothing_heavy_is_imported(complete: bool) -> None:
    """By one process for all commands, so that the first that imports something is named."""
    every = [list(words) for words in commands()]
    done = execute(
        [sys.executable, "-c", PROGRAM], input=json.dumps([complete, HEAVY, every]), check=True
    )
    found: dict[str, tuple[str, list[str]]] = json.loads(done.stdout)
    assert len(found) == len(every) > 40
    first = next((words for words, (_, heavy) in found.items() if heavy), None)
    assert first is None, f"wirecost {first} imports {', '.join(found[first][1])}"
    for words, (printed, _) in found.items():
        assert "--help" in printed if complete else f"Usage: wirecost {words} " in printed


WORK = """\
import json, sys
from contextlib import suppress
from wirecost.__main__ import main

heavy = sys.argv.pop().split(",")
with suppress(SystemExit):
    main()
print(json.dumps(sorted(set(heavy) & set(sys.modules))), file=sys.stderr)
"""
DRAWING = ("altair", "jinja2", "jsonschema", "narwhals")
OF_OTHER_WORK = (
    *DRAWING, "psutil", "pyarrow", "pydantic", "scipy", "wirecost.messaging.transport"
)  # fmt: skip
OF_OTHER_RECORDINGS = ("polars", "wirecost.schema.compile.compiler")


@pytest.mark.parametrize(
    ("words", "others"),
    [(("cost",), (*OF_OTHER_WORK, *OF_OTHER_RECORDINGS)), (("probe", "show"), OF_OTHER_WORK)],
    ids=["cost", "probe show"],
)
def test_an_answer_imports_what_it_needs(
    words: tuple[str, ...], others: tuple[str, ...], tmp_path: Path
) -> None:
    """What is imported in vain is most of what a small answer takes."""
    file = small_recording(tmp_path, "mcap_file") if words == ("cost",) else TRACE
    assert imported((*words, str(file)), others) == []


def test_the_cost_of_numbers_and_texts_needs_no_other_reader(tmp_path: Path) -> None:
    """Of a cloud, rosbags reads some messages."""
    text = ("/status", "cdr", "std_msgs/msg/String", "ros2msg", b"string data\n")
    mcap(tmp_path / "a.mcap", [text], [(0, 10**9, b"\0\1\0\0\2\0\0\0a\0"), (0, 2 * 10**9, b"")])
    assert imported(("cost", str(tmp_path / "a.mcap")), ("rosbags", *OF_OTHER_RECORDINGS)) == []


def imported(words: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    """Return what a command imports of these."""
    done = execute([sys.executable, "-c", WORK, *words, ",".join(others)], check=True)
    assert done.stdout
    found: list[str] = json.loads(done.stderr.splitlines()[-1])
    return found
