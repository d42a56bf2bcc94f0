# SPDX-License-Identifier: Apache-2.0
"""Zenoh, over sockets alone or with messages in its shared memory."""

from wirecost.messaging.transport.zenoh.adapter import Zenoh
from wirecost.messaging.transport.zenoh.shm import ZenohSharedMemory

TRANSPORTS = (Zenoh, ZenohSharedMemory)
