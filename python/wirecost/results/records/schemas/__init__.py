# SPDX-License-Identifier: Apache-2.0
"""What the folders of each scenario must hold, one scenario a module."""

from __future__ import annotations

from wirecost.results.records.schemas import (
    classes,
    cloud,
    heap,
    message,
    notification,
    osi,
    probe,
    repeated,
    replay,
    tensor,
    transport,
)
from wirecost.results.records.schemas.common import Scenario

SCENARIOS: dict[str, Scenario] = {
    "osi": osi.SCENARIO,
    "notification": notification.SCENARIO,
    "lists": repeated.SCENARIO,
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
