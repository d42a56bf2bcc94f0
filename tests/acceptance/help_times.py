# SPDX-License-Identifier: Apache-2.0
"""Times of help and TAB for every command.

Run ``PYTHONPATH=tests:tests/python .venv/bin/python -m acceptance.help_times [ROUNDS]``.

Each is a fresh process, and every round asks for each once. TAB is pressed behind ``--``, for names
of options, and behind each option whose values are completed. Times are elapsed ones; processor
time is that of user and system. The floor is what Python and Typer take for a command without
options."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from support.commands import commands
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

ROUNDS = 10
ASKED_MS = 300
SHOWN = 10
NOTHING = ("echo TAB", "hz TAB")
"""Open topics are completed, of which there may be none."""
FLOOR = """\
import typer
app = typer.Typer()
@app.command()
def command() -> None: pass
app()
"""


@dataclass
class Asked:
    """``words``: of the process; ``elapsed``, ``processor``: milliseconds, one a round."""

    name: str
    words: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    elapsed: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    def ask(self) -> None:
        """Run the command. Raises RuntimeError where nothing is printed."""
        began = time.perf_counter()
        process = subprocess.Popen(
            self.words,
            env={**os.environ, **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stderr is not None
        printed, errors = process.stdout.read(), process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.elapsed.append(1000 * (time.perf_counter() - began))
        self.processor.append(1000 * (usage.ru_utime + usage.ru_stime))
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode or errors or not (printed or self.name.endswith(NOTHING)):
            raise RuntimeError(f"{self.name}: {process.returncode}: {printed}{errors}")

    def row(self) -> list[str]:
        times = (statistics.median(self.elapsed), min(self.elapsed), min(self.processor))
        return [self.name, *(f"{milliseconds:.0f}" for milliseconds in times)]


def asked() -> list[Asked]:
    """Return the floor, lists of groups, and of each command its help and completions."""
    wirecost = [sys.executable, "-m", "wirecost"]
    invocations = [Asked("floor", [sys.executable, "-c", FLOOR, "--help"])]
    every = commands()
    groups = sorted({words[:length] for words in every for length in range(len(words))})
    for group in groups:
        invocations.append(Asked(f"{' '.join(group)} -h".strip(), [*wirecost, *group, "-h"]))
        invocations.append(_tab(wirecost, [*group, ""]))
    for words, command in every.items():
        invocations.append(Asked(f"{' '.join(words)} -h", [*wirecost, *words, "-h"]))
        invocations.append(_tab(wirecost, [*words, "--"]))
        for option in command.params:
            if option._custom_shell_complete is not None:
                name = option.opts[:1] if option.param_type_name == "option" else []
                invocations.append(_tab(wirecost, [*words, *name, ""]))
    return invocations


def _tab(wirecost: list[str], words: list[str]) -> Asked:
    environment = {
        "_WIRECOST_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(["wirecost", *words]),
        "COMP_CWORD": str(len(words)),
    }
    # Typer takes the name of the variable from that of the program.
    program = "import sys; sys.argv[0] = 'wirecost'; from wirecost.__main__ import main; main()"
    return Asked(f"{' '.join(words)}TAB", [wirecost[0], "-c", program], environment)


def main(arguments: list[str]) -> int:
    every = asked()
    for _ in range(int(arguments[0]) if arguments else ROUNDS):
        for invocation in every:
            invocation.ask()
    headings = ["command", "median ms", "least ms", "processor ms"]
    everything = [invocation.row() for invocation in every]
    print_table(Console(), Table("Help and completion", headings, everything, []))
    median: Callable[[Asked], float] = lambda one: statistics.median(one.elapsed)  # noqa: E731
    worst = [invocation.row() for invocation in sorted(every, key=median, reverse=True)[:SHOWN]]
    slow = sum(median(invocation) > ASKED_MS for invocation in every)
    notes = [f"{slow} of {len(every)} take more than {ASKED_MS} ms at the median"]
    print_table(Console(), Table(f"The slowest {SHOWN}", headings, worst, notes))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
