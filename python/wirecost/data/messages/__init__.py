# SPDX-License-Identifier: Apache-2.0
"""Types of messages, and the bytes and values of their fields."""
