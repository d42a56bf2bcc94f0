# SPDX-License-Identifier: Apache-2.0
"""``bench osi``: Protobuf, FlatBuffers … over an OSMP co-simulation of a source and a sensor."""
