# SPDX-License-Identifier: Apache-2.0
"""Our generated Python, pure and as an extension over the generated C++, for every wire."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from typing import Any

from wirecost.bench.notification.content import Value
from wirecost.bench.notification.cpp import PROGRAMS
from wirecost.bench.notification.python_contenders import About, attributes

GENERATED = PROGRAMS / "notification_python"
PACKAGES = {"wirecost": "wire", "wirecost-native": "wire_native"}


class Wirecost:
    """One package on one wire."""

    read = staticmethod(attributes.read)
    value = staticmethod(attributes.value)

    def __init__(self, name: str, wire: str) -> None:
        library = f"wirecost compile {version('wirecost')}"
        self.about = About(name, "new", wire, library, "owning, validating")
        module = importlib.import_module(f"{PACKAGES[name]}.rsb.protocol.notification")
        self._notification: Any = module.Notification
        self._event_id = module.EventId
        self._meta_data = module.EventMetaData
        self._user_time = module.EventMetaData_UserTime
        self._user_info = module.EventMetaData_UserInfo
        self._encode = getattr(self._notification, f"encode_{wire}")
        self.decode = getattr(self._notification, f"decode_{wire}")

    def fill(self, v: Value) -> Any:
        make_id = self._event_id
        create, send, receive, deliver = v.times
        return self._notification(
            event_id=make_id(sender_id=v.event_id[0], sequence_number=v.event_id[1]),
            scope=v.scope,
            wire_schema=v.wire_schema,
            data=v.data,
            method=v.method or None,
            causes=[make_id(sender_id=i, sequence_number=n) for i, n in v.causes],
            meta_data=self._meta_data(
                create_time=create,
                send_time=send,
                receive_time=receive or None,
                deliver_time=deliver or None,
                user_times=[self._user_time(key=k, timestamp=t) for k, t in v.user_times],
                user_infos=[self._user_info(key=k, value=i) for k, i in v.user_infos],
            ),
        )

    def encode(self, message: Any) -> bytes:
        data: bytes = self._encode(message)
        return data


def contenders() -> list[Wirecost]:
    """Raises ImportError where the packages were not built."""
    if not GENERATED.is_dir():
        raise ImportError("install wirecost from a checkout with `make run`")
    sys.path.insert(0, str(GENERATED))
    return [Wirecost(name, wire) for name in PACKAGES for wire in ("protobuf", "ros1", "cdr")]
