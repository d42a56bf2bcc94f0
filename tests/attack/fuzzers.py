# SPDX-License-Identifier: Apache-2.0
"""The decoders in C++, by libFuzzer under its sanitizers."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from attack.outcome import Budget, Fault, Outcome

BUILT = Path(__file__).parents[2] / "build" / "cmake" / "tests" / "cpp"
SECONDS = 10
"""For one input; longer is a hang."""
MEBIBYTES = 2048
MOST_SECONDS = 1 << 30
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


@dataclass(frozen=True)
class Fuzzer:
    """A program that ``optimized_fuzzers`` builds, as an attack.

    libFuzzer does not tell which inputs the decoder refused: all count as accepted.
    """

    folder: str
    name: str

    @property
    def program(self) -> Path:
        return BUILT / self.folder / f"optimized_fuzz_{self.name}"

    def __call__(self, budget: Budget, keep: Path) -> Outcome:
        keep.mkdir(parents=True, exist_ok=True)
        learned = keep / "learned" / self.name
        learned.mkdir(parents=True, exist_ok=True)
        prefix = f"{keep}/fuzz-{self.name}-"
        before = set(keep.glob(f"fuzz-{self.name}-*"))
        done = subprocess.run(
            [
                str(self.program),
                f"-runs={budget.count}",
                f"-max_total_time={max(1, int(min(budget.seconds, MOST_SECONDS)))}",
                f"-seed={budget.seed % (1 << 32) or 1}",
                f"-timeout={SECONDS}",
                f"-rss_limit_mb={MEBIBYTES}",
                f"-artifact_prefix={prefix}",
                "-print_final_stats=1",
                "-verbosity=0",
                str(learned),
                str(self.program.parent / "seeds" / self.name),
            ],
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        executed = _EXECUTED.search(done.stderr)
        outcome = Outcome(accepted=int(executed[1]) if executed else 0)
        new = sorted(set(keep.glob(f"fuzz-{self.name}-*")) - before)
        outcome.faults += [Fault(f"fuzzer: {path.name}", path) for path in new]
        if done.returncode and not new:
            reported = keep / f"fuzz-{self.name}.txt"
            reported.write_text(done.stderr)
            outcome.faults.append(Fault(f"fuzzer: exit status {done.returncode}", reported))
        return outcome


FUZZERS = (
    Fuzzer("compile", "notification"),
    Fuzzer("compile", "sensor_view"),
    Fuzzer("compile", "json"),
    Fuzzer("compile", "classes"),
    Fuzzer("arrow", "arrow"),
    Fuzzer("arrow", "objects"),
    Fuzzer("arrow", "tagged"),
    Fuzzer("cloud", "cloud"),
    Fuzzer("columns", "columns"),
    Fuzzer("ctf", "ctf"),
    Fuzzer("tensor", "tensor"),
)
