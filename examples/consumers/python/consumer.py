# SPDX-License-Identifier: Apache-2.0
"""Encodes a message and decodes it again."""

from wire.consumer.state import State

sent = State(name="joint", positions=[0.5])
data = sent.encode_protobuf()
print(f"{len(data)} bytes, position {State.decode_protobuf(data).positions[0]}")
