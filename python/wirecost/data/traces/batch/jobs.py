# SPDX-License-Identifier: Apache-2.0
"""Jobs: what is done to each trace, and where its output goes, checked before any work."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.data.traces import messages
from wirecost.data.traces.batch.inputs import TraceInput
from wirecost.data.traces.choices import FORMATS, TYPES
from wirecost.data.traces.conversion import Wanted, conversion
from wirecost.data.traces.convert import Bound
from wirecost.system.errors import UserError


@dataclass(frozen=True)
class Options:
    """Options that are the same for all traces."""

    wanted: Wanted
    compression: str = "zstd"
    format: str | None = None
    """One of FORMATS; None keeps each input's."""
    type_name: str | None = None
    topic: str | None = None
    start: Bound = field(default_factory=lambda: Bound(frame=0))
    stop: Bound = field(default_factory=Bound)

    def check(self) -> None:
        """Raise UserError on what no trace could be converted with."""
        if self.format is not None and self.format not in FORMATS:
            raise UserError(f"--format {self.format}: choose one of {', '.join(FORMATS)}")
        refused: UserError | None = None
        for name in [self.type_name] if self.type_name else TYPES.values():
            messages.message_class(name)
            try:
                conversion(name, self.wanted)
            except UserError as error:
                refused = error
            else:
                return
        if refused is not None:
            raise refused


@dataclass(frozen=True)
class ConversionJob:
    """One trace to convert."""

    source: TraceInput
    out: Path

    def is_done(self) -> bool:
        """Return whether the output is there, and newer than the trace.

        Outputs are written under their names when they are whole.
        """
        try:
            written = self.out.stat()
        except OSError:
            return False
        return written.st_mtime_ns >= self.source.mtime_ns


def jobs(inputs: Sequence[TraceInput], folder: Path, options: Options) -> list[ConversionJob]:
    """Return one job per input; outputs mirror the inputs below ``folder``.

    Raises UserError where two inputs would give one output, and where an output would lie among the
    inputs.
    """
    by_path: dict[Path, ConversionJob] = {}
    for source in inputs:
        suffix = f".{options.format}" if options.format else source.path.suffix
        out = folder / source.relative.with_suffix(suffix)
        if out in by_path:
            raise UserError(
                f"{by_path[out].source.path} and {source.path}: both would become {out}; rename "
                "one, or convert them into different folders"
            )
        by_path[out] = ConversionJob(source, out)
    for out, job in by_path.items():
        for around in out.relative_to(folder).parents:
            if folder / around in by_path:
                raise UserError(
                    f"{by_path[folder / around].source.path}: would become {folder / around}, "
                    f"which has to be a folder for {job.source.path}; rename one"
                )
    _refuse_among_inputs(inputs, folder)
    return list(by_path.values())


def _refuse_among_inputs(inputs: Sequence[TraceInput], folder: Path) -> None:
    """Raise UserError for a folder among the inputs: a second run would convert its outputs."""
    place = os.path.realpath(folder)
    for parent in {source.path.parent for source in inputs}:
        around = os.path.realpath(parent)
        if os.path.commonpath([place, around]) == place:
            raise UserError(
                f"{folder}: the traces of {parent} lie in it; choose an output folder next to the "
                "inputs"
            )
