# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a command."""

from __future__ import annotations

import sys
from typing import Annotated

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
from wirecost.installation import installation

app = typer.Typer(
    help="What a message costs from one component to the next, and how to make it cheap.",
    invoke_without_command=True,
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


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Version, commit, compiler, wheel or checkout.")
    ] = False,
    cmake_dir: Annotated[
        bool, typer.Option("--cmake-dir", help="Where find_package(wirecost) looks: wirecost_DIR.")
    ] = False,
    include_dir: Annotated[
        bool, typer.Option("--include-dir", help="The headers for C and C++ programs.")
    ] = False,
    pkgconfig_dir: Annotated[
        bool, typer.Option("--pkgconfig-dir", help="For PKG_CONFIG_PATH.")
    ] = False,
) -> None:
    if context.invoked_subcommand is not None:
        return
    if version:
        print(installation())
    elif cmake_dir:
        print(installation().cmake)
    elif include_dir:
        print(installation().include)
    elif pkgconfig_dir:
        print(installation().pkgconfig)
    else:
        print(context.get_help())


def main() -> None:
    try:
        app()
    except UserError as error:
        print(f"wirecost: {error}", file=sys.stderr)
        sys.exit(2)
