# SPDX-License-Identifier: Apache-2.0
"""Results of the runs of a replay as a result folder (docs/formats/result-folder.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import msgspec
import polars as pl

from wirecost.replay.play.equality import compare_runs, compare_with_recording
from wirecost.replay.play.matching import Sent, latencies
from wirecost.replay.play.options import PlayOptions, StartOptions
from wirecost.replay.play.prepared import Prepared
from wirecost.replay.play.run import RunResult
from wirecost.results.records.folder import write_results
from wirecost.results.records.probe_log import events_of
from wirecost.results.records.run_logs import run_logs
from wirecost.results.records.schemas.common import Entry
from wirecost.results.records.schemas.replay import Repeat
from wirecost.system.whole_table import write_table

SCENARIO = "replay"
SAMPLES = pl.Schema(
    {
        "case": pl.String,
        "contender": pl.String,
        "variant": pl.String,
        "build": pl.String,
        "stage": pl.String,
        "repetition": pl.Int64,
        "run": pl.Int64,
        "index": pl.Int64,
        "ns": pl.Int64,
        "bytes": pl.Int64,
    }
)
OUTPUTS = pl.Schema(
    {
        "topic": pl.String,
        "index": pl.Int64,
        "repetition": pl.Int64,
        "digest": pl.String,
        "bytes": pl.Int64,
        "received_ns": pl.Int64,
        "input_topic": pl.String,
        "input_index": pl.Int64,
        "rule": pl.String,
        "latency_ns": pl.Int64,
    }
)


@dataclass(frozen=True)
class Context:
    """The options of a replay and where it ran. ``complete``: no run ended early."""

    recording: Path
    start_options: StartOptions
    play_options: PlayOptions
    repeats: int
    command_line: list[str]
    environment: dict[str, Entry]
    interrupted: bool | str
    complete: bool
    notes: list[str]


def write_replay(
    folder: Path, context: Context, prepared: Prepared, runs: Sequence[RunResult]
) -> None:
    """Write meta.json and the tables of samples, inputs and outputs beside the runs' own files.

    Each is whole or as it was. Raises OSError.
    """
    outputs, rules = _outputs(runs)
    samples = _samples(prepared, context, folder, runs, outputs)
    write_table(folder / "outputs.parquet", outputs)
    write_table(folder / "inputs.parquet", inputs_table([run.sent for run in runs]))
    snapshot = prepared.snapshot
    variant = _variant(context.play_options)
    equal = compare_runs([run.outputs for run in runs]) if runs else []
    latched = {joined.topic.name for joined in snapshot.outputs if joined.topic.qos.is_latched}
    recorded = (
        compare_with_recording(
            prepared.recorded.outputs, prepared.first_ns, runs[0].outputs, prepared.digests, latched
        )
        if runs
        else None
    )
    notes = [*context.notes, *(note for run in runs for note in run.notes)]
    notes += prepared.digests.notes()
    cases = samples.group_by("case", "stage", maintain_order=True).agg(pl.col("bytes").mean())
    meta = {
        "scenario": SCENARIO,
        "created": datetime.now().astimezone().isoformat(timespec="seconds"),
        "command": context.command_line,
        "repetitions": context.repeats,
        "interrupted": context.interrupted,
        "complete": context.complete,
        "environment": context.environment,
        "contenders": {snapshot.node: {"library": _program(context, prepared)}},
        "runs": [
            {
                "case": case,
                "contender": snapshot.node,
                "variant": variant,
                "build": "",
                "failure": None,
                "message_bytes": size,
                "message_digest": "",
            }
            for case, _, size in cases.rows()
        ],
        "settings": {
            "recording": str(context.recording),
            "node": snapshot.node,
            "system": snapshot.system,
            "cpu": context.start_options.cpu,
            "fifo": context.start_options.fifo,
            "heap": context.start_options.heap is not None,
            **asdict(context.play_options),
        },
        "repeats": [msgspec.to_builtins(_repeat(run)) for run in runs],
        "inputs": Counter(message.topic for run in runs for message in run.sent),
        "rules": rules,
        "equality": [asdict(result) for result in [*equal, *([recorded] if recorded else [])]],
        "notes": list(dict.fromkeys(notes)),
    }
    write_results(folder, meta, samples)


def _samples(
    prepared: Prepared,
    context: Context,
    folder: Path,
    runs: Sequence[RunResult],
    outputs: pl.DataFrame,
) -> pl.DataFrame:
    lateness = []
    if not context.play_options.consumed:
        lateness = [
            (
                f"to {message.topic}",
                "lateness",
                number,
                message.index,
                message.before_ns - message.due_ns,
                message.bytes,
            )
            for number, run in enumerate(runs, start=1)
            for message in run.sent
        ]
    matched = outputs.filter(pl.col("latency_ns").is_not_null())
    latency = [
        (f"from {topic}", "latency", run, index, ns, size)
        for topic, run, index, ns, size in matched.select(
            "topic", "repetition", "index", "latency_ns", "bytes"
        ).rows()
    ]
    rows = [*_turnarounds(folder), *latency, *lateness]
    columns = ["case", "stage", "run", "index", "ns", "bytes"]
    table = pl.DataFrame(rows, {name: SAMPLES[name] for name in columns}, orient="row")
    return table.with_columns(
        contender=pl.lit(prepared.snapshot.node),
        variant=pl.lit(_variant(context.play_options)),
        build=pl.lit(""),
        repetition=pl.int_range(pl.len()).over("case", "stage"),
    ).select(list(SAMPLES))


def _turnarounds(folder: Path) -> list[tuple[str, str, int, int, int, int]]:
    """Return sections that the node's own probes recorded."""
    rows = []
    for number, logs in run_logs(folder):
        sections = events_of(logs).filter(kind="section").sort("begin_ns")
        seen: dict[str, int] = {}
        for section, begin, end in sections.select("section", "begin_ns", "end_ns").iter_rows():
            index = seen.get(section, 0)
            seen[section] = index + 1
            rows.append((f"section {section}", "turnaround", number, index, end - begin, 0))
    return rows


