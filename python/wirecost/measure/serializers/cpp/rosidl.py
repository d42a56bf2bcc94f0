# SPDX-License-Identifier: Apache-2.0
"""ROS 2's own C++ structs and type supports, which its generators make."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from wirecost.data.messages.ros.installed import MISSING, Ros2Installation
from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.cpp.gencpp import SYSTEM_PYTHON
from wirecost.system import children

NAME = "rosidl-fastrtps"
SUPPORT = "rosidl_typesupport_fastrtps_cpp"
_TEMPLATES = ("rosidl_generator_cpp", SUPPORT)
_HEADERS = (
    "fastcdr",
    "rcutils",
    "rmw",
    "rosidl_dynamic_typesupport",
    "rosidl_runtime_c",
    "rosidl_runtime_cpp",
    "rosidl_typesupport_cpp",
    "rosidl_typesupport_interface",
    SUPPORT,
)
_PROGRAM = Path(__file__).with_name("rosidl_program.py")
_TIMEOUT_S = 300


def generate(subject: Subject, ros2: Ros2Installation, folder: Path) -> str:
    """Generate ``<package>/msg/detail/…`` for all messages; return why there are none, if so."""
    prefixes = {name: ros2.having(f"share/{name}/resource") for name in _TEMPLATES}
    if None in prefixes.values() or ros2.having("include/fastcdr") is None:
        return MISSING
    names = [message.full_name.replace(".", "/") for message in subject.schema.messages()]
    for name in names:
        path = folder / name.replace("/", "/msg/", 1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".msg").write_text(_text(subject, name), encoding="utf-8")
    templates = {name: f"{prefix}/share/{name}/resource" for name, prefix in prefixes.items()}
    job = json.dumps({"folder": str(folder), "names": names, "templates": templates})
    complaint = ""
    for python in _pythons(ros2):
        complaint = _ran([str(python), str(_PROGRAM), job])
        if not complaint:
            break
    return complaint


def _text(subject: Subject, name: str) -> str:
    """Return the definition, or that of a time, which needs none."""
    assert subject.ros is not None
    return subject.ros.definitions.texts.get(name, "int32 sec\nuint32 nanosec\n")


def _pythons(ros2: Ros2Installation) -> list[Path]:
    """Return Pythons that may have what the generators import.

    A sourced ROS 2 belongs to the system's.
    """
    is_sourced = ros2.python is None and "AMENT_PREFIX_PATH" in os.environ
    return [ros2.interpreter, *([SYSTEM_PYTHON] if is_sourced else [])]


def _ran(command: list[str]) -> str:
    try:
        done = children.run(command, timeout_s=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"rosidl: no end after {_TIMEOUT_S} s"
    if done.returncode == 0:
        return ""
    last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    if "No module named 'em'" in last or "module 'em' has" in last:
        return "rosidl's generators need pip install 'empy<4'"
    return f"rosidl: {last}"


def options(ros2: Ros2Installation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return folders of headers, and what to link."""
    prefixes = {name: ros2.having(f"include/{name}") for name in _HEADERS}
    installed = {name: prefix for name, prefix in prefixes.items() if prefix is not None}
    include = (f"{prefix}/include/{name}" for name, prefix in installed.items())
    roots = (f"{prefix}/include" for prefix in installed.values())
    libraries = [f"{installed[name]}/lib" for name in ("fastcdr", SUPPORT)]
    search = (f"{flag}{path}" for path in libraries for flag in ("-L", "-Wl,-rpath,"))
    # The linker searches there for these libraries' own, too: PyPI's do not say where theirs are.
    linked = ("-Wl,--disable-new-dtags", f"-l{SUPPORT}", "-lrosidl_runtime_c", "-lfastcdr")
    return tuple(dict.fromkeys((*include, *roots))), (*search, *linked)
