# SPDX-License-Identifier: Apache-2.0
"""``python -m documents [RUN…]``: measures what documents show, keeps the summary rows in
``docs/results``, and writes the documents' tables anew. With ``--write`` it only writes.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

from documents.blocks import RESULTS, ROOT, documents, written

RUNS = {"osi": ["bench", "osi", "--reflections", "829440,100000"]}
"""The command of each run."""
MADE = ROOT / "build" / "results"


def measure(name: str) -> None:
    """Raises CalledProcessError where a contender failed."""
    commit = _git("rev-parse", "--short", "HEAD") + ("+" if _git("status", "-s") else "")
    folder = MADE / name
    shutil.rmtree(folder, ignore_errors=True)
    wirecost = Path(sys.executable).with_name("wirecost")
    subprocess.run([wirecost, *RUNS[name], "--out", folder], check=True)
    subprocess.run([wirecost, "report", folder, "--format", "csv"], check=True)
    keep(name, folder, commit)


def keep(name: str, folder: Path, commit: str) -> None:
    """The rows of a run, and where it was made; a ``+`` behind the commit: with changes."""
    RESULTS.mkdir(exist_ok=True)
    shutil.copy(folder / "report.csv", RESULTS / f"{name}.csv")
    meta = json.loads((folder / "meta.json").read_text())
    where = meta["environment"]
    kind = "virtual machine" if where["virtual_machine"] else "machine"
    about = {
        "command": f"wirecost {' '.join(RUNS[name])}",
        "commit": commit,
        "made": meta["created"][:10],
        "machine": f"{where['cpu']}, {where['usable_cores']} cores, {kind}, {where['os']}",
        "compiler": f"{where['compiler']} {where['flags']['release']}",
        "malloc": Path(where["malloc"]).name,
        "doctor": where["doctor"]["verdict"],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(about, indent=2) + "\n")


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main(arguments: list[str]) -> int:
    if unknown := [name for name in arguments if name not in (*RUNS, "--write")]:
        print(f"documents: no run {unknown[0]}; there are {', '.join(RUNS)}", file=sys.stderr)
        return 2
    for name in arguments or RUNS:
        if name != "--write":
            measure(name)
    for path in documents():
        text = path.read_text()
        if (found := written(text)) != text:
            path.write_text(found)
            print(path.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
