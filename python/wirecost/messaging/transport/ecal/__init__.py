# SPDX-License-Identifier: Apache-2.0
"""eCAL on one machine."""

from wirecost.messaging.transport.ecal.adapter import Ecal

TRANSPORTS = (Ecal,)
