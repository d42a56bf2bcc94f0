# SPDX-License-Identifier: Apache-2.0
"""Compilation of Rust programs by Cargo, in one crate after the other, and what it needs once.

The folder that is kept has one crate, whose text changes, and what is compiled of others' crates.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

from wirecost.measure.bench.message.cpp.programs import kept_folder
from wirecost.measure.bench.message.cpp.tools import TIMEOUT_S, ran
from wirecost.measure.bench.transport.choices import LEAST_RUST
from wirecost.system import children, locks
from wirecost.system.errors import UserError

REMEDY = f"Rust {LEAST_RUST} or newer (https://rustup.rs)"
PROGRAM = "wirecost-message"


@cache
def compiler() -> str:
    """Return the version of the Rust compiler, empty where there is none that is new enough."""
    if shutil.which("cargo") is None or shutil.which("rustc") is None:
        return ""
    try:
        said = children.run(["rustc", "--version"], timeout_s=TIMEOUT_S).stdout.strip()
    except (OSError, subprocess.TimeoutExpired):
        return ""
    found = re.search(r"(\d+)\.(\d+)\.\d+", said)
    least = tuple(map(int, LEAST_RUST.split(".")))
    return said if found and tuple(map(int, found.groups())) >= least else ""


def has_crates() -> bool:
    """Return whether others' crates have been compiled before."""
    return (kept_folder("rust") / "target").is_dir()


def compiled(source: Path, feature: str, jobs: int, to: Path) -> str:
    """Compile the crate in ``source`` with a feature; return why there is no program, if so.

    ``to``: where the program shall be.
    """
    kept = kept_folder("rust")
    try:
        lock = locks.hold(kept / "lock", patience_s=TIMEOUT_S)
    except OSError as error:
        return f"{kept / 'lock'}: {error.strerror}; run again when no other run compiles Rust"
    try:
        crate, target = kept / "crate", kept / "target"
        shutil.rmtree(crate, ignore_errors=True)
        # With the time of now, by which Cargo sees what has changed.
        shutil.copytree(source, crate, copy_function=shutil.copyfile)
        locked = ["--locked", "--manifest-path", str(crate / "Cargo.toml")]
        if ran(["cargo", "fetch", "--offline", *locked]) and (
            complaint := ran(["cargo", "fetch", *locked])
        ):
            return f"Cargo cannot get crates: {complaint}"
        options = ["--features", feature, "--target-dir", str(target), "--jobs", str(jobs)]
        complaint = ran(["cargo", "build", "--release", "--offline", "--quiet", *locked, *options])
        if complaint:
            return f"it does not compile: {complaint}"
        shutil.copy2(target / "release" / PROGRAM, to)
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}; remove {kept}") from error
    finally:
        lock.release(remove=False)
    return ""
