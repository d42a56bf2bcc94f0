# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a command."""

from __future__ import annotations

import sys

import typer

from wirecost.cli import (
    bench_cloud,
    bench_heap,
    bench_lists,
    bench_map,
    bench_notification,
    bench_osi,
    bench_probe,
    bench_tensor,
    columns,
    compare,
    compile,
    doctor,
    heap,
    log,
    probe,
    record,
    replay,
    report,
    trace,
    transports,
)
from wirecost.errors import UserError

app = typer.Typer(
    help="What a message costs from one component to the next, and how to make it cheap.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
bench = typer.Typer(help="Measure a scenario on this machine.", no_args_is_help=True)
app.add_typer(bench, name="bench")
app.add_typer(trace.app, name="trace")
app.add_typer(columns.app, name="columns")
app.add_typer(heap.app, name="heap")
app.add_typer(probe.app, name="probe")
bench.command("cloud")(bench_cloud.command)
bench.command("heap")(bench_heap.command)
bench.command("lists")(bench_lists.command)
bench.command("map")(bench_map.command)
bench.command("notification")(bench_notification.command)
bench.command("osi")(bench_osi.command)
bench.command("probe")(bench_probe.command)
bench.command("tensor")(bench_tensor.command)
app.command("compare")(compare.command)
app.command("compile")(compile.command)
app.command("record")(record.command)
app.command("replay")(replay.command)
app.command("report")(report.command)
app.command("log")(log.command)
app.command("doctor")(doctor.command)
app.command("transports")(transports.command)


def main() -> None:
    try:
        app()
    except UserError as error:
        print(f"wirecost: {error}", file=sys.stderr)
        sys.exit(2)
