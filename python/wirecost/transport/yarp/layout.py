# SPDX-License-Identifier: Apache-2.0
"""How a message lies in a grey image, the one type whose memory Python can give and take: rows of
4096 bytes, the message's size as u64 and 56 zeros, the message, and zeros."""

import struct

ROW = 4096
SIZE = struct.Struct("<Q56x")
