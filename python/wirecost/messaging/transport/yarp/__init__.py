# SPDX-License-Identifier: Apache-2.0
"""YARP."""

from wirecost.messaging.transport.yarp.adapter import Yarp

TRANSPORTS = (Yarp,)
