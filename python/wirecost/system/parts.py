# SPDX-License-Identifier: Apache-2.0
"""Parts of the package that a checkout builds when a command needs them first."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from wirecost.system.errors import UserError


class Part(NamedTuple):
    name: str
    """Name for ``setup/install``."""
    use: str
    """Commands that need it, for the line that says what is being built."""
    seconds: int
    """Time that building it takes on two cores, in seconds."""
    rust_seconds: int = 0
    """Seconds that it takes more where there is Rust."""


BENCHMARKS = Part("benchmarks", "a study of benchmarks", 75)
CLOUD = Part("cloud", "bench codecs", 40)
PROBE = Part("probe", "probe, traces and profiles of callbacks", 60)
REPLAY = Part("replay", "record, replay and the middleware dds", 90)
TRANSPORT = Part("transport", "bench transport and bench tensor --network", 30, 240)

MODELS = "libflatbuffers-dev libprotobuf-dev protobuf-compiler"
ZYDIS = "libzydis-dev"
PACKAGES = {
    "fmus/manifest.json": MODELS,
    "programs/static": MODELS,
    "programs/codecs": "liblz4-dev libzstd-dev",
    "lib/libwirecost-hook-function.so": ZYDIS,
    "lib/wirecost-functions": ZYDIS,
}
"""Debian's packages without which a build leaves a file out."""

STANDARD_ERROR = 2
"""Descriptor, also where ``sys.stderr`` is none, as in a notebook."""
MODULES = {"wirecost._ctf": PROBE, "wirecost._middleware": REPLAY, "wirecost._dds": REPLAY}


def build(part: Part) -> None:
    """Build and install a part, with a line to say so. Raises UserError where that fails.

    An installation from a wheel has all parts: nothing happens.
    """
    import shutil  # noqa: PLC0415 - programs that publish must not pay for it
    import subprocess  # noqa: PLC0415

    checkout = _folders()[1]
    if checkout is None:
        return
    seconds = part.seconds + (part.rust_seconds if shutil.which("cargo") else 0)
    print(
        f"Building what {part.use} needs, once: about {seconds} s on two cores",
        file=sys.stderr,
        flush=True,
    )
    command = [str(checkout / "setup" / "install"), part.name]
    done = subprocess.run(command, stdout=STANDARD_ERROR, check=False)
    if done.returncode != 0:
        raise UserError(f"`{' '.join(command)}` failed; its output is above")


def installed(path: str, part: Part) -> Path:
    """Return an installed file of a part, built first if it is missing. Raises UserError."""
    file = _folders()[0] / path
    if not file.exists():
        build(part)
    return file


def left_out(path: Path) -> UserError:
    """Return the error of an installed file that is missing, with what brings it."""
    import platform  # noqa: PLC0415 - as above

    name = "/".join(path.parts[-2:])
    packages = PACKAGES.get(name)
    if packages is None:
        return UserError(f"{path}: this file is missing; install wirecost again")
    if packages == ZYDIS and platform.machine() != "x86_64":
        return UserError(
            f"{name} is for x86-64 and this machine is {platform.machine()}; "
            "mark the section in the source instead (wirecost/probe.h)"
        )
    return UserError(
        f"{name} was left out when this wirecost was built; run `apt-get install {packages}` and "
        "build wirecost again, or install its wheel"
    )


def _folders() -> tuple[Path, Path | None]:
    """Return the folders of the installation and of its checkout. Raises UserError."""
    from wirecost.system.installation import installation  # noqa: PLC0415 - as above

    present = installation()
    return present.folder, present.checkout


class PartFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder of a part's compiled module that is not there yet; importing it builds the part."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module that a checkout can build, None of any other."""
        del path, target
        if fullname not in MODULES or _folders()[1] is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Build the module's part and load it. Raises UserError, ImportError."""
        build(MODULES[spec.name])
        folder = _folders()[0]
        name = spec.name.rpartition(".")[2]
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            file = folder / f"{name}{suffix}"
            if file.is_file():
                file_spec = importlib.util.spec_from_file_location(spec.name, file)
                if file_spec is not None:
                    spec.loader_state = file_spec
                    return importlib.util.module_from_spec(file_spec)
        raise ModuleNotFoundError(f"{spec.name}: its part was built without it", name=spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module as its own loader would."""
        spec = module.__spec__
        loaded = spec.loader_state if spec is not None else None
        if loaded is not None and loaded.loader is not None:
            module.__spec__ = loaded
            loaded.loader.exec_module(module)


def install() -> None:
    """Make modules of parts importable; a module that is there is found before this is asked."""
    if not any(isinstance(finder, PartFinder) for finder in sys.meta_path):
        sys.meta_path.append(PartFinder())
