# SPDX-License-Identifier: Apache-2.0
"""The messages that ROS makes of services and actions."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path

from wirecost.schema.compile.frontends.ros.packages import folder_of, name_of, read
from wirecost.system.errors import UserError

_SPLIT = re.compile(r"^[ \t]*---[ \t]*(?:#.*)?$", re.MULTILINE)
_GOAL_ID = "unique_identifier_msgs/UUID goal_id\n"
_EVENT = (
    "service_msgs/ServiceEventInfo info\n{name}_Request[<=1] request\n"
    "{name}_Response[<=1] response\n"
)
_ACTION2 = {
    "{name}_SendGoal_Request": f"{_GOAL_ID}{{name}}_Goal goal\n",
    "{name}_SendGoal_Response": "bool accepted\nbuiltin_interfaces/Time stamp\n",
    "{name}_GetResult_Request": _GOAL_ID,
    "{name}_GetResult_Response": "int8 status\n{name}_Result result\n",
    "{name}_FeedbackMessage": f"{_GOAL_ID}{{name}}_Feedback feedback\n",
    "{name}_SendGoal_Event": _EVENT.replace("{name}", "{name}_SendGoal"),
    "{name}_GetResult_Event": _EVENT.replace("{name}", "{name}_GetResult"),
}
_STATUS = "Header header\nactionlib_msgs/GoalStatus status\n"
_ACTION1 = {
    "{name}ActionGoal": "Header header\nactionlib_msgs/GoalID goal_id\n{name}Goal goal\n",
    "{name}ActionResult": f"{_STATUS}{{name}}Result result\n",
    "{name}ActionFeedback": f"{_STATUS}{{name}}Feedback feedback\n",
}
_PARTS = {
    (".srv", "ros1"): (("{name}Request", "{name}Response"), {}),
    (".srv", "ros2"): (("{name}_Request", "{name}_Response"), {"{name}_Event": _EVENT}),
    (".action", "ros1"): (("{name}Goal", "{name}Result", "{name}Feedback"), _ACTION1),
    (".action", "ros2"): (("{name}_Goal", "{name}_Result", "{name}_Feedback"), _ACTION2),
}
"""Names of parts, and messages made of them, by kind of file and dialect."""


def parts(text: str) -> list[str]:
    """Return the parts between the lines ``---`` of a file."""
    return _SPLIT.split(text)


def messages(path: Path, dialect: str) -> dict[str, str]:
    """Return texts by name, ``pkg/Fibonacci_Goal``; none of a ``.msg``. Raises UserError."""
    if (path.suffix, dialect) not in _PARTS:
        return {}
    names, _ = _PARTS[path.suffix, dialect]
    sections = parts(read(path).replace("\r\n", "\n"))
    if len(sections) != len(names):
        raise UserError(
            f"{path}: error: has {len(sections) - 1} lines `---`, where {path.suffix} files have "
            f"{len(names) - 1}; part it by them"
        )
    return _named(name_of(folder_of(path)), path.stem, sections, (path.suffix, dialect))


def parted(name: str, text: str, dialect: str) -> dict[str, str]:
    """Return texts by name of a text; empty where no lines ``---`` part it.

    ``name``: its own, or that of a message made of it, as ``pkg/AddTwoInts_Event``.
    """
    sections = parts(text)
    package, _, message = name.rpartition("/")
    for kind, (names, makes) in _PARTS.items():
        if kind[1] == dialect and len(sections) == len(names):
            return _named(package, _stem(message, (*names, *makes)), sections, kind)
    return {}


def made(name: str, present: Collection[str], dialect: str) -> str | None:
    """Return the text of a message that ROS makes of the parts of a service or an action.

    None where none of ``present`` is such a part.
    """
    for (_, of), (names, makes) in _PARTS.items():
        package, _, message = name.rpartition("/")
        stem = _stem(message, tuple(makes))
        text = makes.get(message.replace(stem, "{name}", 1))
        if (
            of == dialect
            and text
            and {f"{package}/{_of(stem, part)}" for part in names} & {*present}
        ):
            return _of(stem, text)
    return None


def _named(package: str, stem: str, sections: list[str], kind: tuple[str, str]) -> dict[str, str]:
    names, makes = _PARTS[kind]
    texts = dict(zip(names, sections, strict=True)) | {
        name: _of(stem, text) for name, text in makes.items()
    }
    return {f"{package}/{_of(stem, name)}": text for name, text in texts.items()}


def _stem(message: str, names: Sequence[str]) -> str:
    """Return the name of the service or action that a message is made of."""
    endings = [name.removeprefix("{name}") for name in names]
    return message.removesuffix(max(filter(message.endswith, endings), key=len, default=""))


def _of(stem: str, text: str) -> str:
    return text.replace("{name}", stem)
