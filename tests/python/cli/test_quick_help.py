# SPDX-License-Identifier: Apache-2.0
"""Help and completion import what lists a command's options, none of its work; answers, their own.

``python -m acceptance.help_times`` prints how long they take."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from recordings.small import small_recording
from support.commands import commands
from support.programs import execute
from wirecost.system.extras import EXTRAS, REQUIRED

HEAVY = sorted(
    REQUIRED - {"nanobind_backend"}  # of a millisecond, which the extensions import
    | set[str]().union(*EXTRAS.values())
    | {"asyncio", "concurrent.futures", "google.protobuf", "grpc", "grpc_tools", "jinja2"}
    | {"multiprocessing", "pandas", "scipy", "torch", "zmq"}
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
OF_OTHER_WORK = (*DRAWING, "psutil", "pyarrow", "scipy", "wirecost.messaging.transport")


@pytest.mark.parametrize(
    ("words", "others"),
    [(("cost",), (*OF_OTHER_WORK, "polars")), (("probe", "show"), OF_OTHER_WORK)],
    ids=["cost", "probe show"],
)
def test_an_answer_imports_what_it_needs(
    words: tuple[str, ...], others: tuple[str, ...], tmp_path: Path
) -> None:
    """What is imported in vain is most of what a small answer takes."""
    file = small_recording(tmp_path, "mcap_file") if words == ("cost",) else TRACE
    words = (*words, str(file), ",".join(others))
    done = execute([sys.executable, "-c", WORK, *words], check=True)
    assert done.stdout
    assert json.loads(done.stderr.splitlines()[-1]) == []
