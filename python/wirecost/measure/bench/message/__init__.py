# SPDX-License-Identifier: Apache-2.0
"""``bench message``: what a user's own message costs, and which of its fields cost it."""
