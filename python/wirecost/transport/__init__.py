# SPDX-License-Identifier: Apache-2.0
"""Middlewares that carry frames, one file each; ``base`` is what they have in common."""

from wirecost.transport.base import (
    Capabilities,
    Publisher,
    Replier,
    Request,
    Requester,
    Sample,
    Subscriber,
    Transport,
)
from wirecost.transport.package import Package
from wirecost.transport.registry import find, names, open_transport
from wirecost.transport.shared.trailer import Count

__all__ = [
    "Capabilities",
    "Count",
    "Package",
    "Publisher",
    "Replier",
    "Request",
    "Requester",
    "Sample",
    "Subscriber",
    "Transport",
    "find",
    "names",
    "open_transport",
]
