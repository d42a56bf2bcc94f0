# SPDX-License-Identifier: Apache-2.0
"""rclpy's class of a message, in the Python in which it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

from wirecost.data.messages.ros.installed import MISSING, Ros2Installation
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.other_python import environment, installed_packages
from wirecost.measure.serializers.python.code import rclpy_attribute as attribute
from wirecost.schema.compile.frontends.ros.builtin import DUMMY_FIELD
from wirecost.system import children

NAME = "rclpy"
_TIMEOUT_S = 60
_PROBE = """\
import importlib, json, sys
if sys.version_info[:2] != {version}:
    sys.exit("this is Python {version[0]}.{version[1]}; --python names another version")
from importlib.metadata import version
try:
    from rclpy.serialization import serialize_message
except ModuleNotFoundError:
    sys.exit(3)
for name, fields in json.loads(sys.argv[1]).items():
    package, _, message = name.partition("/")
    try:
        found = getattr(importlib.import_module(package + ".msg"), message)
    except (ImportError, AttributeError):
        sys.exit(name + " is not in this ROS 2; build and source its package")
    types = found.get_fields_and_field_types()
    if list(types) != fields:
        sys.exit(name + " has other fields in this ROS 2; source the one that the messages are of")
    if any("octet" in kind and kind != "octet" for kind in types.values()):
        sys.exit(name + " has a list of byte, which rclpy holds as objects; not measured")
    serialize_message(found())
print("rclpy", version("rclpy"))
"""


def variables(ros2: Ros2Installation) -> Mapping[str, str] | None:
    """Return a process's variables there; None for those of this process."""
    return None if ros2.python is None else environment(installed_packages())


def probed(about: Subject, ros2: Ros2Installation) -> tuple[str, str]:
    """Return rclpy's version, or why it cannot take part."""
    fields = {
        message.full_name.replace(".", "/"): [attribute(field) for field in message.fields]
        for message in about.schema.messages()
    }
    if any(names == [DUMMY_FIELD] for names in fields.values()):
        return "", "rclpy has no field for a message without fields; not measured"
    probe = _PROBE.format(version=sys.version_info[:2])
    command = [str(ros2.interpreter), "-P", "-c", probe, json.dumps(fields)]
    try:
        done = children.run(command, variables(ros2), _TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "", f"rclpy: no answer after {_TIMEOUT_S} s"
    if done.returncode == 0:
        return done.stdout.strip(), ""
    if done.returncode == 3:
        return "", MISSING
    return "", (done.stderr.strip().splitlines() or ["rclpy: no reason given"])[-1]
