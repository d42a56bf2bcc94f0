# SPDX-License-Identifier: Apache-2.0
"""Commands killed at any moment.

Measurements of a killed command are readable, the next run works, and after it nothing is left.

``python -m attack.kills COMMAND COUNT [SEED]`` kills one of them so often."""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from attack import corpora
from attack.arena import Arena
from attack.outcome import Attack, Budget, Fault, Outcome
from wirecost.data.traces import create_trace
from wirecost.results.records.reading import read_results
from wirecost.system.errors import UserError

HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SIGNALS = (
    *HANDLED, signal.SIGKILL, signal.SIGQUIT, signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS,
    signal.SIGUSR1, signal.SIGALRM, signal.SIGPIPE,
)  # fmt: skip
KILLS = 200
"""Of each command, unless fewer are asked for."""
PATIENCE_S = 120.0
"""For a run on a busy machine, and for a killed one to end."""
SHORT = ("--repetitions", "3", "--processes", "1")
OUT, INPUT = "{out}", "{input}"
RESULTS: dict[str, tuple[str, ...]] = {
    "osi": ("--reflections", "500", "--contenders", "protobuf,columns", "--steps", "20",
            "--processes", "2"),
    "repeated": ("--count", "10", "--list", "point", *SHORT),
    "notification": ("--sizes", "4", "--content", "ticket", "--lang", "cpp,python", *SHORT),
    "classes": ("--objects", "10", "--content", "sparse", *SHORT),
    "heap": ("--allocators", "glibc,wirecost", "--samples", "100", "--rounds", "2",
             "--threads", "2", "--pairs", "100000"),
    "probe": ("--samples", "20", "--processes", "2"),
    "cloud": ("--points", "1000", "--vertices", "8", "--inside", "10", "--samples", "20",
              "--seconds", "1", "--scan", "vlp16", "--processes", "2"),
    "tensor": ("--plugins", "numpy", "--trials", "20",
               "--middlewares", "shm,zeromq,zenoh-shm,iceoryx2"),
    "codecs": ("--rounds", "4"),
    "fmi": ("--counts", "1", "--sizes", "8B", "--rounds", "3"),
    "static": ("--kilometres", "1", "--objects", "3", "--rounds", "4", "--processes", "2"),
    "message": ("osi3", "--type", "Timestamp", "--lang", "python", *SHORT),
    "transport": ("--middlewares", "zeromq-tcp", "--client", "python", "--sizes", "100B",
                  "--seconds", "0.3", "--processes", "2"),
}  # fmt: skip
STUDIES = Path(__file__).parents[2] / "benchmarks"


def bench(name: str) -> tuple[str, ...]:
    """Return the words that measure a scenario, of the package or a study."""
    is_study = (STUDIES / name / "race.py").is_file()
    return ("bench", *(("--from", str(STUDIES)) if is_study else ()), name)


COMMANDS: dict[str, tuple[str, ...]] = {
    **{name: (*bench(name), *words, "--out", OUT) for name, words in RESULTS.items()},
    "java": (*bench("notification"), "--sizes", "4", "--content", "ticket", "--lang", "java",
             "--modes", "new", "--wire", "protobuf", "--repetitions", "1", "--out", OUT),
    "compile": ("compile", INPUT, "--lang", "cpp,python,java", "--wire", "protobuf,ros1,cdr",
                "--out", OUT),
    "trace-convert": ("trace", "convert", INPUT, OUT + ".mcap", "--type", "SensorView"),
    "trace-play": ("trace", "play", INPUT, "--contender", "protobuf", "--as-fast-as-possible",
                   "--loop", "--steps", "2000"),
    "transports": ("transports",),
}  # fmt: skip
"""Each with so little to do that a run takes seconds."""


def make_input(name: str, arena: Arena) -> Path:
    """Return the input of a command."""
    if name == "compile":
        path = arena.root / "notification.proto"
        fields = "".join(f"  repeated string text{i} = {i + 1};\n" for i in range(300))
        path.write_text(f'syntax = "proto3";\npackage a;\nmessage Large {{\n{fields}}}\n')
        return path
    path = arena.root / "20261122T101010Z_sv_370_32011_3_kills.osi"
    if name.startswith("trace-") and not path.exists():
        with create_trace(path, "SensorView") as writer:
            for i in range(300):
                writer.write(i * 10**9, corpora.sensor_view(300, i).SerializeToString())
    return path


@dataclass(frozen=True)
class Kill:
    """Sent to the command or, where there is one, to a process that it started."""

    number: signal.Signals
    after_s: float
    to_child: bool


