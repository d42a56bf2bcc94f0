# SPDX-License-Identifier: Apache-2.0
"""Defaults of middlewares: a race "as installed" changes only what its tables list."""

from __future__ import annotations

import ast
import importlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from support import needs
from support.transport_peer import runtime_folder
from wirecost.measure.bench.transport.setting_groups import settings_of
from wirecost.messaging.transport import find
from wirecost.messaging.transport.quality import Quality
from wirecost.messaging.transport.settings import AskedQuality

PACKAGE = Path(str(importlib.import_module("wirecost.messaging.transport").__file__)).parent
MEETING = {
    "zeromq": {"rcvtimeo"},
    "websocket": {"logger", "process_request"},
    "mqtt": {"listener", "user", "allow_anonymous", "log_type", "log_dest"},
    "nats": {"host", "port", "error_cb", "allow_reconnect", "cb"},
    "iceoryx2": {"enable_safe_overflow", "open_or_create", "publish_subscribe", "new"},
}
"""Names that set no default: addresses, logs, and what a group of settings sets."""
ZENOH_MEETING = ("mode", "scouting/", "listen/", "connect/")


def changed(mware: str) -> str:
    return " ".join(settings_of(mware, AskedQuality())[0].changed_defaults)


def calls(file: str, *functions: str) -> list[ast.Call]:
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in functions
    ]


def keywords(file: str, *functions: str) -> set[str]:
    return {str(word.arg) for call in calls(file, *functions) for word in call.keywords}


def assigned(file: str, prefix: str) -> set[str]:
    """Return the attributes that a file sets on what begins with ``prefix``."""
    tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
    targets = [
        ast.unparse(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]
    return {name.rpartition(".")[2] for name in targets if re.match(prefix, name)}


def configured(file: str) -> set[str]:
    """Return the names in a server's configuration."""
    text = (PACKAGE / file).read_text(encoding="utf-8").partition('_CONFIG = f"""')[2]
    return set(re.findall(r"^(\w+)", text.partition('"""')[0].replace("\\\n", ""), re.MULTILINE))


def flat(settings: Any, path: str = "") -> dict[str, Any]:
    if not isinstance(settings, dict) or not settings:
        return {path: settings}
    parts = [flat(value, f"{path}/{name}".strip("/")) for name, value in settings.items()]
    return {name: value for part in parts for name, value in part.items()}


@pytest.mark.parametrize("name", ["zenoh", "zenoh-shm"])
def test_zenoh_as_installed_changes_how_peers_meet_alone(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs.transport(name)
    zenoh = importlib.import_module("zenoh")
    opened = []
    library_open = zenoh.open
    monkeypatch.setattr(zenoh, "open", lambda config: opened.append(config) or library_open(config))
    with runtime_folder():
        transport = find(name)(None)
        transport.close()
        transport.quality = Quality(untouched=True)
        ours = flat(json.loads(str(transport._settings("unixsock-stream/a", []))))
    makers = flat(json.loads(str(zenoh.Config())))
    others = [key for key in {*ours, *makers} if ours.get(key) != makers.get(key)]
    assert others
    assert [key for key in others if not key.startswith(ZENOH_MEETING)] == []
    assert makers["transport/shared_memory/enabled"] is True
    assert changed(name) == ""


@pytest.mark.parametrize(
    ("mware", "options"),
    [
        ("zeromq", assigned("zeromq/socket.py", r"self\.socket\.")),
        ("websocket", keywords("websocket.py", "serve")),
        ("mqtt", configured("mqtt.py") | {"TCP_NODELAY", "reconnect_delay_set"}),
        ("nats", configured("nats.py") | keywords("nats.py", "connect")),
        ("ecal", assigned("ecal/adapter.py", r"(config|layer)\.(?!.*acknowledge)") - {"enable"}),
        ("ros1", keywords("ros1.py", "Subscriber", "Publisher") - {"queue_size"}),
    ],
)
def test_each_option_that_is_set_is_listed(mware: str, options: set[str]) -> None:
    options -= MEETING.get(mware, set())
    assert options
    assert [option for option in sorted(options) if option not in changed(mware)] == []


def test_the_options_of_grpc_are_those_that_are_listed() -> None:
    grpc = importlib.import_module("wirecost.messaging.transport.grpc")
    assert changed("grpc") == " ".join(f"{name} {value}" for name, value in grpc._OPTIONS)


def test_the_shared_memory_that_dds_lacks_is_listed() -> None:
    assert "shared memory" in changed("dds")
