# SPDX-License-Identifier: Apache-2.0
"""Messages with tensors in them between processes: publish, subscribe, request, serve.

Joins ``wirecost.tensor``, which makes frames of objects, and ``wirecost.transport``, which carries
them. Everything here may be used by several threads, and closed by any of them.
"""

from wirecost.messaging.client import Client, request
from wirecost.messaging.publication import Publication, publish
from wirecost.messaging.schema import Tensor, schema_of
from wirecost.messaging.service import Asked, Service, serve
from wirecost.messaging.subscription import Subscription, subscribe

__all__ = [
    "Asked",
    "Client",
    "Publication",
    "Service",
    "Subscription",
    "Tensor",
    "publish",
    "request",
    "schema_of",
    "serve",
    "subscribe",
]
