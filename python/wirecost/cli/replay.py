# SPDX-License-Identifier: Apache-2.0
"""``wirecost replay``: a recorded node alone, with what it received, on the cores you choose."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from wirecost.cli.ending import Output, answering
from wirecost.cli.options import RecordingPath, argument, duration, option
from wirecost.cli.remedy_option import Remedies
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

EXAMPLE = "wirecost replay recording --repeat 5"
JOINED_S = 30.0
POOL = "64MiB"

HEAP_WARMUP_S = 5


@answering(report=False)
def command(
    recording: Annotated[
        Path,
        argument(
            "DIR",
            "The recording: a folder that wirecost record made.",
        ),
        RecordingPath("a folder of wirecost record"),
    ],
    override: Annotated[
        list[str] | None, argument("-- COMMAND", "Start this instead of the recorded program.")
    ] = None,
    cpu: Annotated[
        int | None, option("The node's CPU; default: as recorded.", metavar="N", min=0)
    ] = None,
    player_cpu: Annotated[
        int | None, option("The CPU from which the inputs are sent.", metavar="N", min=0)
    ] = None,
    player_fifo: Annotated[
        int | None,
        option(
            "SCHED_FIFO priority of the sender, 0 for none; default: 1 where permitted.",
            metavar="N",
            min=0,
        ),
    ] = None,
    rate: Annotated[
        float, option("Playback speed: 2 plays twice as fast as recorded.", metavar="X")
    ] = 1.0,
    consumed: Annotated[
        bool,
        option(
            "Send each input when the node has finished the previous one.", "--as-fast-as-consumed"
        ),
    ] = False,
    loops: Annotated[
        int, option("Play the inputs N times in each run.", "--loop", metavar="N", min=1)
    ] = 1,
    fifo: Annotated[
        int | None, option("Run the node under SCHED_FIFO with this priority.", metavar="N")
    ] = None,
    heap: Annotated[
        bool, option("Run the node with the allocator of wirecost heap.", "--heap")
    ] = False,
    pool: Annotated[
        str, option("With --heap: memory to touch at the start.", metavar="SIZE|auto")
    ] = POOL,
    hooks: Annotated[
        bool, option("Record callbacks of a ROS 1 node that has no probes.", "--hooks/--no-hooks")
    ] = True,
    repeats: Annotated[
        int, option("Number of runs; each starts the node.", "--repeat", metavar="N", min=1)
    ] = 1,
    connect_s: Annotated[
        float,
        duration(
            "How long to wait until the node has joined its topics.", "--wait", default=JOINED_S
        ),
    ] = JOINED_S,
    prime: Annotated[
        bool,
        option(
            "Send the first inputs once beforehand, for nodes that advertise their topics only "
            "then.",
            "--prime/--no-prime",
        ),
    ] = True,
    out: Annotated[
        Path | None, option("Result folder; default results/<time>-replay.", metavar="DIR")
    ] = None,
    page: Annotated[
        bool, option("Write report.html with figures; --try writes none.", "--report/--no-report")
    ] = True,
    own_network: Annotated[
        bool, option("Give node and player a loopback network only; as root.", "--own-network")
    ] = False,
    attempt: Annotated[
        bool, option("Replay again with each remedy, and print what each gained.", "--try")
    ] = False,
    remedies: Remedies = None,
    yes: Annotated[
        bool, option("Do not ask before starting another user's recording.", "--yes", "-y")
    ] = False,
    *,
    output: Output,
) -> Answer:
    """Play a recording to its node alone and report what that cost.

    Your own recordings of this machine start without asking; others only after you confirm.
    """
    from wirecost.cli.replay_run import agree, replay_and_report, try_and_report
    from wirecost.observe.heap.launch import Options, pool_bytes
    from wirecost.observe.trial.remedy import chosen_remedies
    from wirecost.replay.play.foreign import foreign
    from wirecost.replay.play.options import PlayOptions, StartOptions
    from wirecost.replay.play.own_network import enter as own_network_of_replay
    from wirecost.replay.play.replay import Settings
    from wirecost.replay.recording.snapshot import read_snapshot

    if not 0 < rate < float("inf"):
        raise UserError(f"--rate {rate:g}: must be positive")
    if consumed and rate != 1.0:
        raise UserError("--rate and --as-fast-as-consumed: choose one")
    if remedies is not None and not attempt:
        raise UserError(f"--remedies {remedies}: needs --try")
    if pool != POOL and not heap:
        raise UserError(f"--pool {pool}: needs --heap")
    tried = chosen_remedies("--remedies", remedies)
    options = None
    if heap:
        size = pool_bytes(pool, Path("wirecost-heap.json"))
        options = Options(size, False, False, False, None, HEAP_WARMUP_S)
    settings = Settings(
        recording,
        StartOptions(override or [], cpu, fifo, options, hooks=hooks),
        PlayOptions(rate, consumed, loops, player_cpu, player_fifo, connect_s, prime),
        repeats,
        sys.argv[1:],
    )  # fmt: skip
    snapshot = read_snapshot(recording)
    agree(output.console, recording, foreign(snapshot, settings.start_options, os.environ), yes)
    if own_network:
        own_network_of_replay()
    if attempt:
        return try_and_report(settings, snapshot, tried, out, output.console)
    return replay_and_report(settings, snapshot, out, output.console, page)
