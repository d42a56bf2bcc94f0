# SPDX-License-Identifier: Apache-2.0
"""A node's services: made, or opened where others have made them, and who else uses them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from wirecost.messaging.transport.iceoryx2.leftovers import clear_services
from wirecost.messaging.transport.iceoryx2.memory import Block
from wirecost.messaging.transport.iceoryx2.wake import Wake
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

MOST_DEPTH = 64
MOST_ENDS = 16
"""Publishers, and subscribers, of a topic."""
MOST_NODES = 64
CHANGED_DEFAULTS = (
    "payload_alignment 64", f"subscriber_max_buffer_size {MOST_DEPTH}",
    f"subscriber_max_borrowed_samples {MOST_DEPTH}", f"max_publishers {MOST_ENDS}",
    f"max_subscribers {MOST_ENDS}", f"max_nodes {MOST_NODES}",
)  # fmt: skip
POLL_S = 0.002
"""Between looks at whether somebody is there: iceoryx2 reports it to nobody."""
DEAD_S = 0.2
"""Between looks for killed processes, which count as there until they are cleared away."""
PATIENCE_S = 6.0
"""Seconds to wait for services that others make or remove at the same moment."""


class Services:
    """Services of one node, which ends when ``node`` is set to None."""

    def __init__(self, library: Any, node: Any) -> None:
        self.library = library
        self.node = node

    def _open(self, make: Callable[[Any], Any], name: str) -> Any:
        """Open a service, which somebody else may just be making or removing. Raises UserError."""
        try:
            service_name = self.library.ServiceName.new(name)
        except self.library.SemanticStringError as error:
            raise UserError(f"iceoryx2: topic {name!r} must have 1 to 255 characters") from error
        end = Deadline(PATIENCE_S)
        while True:
            try:
                return make(self.node.service_builder(service_name))
            except Exception as error:
                if end.passed:
                    raise UserError(
                        f"iceoryx2: {name!r} cannot be opened ({error}): another program uses it"
                        " with other settings, or a killed one left it; take another name"
                    ) from error
            clear_services(self.node.config.global_cfg)
            self.clear_dead()
            time.sleep(POLL_S)

    def open_wake(self, name: str) -> Wake:
        return Wake(
            self.library,
            self._open(
                lambda builder: (
                    builder.event()
                    .max_listeners(MOST_ENDS)
                    .max_notifiers(MOST_ENDS)
                    .max_nodes(MOST_NODES)
                    .open_or_create()
                ),
                name,
            ),
        )

    def open_topic(self, topic: str, overwrites: bool = True) -> Any:
        """Open a topic's service.

        ``overwrites``: a new message takes the place of the oldest where there is no room.
        """
        return self._open(
            lambda builder: (
                builder.publish_subscribe(self.library.Slice[Block])
                .payload_alignment(self.library.Alignment.new(64))
                .enable_safe_overflow(overwrites)
                .subscriber_max_buffer_size(MOST_DEPTH)
                .subscriber_max_borrowed_samples(MOST_DEPTH)
                .max_publishers(MOST_ENDS)
                .max_subscribers(MOST_ENDS)
                .max_nodes(MOST_NODES)
                .open_or_create()
            ),
            topic,
        )

    def open_service(self, service: str) -> Any:
        blocks = self.library.Slice[Block]
        alignment = self.library.Alignment.new(64)
        return self._open(
            lambda builder: (
                builder.request_response(blocks, blocks)
                .request_payload_alignment(alignment)
                .response_payload_alignment(alignment)
                .max_clients(MOST_ENDS)
                .max_servers(1)
                .max_nodes(MOST_NODES)
                .open_or_create()
            ),
            service,
        )

    def clear_dead(self) -> None:
        """Remove what killed processes left, and that they are counted as there."""
        self.node.try_cleanup_dead_nodes()

    def seen(self, there: Callable[[], bool], timeout: float) -> bool:
        """Return whether somebody who is alive is there within ``timeout`` seconds."""
        end = time.monotonic() + timeout
        self.clear_dead()
        cleared = time.monotonic()
        while not there():
            now = time.monotonic()
            if now >= end:
                return False
            if now - cleared > DEAD_S:
                self.clear_dead()
                cleared = now
            time.sleep(POLL_S)
        return True
