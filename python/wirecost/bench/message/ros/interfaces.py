# SPDX-License-Identifier: Apache-2.0
"""The messages that ROS makes of services and actions."""

from __future__ import annotations

import re
from pathlib import Path

from wirecost.compile.frontends.ros.packages import folder_of, name_of, read
from wirecost.errors import UserError

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
"""By kind of file and dialect: names of its parts, and the messages made of them."""


def parts(text: str) -> list[str]:
    """What is between the lines ``---`` of a file."""
    return _SPLIT.split(text)


def messages(path: Path, dialect: str) -> dict[str, str]:
    """Texts by name, ``pkg/Fibonacci_Goal``; none of a ``.msg``. Raises UserError."""
    if (path.suffix, dialect) not in _PARTS:
        return {}
    names, made = _PARTS[path.suffix, dialect]
    text = read(path).replace("\r\n", "\n")
    found = parts(text)
    if len(found) != len(names):
        raise UserError(
            f"{path}: error: has {len(found) - 1} lines `---`, where {path.suffix} files have "
            f"{len(names) - 1}; part it by them"
        )
    package = name_of(folder_of(path))
    texts = dict(zip(names, found, strict=True)) | made
    return {
        f"{package}/{name.replace('{name}', path.stem)}": text.replace("{name}", path.stem)
        for name, text in texts.items()
    }
