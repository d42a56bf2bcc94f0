# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace play``: a trace into a sensor FMU."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import option
from wirecost.cli.trace_options import File, Topic, warn
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.results.report.shared.answer import Answer
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.data.traces import Frame, Trace
    from wirecost.measure.bench.osi.fmu import Values

EXAMPLE = "wirecost trace play drive.mcap --fmu sensor.fmu"


@answering()
def command(
    file: File,
    fmu: Annotated[
        Path | None, option("A sensor FMU with OSMPSensorViewIn.", metavar="PATH")
    ] = None,
    contender: Annotated[
        str | None,
        option(
            "Use the installed sensor FMU of this contender.",
            metavar="NAME",
            known=lambda: Registry().contenders,
        ),
    ] = None,
    sensor_fmi: Annotated[
        int | None,
        option("With --contender: FMI version of its FMU, 2 or 3; default 2.", metavar="N"),
    ] = None,
    rate: Annotated[
        float | None,
        option("Playback speed: 2 plays twice as fast as recorded; default 1.", metavar="X"),
    ] = None,
    fast: Annotated[bool, option("Do not wait between steps.", "--as-fast-as-possible")] = False,
    steps: Annotated[int | None, option("Stop after N steps.", metavar="N")] = None,
    loop: Annotated[bool, option("Repeat the trace until --steps or Ctrl-C.", "--loop")] = False,
    topic: Topic = None,
) -> Answer:
    """Play a trace into a sensor FMU, which reads the frames from the memory-mapped file."""
    from wirecost.cli.measuring import INTERRUPTED
    from wirecost.cli.trace_played import Played, played_answer
    from wirecost.data.traces import open_trace
    from wirecost.measure.bench.osi.player import Player, play

    if fast and rate is not None:
        raise UserError("--rate and --as-fast-as-possible: choose one")
    if rate is not None and not 0 < rate < float("inf"):
        raise UserError(f"--rate {rate:g}: must be positive")
    if steps is not None and steps < 1:
        raise UserError(f"--steps {steps}: at least 1 step is needed")
    played, interruption = Played(), None
    with (
        _sensor(fmu, contender, sensor_fmi) as (archive, values),
        open_trace(file, topic) as trace,
        progress() as advance,
    ):
        if trace.type_name != "SensorView":
            raise UserError(f"{file}: holds {trace.type_name}; a sensor reads SensorView")
        frames = islice(_frames(trace, loop), steps)
        total = steps or (0 if loop else trace.frame_count or 0)
        try:
            with Player(archive, values) as player:
                for step in play(player, frames, None if fast else rate or 1.0):
                    counts = _counted("SensorView", step.frame)
                    counts |= _counted("SensorData", memoryview(step.sensor_data))
                    played.add(step.step_ns, counts)
                    advance(len(played.step_ns), total, f"playing {file.name}")
        except KeyboardInterrupt as error:
            interruption = error
    warn(trace)
    if not played.step_ns:
        if interruption is not None:
            raise interruption
        raise UserError(
            f"{file}: no frame was played; see `wirecost trace check {shell_line(file)}`"
        )
    return played_answer(file, archive, played, INTERRUPTED if interruption is not None else 0)


@contextmanager
def _sensor(
    fmu: Path | None, contender: str | None, fmi: int | None
) -> Iterator[tuple[Path, Values]]:
    """Yield the FMU that is played into, and its parameters. Raises UserError."""
    if (fmu is None) == (contender is None):
        raise UserError("choose one of --fmu and --contender")
    if fmi not in (2, 3, None):
        raise UserError(f"--sensor-fmi {fmi}: must be 2 or 3")
    if fmu is not None:
        if fmi is not None:
            raise UserError("--sensor-fmi: is for --contender; leave it out")
        yield fmu, {}
        return
    registry = Registry()
    (chosen,) = registry.select([contender or ""])
    if not chosen.schema.endswith(".fds"):
        readers = (c.name for c in registry.contenders.values() if c.schema.endswith(".fds"))
        raise UserError(
            f"--contender {chosen.name}: reads {chosen.wire}, but traces hold Protobuf; choose "
            + " or ".join(readers)
        )
    if missing := registry.missing("release", [chosen.name]):
        typer.echo(registry.effort("release", missing), err=True)
        registry.make("release", missing)
    with scratch.folder("play") as logs:
        yield (
            registry.archive(chosen.name, "sensor", fmi or 2, "release"),
            {"log_folder": str(logs)},
        )


def _frames(trace: Trace, loop: bool) -> Iterator[Frame]:
    for _ in repeat(None) if loop else range(1):
        none = True
        for frame in trace.frames():
            none = False
            yield frame
        if none:
            return


def _counted(type_name: str, message: memoryview) -> dict[str, int]:
    from wirecost.data.traces import messages

    try:
        counts = messages.lists(messages.parse(type_name, message))
    except ValueError:
        return {}
    return {f"{type_name}.{path}": count for path, count in counts.items()}
