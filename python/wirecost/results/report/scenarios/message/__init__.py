# SPDX-License-Identifier: Apache-2.0
"""A user's own message."""
