# SPDX-License-Identifier: Apache-2.0
"""Why an input was sent later than it was due."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from wirecost.replay.play.matching import Sent

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
    """For each message what held it up, however short; None where it was sent when due.

    ``sent`` in the order of sending. A message that is due while another is being sent waits for
    it. Else the player slept, and either the kernel woke it too late, or it was awake in time and
    lost its CPU, to another task or, in a virtual machine, to the host. What was due before the
    sending of the one before even began was held up by the same as that.
    """
    found: list[str | None] = []
    busy_until = former_ns = 0
    for one in sent:
        if one.before_ns <= one.due_ns:
            found.append(None)
        elif found and former_ns > one.due_ns:
            found.append(found[-1] or SENDING)
        elif busy_until > one.due_ns:
            found.append(SENDING)
        else:
            found.append(WOKEN if one.ready_ns > one.due_ns else PREEMPTED)
        busy_until, former_ns = max(busy_until, one.after_ns), one.before_ns
    return found


def inputs_table(runs: Sequence[Sequence[Sent]]) -> pl.DataFrame:
    """A row for each message of each run, in the order of sending; columns ``INPUTS``."""
    rows = [
        (one.topic, one.index, number, one.bytes,
         one.due_ns, one.ready_ns, one.before_ns, one.after_ns, cause)
        for number, sent in enumerate(runs, start=1)
        for one, cause in zip(sent, causes(sent), strict=True)
    ]  # fmt: skip
    return pl.DataFrame(rows, schema=INPUTS, orient="row")
