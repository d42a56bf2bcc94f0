# SPDX-License-Identifier: Apache-2.0
"""Of messages that nothing sends, codecs take turns: half as many, or generated code."""

from __future__ import annotations

import os
from pathlib import Path
from typing import cast

import pytest

from recordings.small import small_recording
from wirecost.data.recordings.survey import survey
from wirecost.measure.cost import codec_proof
from wirecost.measure.cost.calibration import KEPT, stage_times
from wirecost.measure.cost.changes import GENERATED, HALF
from wirecost.measure.cost.prices import shipped_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.proving import proof
from wirecost.measure.cost.system_cost import system_cost
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.results.report.cost.proof_answer import proof_answer
from wirecost.system import scratch


def test_codecs_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec_proof, "ROUNDS", 1)
    path = small_recording(tmp_path, "osi")
    read = survey([path], (), lambda _done, _total, _text: None)
    pricing = Pricing(shipped_prices(), "python")
    cost = system_cost([str(path)], read, pricing, {})
    (topic,) = cost.topics
    number = next(n for n, one in enumerate(cost.remedies, 1) if one.kind == HALF)
    with scratch.run():
        halved = proof(cost, read, pricing, number, None, lambda *_: None)
        (generated,) = codec_proof.codec_turns(
            topic, read.topics[0], "python", GENERATED, lambda *_: None
        )
    (turn,) = halved.turns
    assert turn.before.bytes_per_s == 2 * turn.after.bytes_per_s
    assert min(turn.before.share, turn.after.share) > 0
    assert generated.before.bytes_per_s == generated.after.bytes_per_s
    assert min(generated.before.share, generated.after.share) > 0
    assert any("nothing is sent" in note for note in proof_answer(halved).table.notes)


def test_programs_keep_what_they_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    seen = []

    class Backend:
        lang = "cpp"

        def measured(self, *_: object) -> list[object]:
            seen.append({name: os.environ.get(name) for name in KEPT})
            return []

    with scratch.run():
        stage_times(cast(MessageBackend, Backend()), cast(Contender, None), [[b""]])
    assert seen == [KEPT]
    assert "MALLOC_TRIM_THRESHOLD_" not in os.environ
