# SPDX-License-Identifier: Apache-2.0
"""What the folders of each scenario must hold, one scenario a module."""

from __future__ import annotations

from wirecost.results.records.schemas import (
    classes,
    cloud,
    heap,
    lists,
    message,
    notification,
    osi,
    probe,
    replay,
    tensor,
    transport,
)
from wirecost.results.records.schemas.common import Scenario

SCENARIOS: dict[str, Scenario] = {
    "osi": osi.SCENARIO,
    "notification": notification.SCENARIO,
    "lists": lists.SCENARIO,
    "replay": replay.SCENARIO,
    "probe": probe.SCENARIO,
    "cloud": cloud.SCENARIO,
    "tensor": tensor.SCENARIO,
    "heap": heap.SCENARIO,
    "classes": classes.SCENARIO,
    "transport": transport.SCENARIO,
    "message": message.SCENARIO,
}
"""By the scenario's name; no other name in a folder leads anywhere."""
