# SPDX-License-Identifier: Apache-2.0
"""Nodes of ROS in the names of sections.

``/filter /points Filter::on_points(...)`` is the callback of the node ``/filter`` for the topic
``/points``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from wirecost.system.function_names import short_names

TAKES = ("subscription", "timer", "service", "client", "action", "task", "guard condition", "event")
"""Kinds that are callbacks."""
TAKE_SECTION, SEND_SECTION = "take", "send"
"""Sections of the middleware: hand a deserialized message over, send a serialized one."""
WAITS = (
    "publish→take",
    "take→callback",
    "queued→callback",
    "queue wait",
    "deserialize",
    TAKE_SECTION,
    SEND_SECTION,
)
"""Kinds of what a subscription or a publisher does beside its callback."""
KEPT = "kept for "
INFRASTRUCTURE = frozenset({"/parameter_events", "/rosout", "/clock", "?"})
"""Topics that every node has, and publishers that nobody knows: up to Iron rcl's own of /rosout."""
NODE = r"(/\S*|\?)"
PUBLISH = re.compile(rf"^{NODE} publish (\S+)$")
IDLE = re.compile(rf"^{NODE} (executor idle)$")
TIMER = re.compile(rf"^{NODE} timer(?: (\S+ \ws))?(?: (.+))?$")
NAMED = re.compile(rf"^{NODE} (service|client|action) (\S+)(?: (.+))?$")
OF_NODE = re.compile(rf"^{NODE} (task|guard condition|event) (.+)$")
SUBSCRIPTION = re.compile(rf"^{NODE} (/\S*|\?) (.+)$")
LINK = r"^(/\S*|\?) (message_link_\w+) (\S+) → (\S+)$"
HEADER = r"^(/\S*|\?) (publish )?(\S+) header stamp$"
STATEMENT = re.compile(rf"{LINK}|{HEADER}")
"""Records that are no executions: what a program says of its messages."""
_BIND = re.compile(r"^std::_Bind<[^(]*\((.+?)::\*\(.*?\)\)?\((.*)\)")
_CONSTRUCTOR = re.compile(r"\b(\w+)::\1::\{lambda")
_LAMBDA = re.compile(r"\{lambda[^#]*#(\d+)\}?")


@dataclass(frozen=True)
class RosPlace:
    """Place of a section in a system of nodes.

    ``what``: the topic, service or period; ``distinction``: from others of the node that have the
    same topic and kind.
    """

    node: str
    what: str
    kind: str
    symbol: str = ""
    distinction: str = ""

    @property
    def name(self) -> str:
        kind = f"{self.kind} {self.distinction}".rstrip()
        return " · ".join(filter(None, (self.node, self.what, kind)))

    @property
    def is_callback(self) -> bool:
        return self.kind in TAKES

    @property
    def is_infrastructure(self) -> bool:
        return self.what in INFRASTRUCTURE


def place_of(section: str) -> RosPlace | None:
    """Return the place; None for sections that are no node's."""
    place = None
    if match := PUBLISH.match(section):
        place = RosPlace(match[1], match[2], "publish")
    elif match := IDLE.match(section):
        place = RosPlace(match[1], "", match[2])
    elif match := TIMER.match(section):
        place = RosPlace(match[1], match[2] or "", "timer", short_symbol(match[3] or ""))
    elif match := NAMED.match(section):
        place = RosPlace(match[1], match[3], match[2], short_symbol(match[4] or ""))
    elif match := OF_NODE.match(section):
        place = RosPlace(match[1], "", match[2], short_symbol(match[3]))
    elif match := SUBSCRIPTION.match(section):
        if match[3] in WAITS or match[3].startswith(KEPT):
            place = RosPlace(match[1], match[2], match[3])
        else:
            place = RosPlace(match[1], match[2], "subscription", short_symbol(match[3]))
    return place


def places_of(sections: Iterable[str]) -> dict[str, RosPlace]:
    """Return the places that are of nodes, each with a name of its own.

    Where two callbacks of a node have the same topic and kind, their names have their symbols.
    """
    places = {name: place for name in sections if (place := place_of(name)) is not None}
    uses = Counter(place.name for place in places.values())
    return {
        name: replace(place, distinction=place.symbol or name) if uses[place.name] > 1 else place
        for name, place in places.items()
    }


def shown_names(sections: Iterable[str]) -> dict[str, str]:
    """Name each as tables do: by its place among nodes, else shortened."""
    every = list(dict.fromkeys(sections))
    places = places_of(every)
    others = short_names(name for name in every if name not in places)
    return others | {name: place.name for name, place in places.items()}


def short_symbol(symbol: str) -> str:
    """Return a C++ name without template arguments and parameters.

    A lambda of a constructor is one of its class: ``Filter::{lambda#1}``; of what std::bind makes,
    the class and the parameters of its method: ``Filter::*(std::shared_ptr)``.
    """
    if match := _BIND.match(symbol):
        inner = _outside(match[2].replace("std::__cxx11::", "std::"), "<>")
        return f"{_outside(match[1], '<>')}::*({inner})"
    name = _LAMBDA.sub(lambda found: f"{{lambda#{found[1]}}}", _outside(symbol, "<>()"))
    return _CONSTRUCTOR.sub(r"\1::{lambda", name).strip() or symbol


def _outside(text: str, brackets: str) -> str:
    """Return what is in none of these brackets.

    They may lack their ends, as in a name that was cut.
    """
    opening, closing = brackets[::2], brackets[1::2]
    chars, depth = [], 0
    for at, char in enumerate(text):
        if char in closing and depth and text[at - 1 : at + 1] != "->":
            depth -= 1
        elif char in opening and not text[:at].endswith("operator"):
            depth += 1
        elif depth == 0:
            chars.append(char)
    return "".join(chars)
