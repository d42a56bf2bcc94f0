# SPDX-License-Identifier: Apache-2.0
"""iceoryx2: shared memory without a daemon."""

from wirecost.messaging.transport.iceoryx2.adapter import Iceoryx2

TRANSPORTS = (Iceoryx2,)
