# SPDX-License-Identifier: Apache-2.0
"""All attacks by name."""

from __future__ import annotations

from attack import folders, kills, readers
from attack.crew import attack_on
from attack.decoders import differential
from attack.fuzzers import FUZZERS
from attack.outcome import Attack
from attack.recordings import differential as recordings
from attack.tensor import cost, native


def attacks() -> dict[str, Attack]:
    """Return all attacks, the long ones first, so that none goes on alone at the end."""
    targets = (
        *readers.TARGETS, *recordings.TARGETS, folders.FOLDERS, folders.TABLES, native.TARGET,
        *cost.TARGETS,
    )  # fmt: skip
    return {
        "decoders": differential.attack,
        **kills.attacks(),
        **{f"fuzz-{fuzzer.name}": fuzzer for fuzzer in FUZZERS},
        **{target.name: attack_on(target) for target in targets},
    }
