# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench notification``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.cli.options import numbers, option
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.measure.bench.message.choices import LANGUAGES
from wirecost.measure.bench.message.choices import NOTIFICATION_CONTENTS as CONTENTS
from wirecost.measure.bench.message.choices import NOTIFICATION_MODES as MODES
from wirecost.measure.bench.message.choices import NOTIFICATION_WIRES as WIRES
from wirecost.system.chosen import chosen

EXAMPLE = "wirecost bench notification --lang cpp,python"


def command(
    lang: Annotated[
        str, option("Languages, comma-separated.", known=LANGUAGES)
    ] = "cpp,python,java",
    sizes: Annotated[
        str, option("Size factors: lengths of the byte strings.", metavar="N,N,…")
    ] = "4,8,16,32,64,128",
    modes: Annotated[
        str,
        option(
            "Modes, comma-separated. new: new objects, memory from malloc; recycled: new "
            "objects, small blocks from a free list of the codec's own.",
            known=MODES,
        ),
    ] = ",".join(MODES),
    wire: Annotated[str, option("Wires, comma-separated.", known=WIRES)] = "protobuf,ros1,cdr",
    content: Annotated[
        str,
        option(
            "ticket: the message of the ticket; realistic: epoch times, ids, varied lengths.",
            known=CONTENTS,
        ),
    ] = "ticket,realistic",
    repetitions: Annotated[
        int, option("Samples of each stage, in all processes.", metavar="N")
    ] = 30,
    processes: Processes = PROCESSES,
    allocators: Annotated[
        str | None,
        option(
            f"Comma-separated, for the C++ contenders: {', '.join(NAMED)}. Default: the one "
            "with which wirecost was started.",
            known=NAMED,
        ),
    ] = None,
    seed: Annotated[int, option("Seed of the content.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """A small message by Protobuf, ROS and generated codecs, in C++, Python and Java."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.message.presets import notification

    settings = notification.NotificationSettings(
        chosen("--lang", lang, LANGUAGES),
        tuple(numbers("--sizes", sizes)),
        chosen("--modes", modes, MODES),
        chosen("--content", content, CONTENTS),
        chosen("--wire", wire, WIRES),
        repetitions,
        seed,
        processes,
        chosen("--allocators", allocators, NAMED) if allocators else (),
    )
    settings.check()
    measure_and_report(notification.SCENARIO, out, json_file, partial(notification.run, settings))