def _outputs(runs: Sequence[RunResult]) -> tuple[pl.DataFrame, dict[str, Counter[str]]]:
    """Return the outputs of all runs, and by topic how many of them were matched by which rule."""
    rows = []
    rules: dict[str, Counter[str]] = {}
    for number, run in enumerate(runs, start=1):
        matched = {id(latency.output): latency for latency in latencies(run.sent, run.outputs)}
        for output in run.outputs:
            match = matched.get(id(output))
            rule = match.rule if match else None
            rules.setdefault(output.topic, Counter())[rule or "none"] += 1
            rows.append(
                (output.topic, output.index, number, output.digest, output.bytes,
                output.received_ns, match.input.topic if match else None,
                 match.input.index if match else None, rule, match.ns if match else None)
            )  # fmt: skip
    return pl.DataFrame(rows, schema=OUTPUTS, orient="row"), rules


def _repeat(run: RunResult) -> Repeat:
    counts = asdict(run.counts) if run.counts else {}
    return Repeat(
        **counts,
        played_s=round(run.played_s, 3),
        sent=len(run.sent),
        outputs=len(run.outputs),
        exit_status=run.status,
    )


def _variant(play_options: PlayOptions) -> str:
    if play_options.consumed:
        return "as fast as consumed"
    return "at recorded times" if play_options.rate == 1 else f"{play_options.rate:g} times as fast"


def _program(context: Context, prepared: Prepared) -> str:
    process = prepared.snapshot.process
    if context.start_options.command:
        return context.start_options.command[0]
    return process.executable if process else ""


SENDING, WOKEN, PREEMPTED = "another was being sent", "woken late", "preempted"
INPUTS = pl.Schema(
    {
        "topic": pl.String,
        "index": pl.Int64,
        "repetition": pl.Int64,
        "bytes": pl.Int64,
        "due_ns": pl.Int64,
        "ready_ns": pl.Int64,
        "before_ns": pl.Int64,
        "after_ns": pl.Int64,
        "cause": pl.String,
    }
)


def causes(sent: Sequence[Sent]) -> list[str | None]:
    """Return for each message what held it up, however short; None where it was sent when due.

    ``sent`` in the order of sending. A message that is due while another is being sent waits for
    it. Else the player slept, and either the kernel woke it too late, or it was awake in time and
    lost its CPU, to another task or, in a virtual machine, to the host. What was due before the
    sending of the one before even began was held up by the same as that.
    """
    reasons: list[str | None] = []
    busy_until = former_ns = 0
    for message in sent:
        if message.before_ns <= message.due_ns:
            reasons.append(None)
        elif reasons and former_ns > message.due_ns:
            reasons.append(reasons[-1] or SENDING)
        elif busy_until > message.due_ns:
            reasons.append(SENDING)
        else:
            reasons.append(WOKEN if message.ready_ns > message.due_ns else PREEMPTED)
        busy_until, former_ns = max(busy_until, message.after_ns), message.before_ns
    return reasons


def inputs_table(runs: Sequence[Sequence[Sent]]) -> pl.DataFrame:
    """Return a row for each message of each run, in the order of sending; columns ``INPUTS``."""
    rows = [
        (message.topic, message.index, number, message.bytes,
         message.due_ns, message.ready_ns, message.before_ns, message.after_ns, cause)
        for number, sent in enumerate(runs, start=1)
        for message, cause in zip(sent, causes(sent), strict=True)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=INPUTS, orient="row")
