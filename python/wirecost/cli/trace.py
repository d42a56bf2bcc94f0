# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace``: look into trace files, check, convert and play them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from wirecost import scratch
from wirecost.bench.contenders import Registry
from wirecost.bench.cosimulation import Values
from wirecost.bench.player import Player, play
from wirecost.cli import trace_tables as tables
from wirecost.cli.choices import completing
from wirecost.cli.console import Advance, progress
from wirecost.cli.results import INTERRUPTED
from wirecost.errors import UserError
from wirecost.report.shared import units
from wirecost.report.shared.terminal import print_table
from wirecost.traces import Frame, Trace, messages, open_trace
from wirecost.traces.check import Finding, Severity, check
from wirecost.traces.conversion import Wanted
from wirecost.traces.convert import Bound, convert
from wirecost.traces.info import info
from wirecost.traces.mcap_writer import COMPRESSIONS

app = typer.Typer(
    help="Look into OSI traces, check, convert and play them.",
    no_args_is_help=True,
    add_completion=False,
)


STDERR = Console(stderr=True)
"""Progress and warnings: standard output is for results."""


def _complete_contenders(incomplete: str) -> list[str]:
    return completing(Registry().contenders)(incomplete)


Files = Annotated[list[Path], typer.Argument(metavar="FILE…", help=".osi, .mcap or .txth")]
Input = Annotated[Path, typer.Argument(metavar="FILE", help=".osi, .mcap or .txth")]
Topic = Annotated[
    str | None, typer.Option(metavar="TOPIC", help="The channel, where an .mcap file has several.")
]
Type = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="The message type, as SensorView; else it is seen.",
        autocompletion=completing(messages.TYPES.values()),
    ),
]
Json = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the result; - is standard output."),
]


@app.command("info")
def info_command(
    files: Files, topic: Topic = None, type_name: Type = None, json_file: Json = None
) -> None:
    """Print what traces hold: frames, times, sizes, lists."""
    console = _console(json_file)
    infos = []
    with _progress() as advance:
        for path in files:
            with open_trace(path, topic, type_name, advance) as trace:
                infos.append(info(trace, advance))
    for table in tables.info_tables(infos):
        print_table(console, table)
    tables.write_json(json_file, tables.info_document(infos))


@app.command("check")
def check_command(
    files: Files, topic: Topic = None, type_name: Type = None, json_file: Json = None
) -> None:
    """Judge traces by OSI's rules and parse every frame; exit code 1 where there are errors."""
    console = _console(json_file)
    checked: dict[Path, list[Finding]] = {}
    with _progress() as advance:
        for path in files:
            try:
                with open_trace(path, topic, type_name, advance) as trace:
                    checked[path] = check(trace, advance)
            except UserError as error:
                text, _, remedy = str(error).removeprefix(f"{path}: ").rpartition("; ")
                checked[path] = [Finding(Severity.ERROR, text or remedy, remedy)]
    for path, findings in checked.items():
        console.print(str(path), style="bold", markup=False, soft_wrap=True, highlight=False)
        for one in findings:
            style = "red" if one.severity is Severity.ERROR else "yellow"
            line = f"  [{style}]{one.severity:7}[/]  "
            console.print(line, end="", highlight=False)
            console.print(
                f"{one.text}; {one.remedy}", markup=False, soft_wrap=True, highlight=False
            )
        if not findings:
            console.print("  no finding", style="green", highlight=False)
    tables.write_json(json_file, tables.check_document(checked))
    if any(one.severity is Severity.ERROR for one in chain.from_iterable(checked.values())):
        raise typer.Exit(1)


