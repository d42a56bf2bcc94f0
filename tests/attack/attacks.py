# SPDX-License-Identifier: Apache-2.0
"""All attacks by name."""

from __future__ import annotations

from attack.crew import attack_on
from attack.fuzzers import FUZZERS
from attack.outcome import Attack
from attack.readers import TARGETS
from attack.tensor import cost


def attacks() -> dict[str, Attack]:
    """Those in C++ first: they know nothing of the others' time and use theirs up."""
    fuzzers = {f"fuzz-{fuzzer.name}": fuzzer for fuzzer in FUZZERS}
    return fuzzers | {target.name: attack_on(target) for target in (*TARGETS, *cost.TARGETS)}
