# SPDX-License-Identifier: Apache-2.0
"""Measurements that documents show.

``python -m documents [RUN…]`` measures them, keeps summary rows and tables in ``docs/results``,
and writes the documents' blocks and figures anew. With ``--write`` it only writes, with ``--keep``
it takes the runs as they were made before, in ``build/results``. ``compiling`` runs compilers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from documents import compiling
from documents.blocks import documents, written
from documents.figures import FIGURES, drawn
from documents.runs import RESULTS, ROOT, RUNS, WITH_ROS2, Kept
from documents.session import DATA
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.report.scenarios import content_of
from wirecost.system.scenarios import VARIABLE

MADE = ROOT / "build" / "results"
FAILS = {"transport", "wrapyfi", "wrapyfi-ros2"}
"""Runs in which contenders fail, which is a result: over a network that loses packets; Wrapyfi with
newer PaddlePaddle and Pillow."""


def measure(name: str) -> None:
    """Measure a run. Raises CalledProcessError where a contender failed."""
    if name == compiling.NAME:
        compiling.measure(MADE / name)
        (MADE / name / "commit").write_text(_commit())
    else:
        _run(RUNS[name], MADE / name, may_fail=name in FAILS, ros2=name in WITH_ROS2)


def _run(command: list[str], folder: Path, may_fail: bool = False, ros2: bool = False) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    python = ROOT / "build" / "ros2" / "jazzy" / "bin" / "python" if ros2 else sys.executable
    wirecost = (python, "-m", "wirecost")
    commit = _commit()
    done = subprocess.run([*wirecost, *command, "--out", folder], check=not may_fail)
    if done.returncode not in (0, 1):  # 1: a contender failed
        raise subprocess.CalledProcessError(done.returncode, done.args)
    subprocess.run([*wirecost, "report", folder, "--format", "csv"], check=True)
    (folder / "commit").write_text(commit)


def keep(name: str) -> None:
    """Keep the rows and tables of a run, and where it was made.

    A ``+`` behind the commit: with changes. Raises OSError if it was not made."""
    if name == compiling.NAME:
        compiling.keep(MADE / name, (MADE / name / "commit").read_text())
        return
    folder = MADE / name
    results = read_results(folder)
    content = content_of(results, summarize(results))
    Kept(
        _about(folder, results, RUNS[name]), content.lead, [*content.tables, *content.folded]
    ).write(name)
    shutil.copy(folder / "report.csv", RESULTS / f"{name}.csv")


def _about(folder: Path, results: Results, command: list[str]) -> dict[str, str]:
    where = results.meta.environment
    kind = "virtual machine" if where["virtual_machine"] else "machine"
    return {
        "command": f"wirecost {' '.join(command)}",
        "commit": (folder / "commit").read_text().strip(),
        "made": results.meta.created[:10],
        "machine": f"{where['cpu']}, {where['usable_cores']} cores, {kind}, {where['os']}",
        "compiler": _compiler(where),
        "malloc": Path(where["malloc"] or "unknown").name,
        "doctor": where["doctor"]["verdict"],
    }


def _compiler(where: dict[str, object]) -> str:
    flags = where.get("flags")
    used = flags.get("release") if isinstance(flags, dict) else flags
    return " ".join(str(word) for word in (where.get("compiler"), used) if word) or "none"


def _commit() -> str:
    """Return the commit; a ``+`` behind it: with changes."""
    return _git("rev-parse", "--short", "HEAD") + ("+" if _changed() else "")


def _changed() -> bool:
    """Return whether anything but documents differs from the commit."""
    return bool(_git("status", "-s", "--", ".", ":!docs", ":!README.md"))


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write() -> None:
    for path in documents():
        text = path.read_text()
        if (new := written(text)) != text:
            path.write_text(new)
            print(path.relative_to(ROOT))
    for name in FIGURES:
        (RESULTS / f"{name}.svg").write_text(drawn(name))


def main(arguments: list[str]) -> int:
    names = [word for word in arguments if not word.startswith("--")]
    runs = [*RUNS, compiling.NAME]
    options = [word for word in arguments if word.startswith("--")]
    if unknown := [word for word in names if word not in runs]:
        print(f"documents: no run {unknown[0]}; there are {', '.join(runs)}", file=sys.stderr)
        return 2
    if unknown := [word for word in options if word not in ("--write", "--keep")]:
        print(f"documents: no option {unknown[0]}; see its docstring", file=sys.stderr)
        return 2
    for name in () if "--write" in options else names or runs:
        if "--keep" not in options:
            measure(name)
        keep(name)
    write()
    return 0


if __name__ == "__main__":
    os.environ.setdefault("WIRECOST_DATA", str(DATA))
    if VARIABLE not in os.environ:  # imports have looked for scenarios already
        os.environ[VARIABLE] = str(ROOT / "benchmarks")
        os.execv(sys.executable, [sys.executable, "-m", "documents", *sys.argv[1:]])
    sys.exit(main(sys.argv[1:]))
