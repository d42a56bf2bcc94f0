# SPDX-License-Identifier: Apache-2.0
"""Recordings: what their channels say of their messages, and the bytes of these."""
