# SPDX-License-Identifier: Apache-2.0
"""Programs that a recording of another user or machine would start, for the user to agree to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirecost.replay.play.options import StartOptions
from wirecost.replay.recording.snapshot import Snapshot
from wirecost.system.foreign import printable, shell_line, shortened

MOST_OF_LINE = 1500
"""Characters of a refusal for the command, and as many for the variables."""


@dataclass(frozen=True)
class Foreign:
    """All of it is printable. ``variables``: those that are not set so here already."""

    command: str
    directory: str
    variables: list[str]

    def line(self) -> str:
        """On one line, shortened."""
        variables = " ".join(self.variables)
        start = f"{shortened(self.command, MOST_OF_LINE)} in {shortened(self.directory, 300)}"
        return f"{start} with {shortened(variables, MOST_OF_LINE)}" if variables else start

    def lines(self) -> list[str]:
        """Return it whole: the command, the folder, the variables."""
        return [self.command, f"in {self.directory}", *(f"with {text}" for text in self.variables)]


def foreign(
    snapshot: Snapshot, start_options: StartOptions, here: Mapping[str, str]
) -> Foreign | None:
    """Return None where all that is started was recorded or given by this user."""
    process = snapshot.process
    if snapshot.made_here or process is None:
        return None
    variables = [
        f"{printable(name)}={shell_line(value)}"
        for name, value in sorted(process.environment.items())
        if here.get(name) != value
    ]
    if start_options.command and not variables:
        return None
    command = start_options.command or process.arguments
    program = start_options.command[0] if start_options.command else process.executable
    # The program's name for itself, its first argument, can be any other.
    words = [program, *command[1:]]
    directory = "this folder" if start_options.command else printable(process.working_directory)
    return Foreign(shell_line(*words), directory, variables)
