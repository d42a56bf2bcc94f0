# SPDX-License-Identifier: Apache-2.0
"""CPU time of compiling a small program with generated code of OSI, which documents show."""

from __future__ import annotations

import csv
import datetime
import resource
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

from documents.runs import RESULTS, ROOT, Kept
from wirecost.observe.doctor.environment import environment
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table

NAME = "compiling"
COMMAND = f"documents {NAME}"
ROUNDS = 3
FLAGS = ("-O2",)
BASELINE = "protoc's classes"
TITLE = "A program with a SensorView of OSI"
PROGRAMS = Path(__file__).with_name("programs")
DESCRIPTORS = ROOT / "build" / "cmake" / "schemas" / "osi" / "osi.fds"


@dataclass(frozen=True)
class Program:
    """A source of ``programs``, and the folder with what was generated for it."""

    name: str
    source: str
    standard: str
    folder: str


ALL = (
    Program(BASELINE, "classes.cpp", "c++17", "protoc"),
    Program("classes of --protobuf-api", "classes.cpp", "c++17", "headers/cpp"),
    Program("holders, --sources", "holders.cpp", "c++20", "sources/cpp"),
    Program("holders", "holders.cpp", "c++20", "headers/cpp"),
)


@dataclass(frozen=True)
class Compiled:
    """One compilation: seconds of its processes on all cores together."""

    program: str
    round: int
    seconds: float


def generate(folder: Path) -> None:
    """Generate what the programs include. Raises CalledProcessError."""
    wirecost = (sys.executable, "-m", "wirecost", "compile", DESCRIPTORS, "--lang", "cpp")
    subprocess.run([*wirecost, "--protobuf-api", "--out", folder / "headers"], check=True)
    subprocess.run([*wirecost, "--sources", "--out", folder / "sources"], check=True)
    (folder / "protoc").mkdir()
    files = DESCRIPTORS.with_name("osi_files.txt").read_text().split()
    subprocess.run(
        ["protoc", f"--descriptor_set_in={DESCRIPTORS}", f"--cpp_out={folder / 'protoc'}", *files],
        check=True,
    )


def compile_seconds(program: Program, folder: Path) -> float:
    """Compile a program and return the CPU time that took. Raises CalledProcessError."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        ["g++", f"-std={program.standard}", *FLAGS, "-isystem", folder / program.folder, "-c",
         PROGRAMS / program.source, "-o", folder / "program.o"],
        check=True,
    )  # fmt: skip
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(folder: Path) -> None:
    """Compile all programs in turns; ``folder`` has the rows then."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    generate(folder)
    rows = [
        Compiled(program.name, number, compile_seconds(program, folder))
        for number in range(1, ROUNDS + 1)
        for program in ALL
    ]
    with (folder / "report.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Compiled)])
        table.writeheader()
        table.writerows(asdict(row) for row in rows)


def read(path: Path) -> list[Compiled]:
    """Read the rows. Raises OSError."""
    with path.open(newline="") as file:
        return [
            Compiled(cells["program"], int(cells["round"]), float(cells["seconds"]))
            for cells in csv.DictReader(file)
        ]


def ratios(rows: list[Compiled]) -> dict[str, float]:
    """Return each program's median CPU time by that of the one with protoc's classes."""
    seconds = _medians(rows)
    return {name: taken / seconds[BASELINE] for name, taken in seconds.items()}


def table(rows: list[Compiled]) -> Table:
    by_baseline = ratios(rows)
    body = [
        [name, units.time(taken * 1e9), f"{by_baseline[name]:.2f}"]
        for name, taken in _medians(rows).items()
    ]
    notes = [f"Medians of CPU times; ratio = to {BASELINE}."]
    return Table(TITLE, ["generated code", "compiling", "ratio"], body, notes)


def _medians(rows: list[Compiled]) -> dict[str, float]:
    names = dict.fromkeys(row.program for row in rows)
    return {name: median(row.seconds for row in rows if row.program == name) for name in names}


def keep(folder: Path, commit: str) -> None:
    """Keep the rows, the table and where they were made."""
    where = environment()
    kind = "virtual machine" if where["virtual_machine"] else "machine"
    version = subprocess.run(["g++", "--version"], capture_output=True, text=True, check=True)
    about = {
        "command": COMMAND,
        "commit": commit,
        "made": datetime.date.today().isoformat(),
        "machine": f"{where['cpu']}, {where['usable_cores']} cores, {kind}, {where['os']}",
        "compiler": " ".join([version.stdout.splitlines()[0], *FLAGS]),
    }
    shutil.copy(folder / "report.csv", RESULTS / f"{NAME}.csv")
    Kept(about, None, [table(read(folder / "report.csv"))]).write(NAME)
