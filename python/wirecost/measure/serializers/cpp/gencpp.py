# SPDX-License-Identifier: Apache-2.0
"""ROS 1's own C++ structs, which Debian's gencpp generates."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.system import children

SYSTEM_PYTHON = Path("/usr/bin/python3")
TEMPLATES = Path("/usr/share/gencpp")
HEADER = Path("/usr/include/ros/serialization.h")
TIMEOUT_S = 120
# gencpp's own program for each message would start Python as often.
_PROGRAM = """\
import json, sys
from genmsg.template_tools import generate_from_command_line_options
for arguments in json.loads(sys.argv[1]):
    generate_from_command_line_options(["gencpp", *arguments], {"msg.h.template": "@NAME@.h"}, {})
"""


def generate(subject: Subject, folder: Path) -> str:
    """Generate headers ``<package>/<Name>.h``; return why there are none, if so."""
    if not (SYSTEM_PYTHON.exists() and TEMPLATES.is_dir() and HEADER.exists()):
        return "apt-get install python3-gencpp libroscpp-core-dev"
    assert subject.ros is not None
    needed = {message.full_name.replace(".", "/") for message in subject.schema.messages()}
    texts = {n: text for n, text in subject.ros.definitions.texts.items() if n in needed}
    packages = dict.fromkeys(name.partition("/")[0] for name in texts)
    search = [f"-I{package}:{folder}/msg/{package}" for package in packages]
    jobs = []
    for name, text in texts.items():
        package = name.partition("/")[0]
        path = folder / "msg" / f"{name}.msg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        to = ["-o", str(folder / package), "-e", str(TEMPLATES)]
        jobs.append([str(path), *search, "-p", package, *to])
    command = [str(SYSTEM_PYTHON), "-c", _PROGRAM, json.dumps(jobs)]
    try:
        done = children.run(command, timeout_s=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"gencpp: no end after {TIMEOUT_S} s"
    lines = (done.stderr or done.stdout).strip().splitlines()
    return f"gencpp: {(lines or ['no reason given'])[-1]}" if done.returncode != 0 else ""
