# SPDX-License-Identifier: Apache-2.0
"""``bench transport``: raw bytes between processes, and what that costs.

Clients import this package where little else is installed: only ``race`` needs the rest.
"""
