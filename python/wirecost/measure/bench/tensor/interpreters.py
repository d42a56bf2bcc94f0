# SPDX-License-Identifier: Apache-2.0
"""Other interpreters on this machine: a framework may want one of its own, with other packages.

Both ends of a pair run there, with this package in front of what is installed there, and behind it
what a transport needs and is installed here.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.measure.bench.engine.other_python import environment, installed_packages
from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.system import children
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable

LEAST = (3, 11)
PROBE_S = 60.0
PROBE = """\
import json, sys
if sys.version_info < {least}:
    sys.exit("it is Python " + sys.version.split()[0] + "; wirecost needs 3.11")
from wirecost.measure.bench.tensor.interpreter_probe import look
print(json.dumps(look({plugin!r}, {middlewares!r}, {device!r})))
"""


@dataclass(frozen=True)
class Interpreter:
    """Packages of an interpreter. ``missing``: reasons by contender, and by the plugin's name."""

    path: Path
    packages: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


def parse(texts: Iterable[str], plugins: Iterable[str]) -> dict[str, Path]:
    """Return the paths of ``PLUGIN=PATH`` by plugin. Raises UserError."""
    paths: dict[str, Path] = {}
    for text in texts:
        name, _, path = text.partition("=")
        if name not in plugins:
            raise UserError(
                f"--python {text}: give PLUGIN=PATH, such as torch=/opt/torch/bin/python"
            )
        if not os.access(path, os.X_OK) or Path(path).is_dir():
            raise UserError(f"--python {text}: {path or 'nothing'} cannot be run; name a Python")
        # Not resolved: the link in a virtual environment is what makes it one.
        paths[name] = Path(path).absolute()
    return paths


def probed(path: Path, plugin: str, middlewares: Iterable[str], device: str = "cpu") -> Interpreter:
    """Look at what it has. Raises UserError where this package cannot run there."""
    interpreters = [
        _probed(path, plugin, list(names), device, list(packages))
        for packages, names in _by_packages(middlewares).items()
    ]
    missing = {name: why for probe in interpreters for name, why in probe.missing.items()}
    return Interpreter(path, interpreters[0].packages, missing)


def _by_packages(middlewares: Iterable[str]) -> dict[tuple[str, ...], list[str]]:
    """Return the contenders that take what they need from the same folders."""
    groups: dict[tuple[str, ...], list[str]] = {tuple(installed_packages()): []}
    for name in middlewares:
        groups.setdefault(tuple(find_contender(name, 0).packages), []).append(name)
    return groups


def _probed(
    path: Path, plugin: str, middlewares: list[str], device: str, packages: list[str]
) -> Interpreter:
    code = PROBE.format(least=LEAST, plugin=plugin, middlewares=middlewares, device=device)
    try:
        done = children.run([str(path), "-c", code], environment(packages), PROBE_S)
        last = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        if done.returncode == 0:
            report = json.loads(done.stdout.splitlines()[-1])
            return Interpreter(path, dict(report["packages"]), dict(report["missing"]))
    except subprocess.TimeoutExpired:
        last = f"it did not answer for {PROBE_S:.0f} s"
    except OSError as error:
        last = error.strerror or str(error)
    except (ValueError, TypeError, LookupError):
        last = "it does not answer as Python does"
    raise UserError(
        f"--python {plugin}={path}: {printable(last)}; it needs NumPy, msgpack, {plugin} and a "
        "middleware"
    )
