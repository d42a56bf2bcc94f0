# SPDX-License-Identifier: Apache-2.0
"""Stand-ins: real publishers and subscribers with a user's messages, and what each process pays."""
