# SPDX-License-Identifier: Apache-2.0
"""``python -m documents [RUN…]``: measures what documents show, keeps summary rows and tables in
``docs/results``, and writes the documents' blocks anew. With ``--write`` it only writes, with
``--keep`` it takes the runs as they were made before, in ``build/results``.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from documents.blocks import documents, written
from documents.runs import RESULTS, ROOT, RUNS, Kept
from wirecost.analysis.summary import summarize
from wirecost.records.reading import read_results
from wirecost.report.scenarios import content_of

MADE = ROOT / "build" / "results"


def measure(name: str) -> None:
    """Raises CalledProcessError where a contender failed."""
    folder = MADE / name
    shutil.rmtree(folder, ignore_errors=True)
    wirecost = Path(sys.executable).with_name("wirecost")
    commit = _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "-s") else "")
    subprocess.run([wirecost, *RUNS[name], "--out", folder], check=True)
    subprocess.run([wirecost, "report", folder, "--format", "csv"], check=True)
    (folder / "commit").write_text(commit)


def keep(name: str) -> None:
    """The rows and tables of a run, and where it was made; a ``+`` behind the commit: with
    changes. Raises OSError if it was not made."""
    folder = MADE / name
    commit = (folder / "commit").read_text()
    results = read_results(folder)
    content = content_of(results, summarize(results))
    where = results.meta["environment"]
    kind = "virtual machine" if where["virtual_machine"] else "machine"
    about = {
        "command": f"wirecost {' '.join(RUNS[name])}",
        "commit": commit,
        "made": results.meta["created"][:10],
        "machine": f"{where['cpu']}, {where['usable_cores']} cores, {kind}, {where['os']}",
        "compiler": _compiler(where),
        "malloc": Path(where["malloc"] or "unknown").name,
        "doctor": where["doctor"]["verdict"],
    }
    Kept(about, content.lead, content.tables).write(name)
    shutil.copy(folder / "report.csv", RESULTS / f"{name}.csv")


def _compiler(where: dict[str, object]) -> str:
    flags = where.get("flags")
    used = flags.get("release") if isinstance(flags, dict) else flags
    return " ".join(str(one) for one in (where.get("compiler"), used) if one) or "none"


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def write() -> None:
    for path in documents():
        text = path.read_text()
        if (found := written(text)) != text:
            path.write_text(found)
            print(path.relative_to(ROOT))


def main(arguments: list[str]) -> int:
    names = [word for word in arguments if not word.startswith("--")]
    options = [word for word in arguments if word.startswith("--")]
    if unknown := [word for word in names if word not in RUNS]:
        print(f"documents: no run {unknown[0]}; there are {', '.join(RUNS)}", file=sys.stderr)
        return 2
    if unknown := [word for word in options if word not in ("--write", "--keep")]:
        print(f"documents: no option {unknown[0]}; see its docstring", file=sys.stderr)
        return 2
    for name in () if "--write" in options else names or RUNS:
        if "--keep" not in options:
            measure(name)
        keep(name)
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
