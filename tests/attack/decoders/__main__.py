# SPDX-License-Identifier: Apache-2.0
"""``python -m attack.decoders --count N``: the differential test for as long as it is wanted."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from attack.decoders.differential import attack
from attack.outcome import Budget


def main() -> int:
    parser = argparse.ArgumentParser(prog="attack.decoders", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="messages")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--keep", type=Path, default=Path("build/attack"), help="for what differed")
    options = parser.parse_args()
    outcome = attack(Budget(options.count, seed=options.seed), options.keep)
    for fault in outcome.faults:
        sys.stdout.write(f"{fault.kept}\n{fault.what}\n\n")
    counts = f"{outcome.accepted} accepted, {outcome.refused} refused, {len(outcome.faults)} differ"
    sys.stdout.write(f"seed {options.seed}: {counts}\n")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
