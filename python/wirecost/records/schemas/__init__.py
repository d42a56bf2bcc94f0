# SPDX-License-Identifier: Apache-2.0
"""What the folders of each scenario must hold, one scenario a module."""

from __future__ import annotations

from wirecost.records.schemas import (
    classes,
    cloud,
    heap,
    lists,
    map,
    message,
    notification,
    osi,
    probe,
    replay,
    tensor,
    transport,
)
from wirecost.records.schemas.common import Schema

SCHEMAS: dict[str, Schema] = {
    "osi": osi.SCHEMA,
    "notification": notification.SCHEMA,
    "lists": lists.SCHEMA,
    "replay": replay.SCHEMA,
    "probe": probe.SCHEMA,
    "cloud": cloud.SCHEMA,
    "heap": heap.SCHEMA,
    "tensor": tensor.SCHEMA,
    "transport": transport.SCHEMA,
    "map": map.SCHEMA,
    "classes": classes.SCHEMA,
    "message": message.SCHEMA,
}
"""By the scenario's name; no other name in a folder leads anywhere."""
