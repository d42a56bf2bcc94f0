# SPDX-License-Identifier: Apache-2.0
"""ZeroMQ, over Unix sockets or TCP."""

from wirecost.messaging.transport.zeromq.adapter import ZeroMQ, ZeroMQTCP

TRANSPORTS = (ZeroMQ, ZeroMQTCP)
