# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost`` of probe logs and traces: what each node spends on each topic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from wirecost.results.analysis.shares import shares_of
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.report.cost.shares import shares_answer
from wirecost.results.report.probe.tables import losses
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError


def files_answer(files: Sequence[Path], refused: Sequence[str]) -> Answer:
    """Return what the nodes of logs spend. Raises UserError.

    ``refused``: options that were given and need messages.
    """
    if refused:
        raise UserError(f"{refused[0]}: needs messages; logs and traces hold times alone")
    logs = read_recorded(files)
    shares = shares_of([str(path) for path in files], event_tables(logs), logs)
    if not shares.stages:
        raise UserError(f"{files[0]}: holds no callback or section; name other logs")
    return shares_answer(msgspec.structs.replace(shares, warnings=losses(logs)))