@app.command("convert")
def convert_command(
    source: Annotated[Path, typer.Argument(metavar="IN", help=".osi, .mcap or .txth")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help=".osi, .mcap or .txth")],
    columns: Annotated[
        str | None,
        typer.Option(metavar="FIELDS", help="Lists that become columns, comma-separated; all."),
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Columns become rows.")] = False,
    reduce: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=HOW", help="How a column is stored: exact, auto, float32, error:E."
        ),
    ] = None,
    also_rows: Annotated[
        bool, typer.Option("--also-rows", help="Columns beside the rows, for old readers.")
    ] = False,
    compression: Annotated[
        str,
        typer.Option(help="Of .mcap: zstd, lz4, none.", autocompletion=completing(COMPRESSIONS)),
    ] = "zstd",
    type_name: Type = None,
    topic: Topic = None,
    start: Annotated[
        str,
        typer.Option("--from", metavar="N", help="First frame: its number, or seconds as 2.5s."),
    ] = "0",
    stop: Annotated[
        str | None,
        typer.Option("--to", metavar="N", help="Frame to stop before: its number, or seconds."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT where it exists.")] = False,
) -> None:
    """Write a trace in another format, form or extent."""
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    if compression not in COMPRESSIONS:
        raise UserError(f"--compression {compression}: there are {', '.join(COMPRESSIONS)}")
    wanted = Wanted(
        tuple(columns.split(",")) if columns else (), rows, tuple(reduce or ()), also_rows
    )
    wanted.check()
    bounds = Bound.parse("--from", start), Bound.parse("--to", stop) if stop else Bound()
    with _progress() as advance, open_trace(source, topic, type_name, advance) as trace:
        done = convert(trace, out, wanted, compression, *bounds, advance)
    _warn(trace)
    messages_before, messages_after = map(units.size, done.message_bytes)
    before, after = map(units.size, done.file_bytes)
    Console(soft_wrap=True).print(
        f"{out}: {done.frames:,} frames of {trace.type_name}, messages {messages_before} → "
        f"{messages_after}, file {before} → {after}",
        highlight=False,
        markup=False,
    )


@app.command("play")
def play_command(
    file: Input,
    fmu: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A sensor FMU with OSMPSensorViewIn.")
    ] = None,
    contender: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The installed sensor FMU of a contender.",
            autocompletion=_complete_contenders,
        ),
    ] = None,
    sensor_fmi: Annotated[int, typer.Option(help="FMI version of a contender's FMU, 2 or 3.")] = 2,
    rate: Annotated[
        float | None, typer.Option(metavar="X", help="Times the trace's own pace; default 1.")
    ] = None,
    fast: Annotated[
        bool, typer.Option("--as-fast-as-possible", help="Wait for nothing between steps.")
    ] = False,
    steps: Annotated[int | None, typer.Option(metavar="N", help="Stop after N steps.")] = None,
    loop: Annotated[
        bool, typer.Option("--loop", help="Begin again at the end, until --steps or Ctrl-C.")
    ] = False,
    topic: Topic = None,
    json_file: Json = None,
) -> None:
    """Play a trace into a sensor FMU, which reads the frames where they lie in the file."""
    if fast and rate is not None:
        raise UserError("--rate and --as-fast-as-possible: choose one")
    if rate is not None and not 0 < rate < float("inf"):
        raise UserError(f"--rate {rate:g}: must be positive")
    if steps is not None and steps < 1:
        raise UserError(f"--steps {steps}: at least 1 step is needed")
    console = _console(json_file)
    playing, interrupted = tables.Playing(), False
    with (
        _sensor(fmu, contender, sensor_fmi) as (archive, values),
        open_trace(file, topic) as trace,
        _progress() as advance,
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
                    playing.add(step.step_ns, counts)
                    advance(len(playing.step_ns), total, f"playing {file.name}")
        except KeyboardInterrupt:
            interrupted = True
    _warn(trace)
    if not playing.step_ns:
        raise UserError(f"{file}: no frame was played; `wirecost trace check` says why")
    for table in tables.playing_tables(f"{file.name} · {archive.name}", playing):
        print_table(console, table)
    tables.write_json(json_file, tables.playing_document(file, archive, playing))
    if interrupted:
        raise typer.Exit(INTERRUPTED)


@contextmanager
def _sensor(fmu: Path | None, contender: str | None, fmi: int) -> Iterator[tuple[Path, Values]]:
    """The FMU that is played into, and the parameters it gets. Raises UserError."""
    if (fmu is None) == (contender is None):
        raise UserError("give one of --fmu and --contender")
    if fmi not in (2, 3):
        raise UserError(f"--sensor-fmi {fmi}: FMI 2 and FMI 3 are offered")
    if fmu is not None:
        yield fmu, {}
        return
    registry = Registry()
    (chosen,) = registry.select([contender or ""])
    if not chosen.schema.endswith(".fds"):
        raise UserError(
            f"--contender {chosen.name}: reads {chosen.wire}, traces hold Protobuf; choose "
            + " or ".join(c.name for c in registry.contenders.values() if c.schema.endswith(".fds"))
        )
    if missing := registry.missing("release", [chosen.name]):
        registry.make("release", missing)
    with scratch.folder("play") as logs:
        yield registry.archive(chosen.name, "sensor", fmi, "release"), {"log_folder": str(logs)}


def _frames(trace: Trace, loop: bool) -> Iterator[Frame]:
    for _ in repeat(None) if loop else range(1):
        none = True
        for frame in trace.frames():
            none = False
            yield frame
        if none:
            return


def _counted(type_name: str, message: memoryview) -> dict[str, int]:
    try:
        counts = messages.lists(messages.parse(type_name, message))
    except ValueError:
        return {}
    return {f"{type_name}.{path}": count for path, count in counts.items()}


@contextmanager
def _progress() -> Iterator[Advance]:
    """Progress whose texts may hold any file name."""
    with progress(STDERR) as advance:
        yield lambda done, total, text: advance(done, total, escape(text))


def _console(json_file: Path | None) -> Console:
    """Standard output belongs to the JSON where that goes there."""
    return Console(stderr=json_file == Path("-"))


def _warn(trace: Trace) -> None:
    for warning in trace.warnings:
        STDERR.print(f"warning: {warning}", soft_wrap=True, highlight=False, markup=False)
