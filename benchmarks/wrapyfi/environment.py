# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi, unmodified from PyPI, in an environment of its own that the user can see and remove."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

import wirecost
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.system import children
from wirecost.system.errors import UserError

PINS = (
    "wrapyfi==0.5.0",
    "pyzmq==27.3.0",
    "eclipse-zenoh==1.10.2",
    "paho-mqtt==2.2.0",
    "python-socketio==5.18.1",
    "websocket-client==1.9.2",
    "wsaccel==0.6.7",  # without it websocket-client checks every byte of a text in Python
    "requests==2.34.2",
    "aiohttp==3.14.5",
    "opencv-python-headless==4.13.0.92",
)
DISTRIBUTIONS = {"PIL": "pillow", "pint": "Pint", "paddle": "paddlepaddle"}
STAMP = "requirements.txt"


def folder() -> Path:
    """Return its folder: ``$XDG_CACHE_HOME/wirecost/wrapyfi``."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "wirecost" / "wrapyfi"


def interpreter() -> Path:
    return folder() / "bin" / "python"


def _site() -> Path:
    return next(iter(folder().glob("lib/python*/site-packages")), folder())


def packages() -> list[str]:
    """Return the folders of Wrapyfi without any framework, and of ROS.

    They are for an interpreter that a framework has of its own.
    """
    return [str(_alone()), *_ros()]


def _alone() -> Path:
    return folder() / "alone"


def _ros() -> list[str]:
    """Return the folder of ROS 2 or, where there is none, of Debian's packages with rospy.

    The messages of both have the same names, so that a Python can have one of them only.
    """
    if importlib.util.find_spec("rclpy"):
        return [str(_linked_ros2())]
    rospy = importlib.util.find_spec("rospy")
    return [str(Path(rospy.origin).parents[1])] if rospy and rospy.origin else []


def _linked_ros2() -> Path:
    """Link the packages of ROS 2 that pip has installed; others are in PYTHONPATH."""
    where = folder() / "ros2"
    where.mkdir(parents=True, exist_ok=True)
    for distribution in distributions():
        if distribution.name.startswith(("ros-", "ros_")):
            files = [file for file in distribution.files or () if file.suffix == ".py"]
            for package in {file.parts[0] for file in files if len(file.parts) > 1} - {".."}:
                _link(Path(str(distribution.locate_file(package))), where)
    return where


def installed_version(package: str) -> str | None:
    """Return the version of a package in there; None where it is not."""
    matching = distributions(name=package, path=[str(_site())])
    return next((distribution.version for distribution in matching), None)


def requirements(plugins: Iterable[str]) -> list[str]:
    """Return Wrapyfi, its middlewares, and the plugins' packages as they are installed here."""
    pins = list(PINS)
    for name in plugins:
        module = PLUGINS[name].module.partition(".")[0]
        packages = [DISTRIBUTIONS.get(module, module)]
        packages += ["pyarrow"] if name == "pandas-pyarrow" else []
        for package in packages:
            try:
                pins.append(f"{package}=={version(package)}")
            except PackageNotFoundError:
                continue
    return list(dict.fromkeys(pins))


def make(plugins: Iterable[str], show: Callable[[str], None]) -> None:
    """Make the environment, or add to it what it lacks; ``show`` gets a line before.

    Raises UserError with the line to run by hand where the network is not there.
    """
    where = folder()
    stamp = where / STAMP
    there = stamp.read_text().split() if stamp.exists() else []
    lacking = [pin for pin in requirements(plugins) if pin not in there]
    if lacking:
        command = [str(interpreter()), "-P", "-m", "pip", "install", *lacking]
        show(f"installing {' '.join(lacking)} into {where}, once")
        if not interpreter().exists():
            _run([sys.executable, "-P", "-m", "venv", str(where)], where)
        _run([*command[:5], "-q", "--disable-pip-version-check", *lacking], where, command)
        stamp.write_text("\n".join([*there, *lacking]) + "\n")
    # rospy cannot be installed from PyPI: it is this machine's. ROS 2's wheels are this Python's.
    (_site() / "ros.pth").write_text("".join(f"{path}\n" for path in _ros()))
    # Our worker runs there as well: this package, and nothing else of this environment.
    _link(Path(wirecost.__file__).parent, _site())
    _link_yarp(_site())


def _link(there: Path, site: Path) -> None:
    link = site / there.name
    if not link.is_symlink() or link.readlink() != there:
        link.unlink(missing_ok=True)
        link.symlink_to(there)


def _link_yarp(site: Path) -> None:
    """Link it: a module with a library beside it, or a package."""
    yarp = importlib.util.find_spec("yarp")
    if yarp is None or not yarp.origin:
        return
    origin = Path(yarp.origin)
    whole = origin.name == "__init__.py"
    for path in [origin.parent] if whole else [origin, *origin.parent.glob("_yarp*.so")]:
        _link(path, site)


def make_alone(show: Callable[[str], None]) -> None:
    """Install Wrapyfi once more, for interpreters that frameworks have of their own.

    Packages of other frameworks would meet theirs. Follows ``make``, and raises as it does.
    """
    where = _alone()
    stamp = where / STAMP
    if stamp.exists() and stamp.read_text().split() == list(PINS):
        _link_yarp(where)
        return
    shutil.rmtree(where, ignore_errors=True)
    show(f"installing {' '.join(PINS)} into {where}, once")
    quiet = ["-q", "--disable-pip-version-check"]
    _run([str(interpreter()), "-P", "-m", "pip", "install", *quiet, "--target", str(where), *PINS],
         where)  # fmt: skip
    stamp.write_text("\n".join(PINS) + "\n")
    _link_yarp(where)


def _run(command: list[str], where: Path, by_hand: list[str] | None = None) -> None:
    done = children.run(command)
    if done.returncode == 0:
        return
    if not by_hand:
        shutil.rmtree(where, ignore_errors=True)
    last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    raise UserError(f"{where}: {last}; when that is solved run: {' '.join(by_hand or command)}")
