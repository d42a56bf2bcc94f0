# SPDX-License-Identifier: Apache-2.0
"""A recording's files: messages (MCAP), the node's snapshot, and what others need to read them."""