class Kills:
    """One command, killed again and again."""

    def __init__(self, name: str, arena: Arena) -> None:
        self._name = name
        self._arena = arena
        self._input = make_input(name, arena)
        self._runs = 0
        begin = time.monotonic()
        self._undisturbed("the first run")
        self.seconds = time.monotonic() - begin
        self._usual = arena.left()
        """What also stays after a run that nobody disturbed."""

    def _start(self) -> subprocess.Popen[str]:
        self._runs += 1
        reported = {"out": self._arena.out / str(self._runs), "input": self._input}
        return self._arena.start([word.format(**reported) for word in COMMANDS[self._name]])

    def _undisturbed(self, what: str) -> None:
        process = self._start()
        try:
            _, errors = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{what} takes over {PATIENCE_S:.0f} s") from None
        assert process.returncode == 0, f"{what} ends with {process.returncode}: {errors[-1000:]}"

    def once(self, kill: Kill, choice: random.Random) -> None:
        """Kill one command and judge it. Raises AssertionError with what is wrong."""
        process = self._start()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(kill.after_s)
        victim = self._victim(process, kill, choice)
        if victim is not None:
            with contextlib.suppress(psutil.Error):
                victim.send_signal(kill.number)
        try:
            _, errors = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"goes on for {PATIENCE_S:.0f} s: {self._alive()}") from None
        of_command = victim is None or victim.pid == process.pid
        self._judge(process.returncode, errors, kill, of_command)
        self._undisturbed("the next run")
        remains = self._arena.left() - self._usual
        assert not remains, f"left after the next run: {sorted(remains)[:9]}"
        self._read_all()

    def _victim(
        self, process: subprocess.Popen[str], kill: Kill, choice: random.Random
    ) -> psutil.Process | None:
        """None where the command has ended."""
        with contextlib.suppress(psutil.Error):
            command = psutil.Process(process.pid)
            children = command.children(recursive=True) if kill.to_child else []
            return choice.choice(children) if children else command
        return None

    def _judge(self, status: int, errors: str, kill: Kill, of_command: bool) -> None:
        lines = errors.strip().splitlines()
        # Python says so itself until the command's own handlers are there.
        starting = status == -signal.SIGINT and "in main" not in errors
        assert starting or "Traceback" not in errors, f"traceback: {lines[-1]}"
        if not of_command:
            assert status in {0, 1, 2}, f"ends with {status}: {lines[-1:]}"
        elif kill.number in HANDLED and status == 128 + kill.number:
            assert kill.number.name in lines[-1], f"does not say why: {lines[-1:]}"
        else:
            assert status in {0, -kill.number}, f"ends with {status}: {lines[-1:]}"
        if kill.number in HANDLED and status == -kill.number:
            # As it started or when it was done, while Python itself has the signal.
            unfinished = list(self._arena.within(self._arena.out).glob(".*"))
            assert not unfinished, f"killed outright, and {unfinished[0].name} is left"

    def _read_all(self) -> None:
        """Every folder is a whole one; then they go."""
        results = self._arena.within(self._arena.out)
        measured = COMMANDS[self._name][0] == "bench"
        for folder in results.iterdir() if measured else ():
            try:
                read_results(folder)
            except UserError as error:
                raise AssertionError(f"{folder.name} cannot be read: {error}") from error
        subprocess.run(["rm", "-rf", *map(str, results.iterdir())], check=True)

    def _alive(self) -> list[str]:
        commands = [" ".join(process.cmdline())[:100] for process in self._arena.processes()]
        self._arena.end_all()
        return commands


def attack_on(name: str) -> Attack:
    """Return a command's kills as an attack: what was survived counts as accepted."""

    def attack(budget: Budget, keep: Path) -> Outcome:
        outcome = Outcome()
        choice = random.Random(f"{name} {budget.seed}")
        with Arena() as arena:
            kills = Kills(name, arena)
            while budget.left(outcome.inputs) and outcome.inputs < KILLS:
                kill = Kill(
                    choice.choice(SIGNALS),
                    choice.uniform(0, 1.1) * kills.seconds,
                    choice.random() < 0.5,
                )
                try:
                    kills.once(kill, choice)
                    outcome.accepted += 1
                except AssertionError as error:
                    outcome.faults.append(_kept(name, kill, str(error), len(outcome.faults), keep))
                    arena.clear()
        return outcome

    return attack


def _kept(name: str, kill: Kill, what: str, number: int, keep: Path) -> Fault:
    keep.mkdir(parents=True, exist_ok=True)
    path = keep / f"kill-{name}-{number}.txt"
    whom = "a child" if kill.to_child else "the command"
    reported = f"{name}, {kill.number.name} to {whom} after {kill.after_s:.2f} s: {what}"
    path.write_text(reported + "\n")
    return Fault(reported[:200], path)


def attacks() -> dict[str, Attack]:
    return {f"kill-{name}": attack_on(name) for name in COMMANDS}


def main() -> int:
    name, count, *seed = sys.argv[1:]
    keep = Path("build/attack")
    outcome = attack_on(name)(Budget(int(count), seed=int(seed[0]) if seed else 0), keep)
    print(f"{name}: {outcome.accepted} kills survived, {len(outcome.faults)} faults")
    for fault in outcome.faults:
        print(f"  {fault.what}")
    return 1 if outcome.faults else 0


if __name__ == "__main__":
    sys.exit(main())
