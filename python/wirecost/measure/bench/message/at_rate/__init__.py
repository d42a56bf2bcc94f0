# SPDX-License-Identifier: Apache-2.0
"""Costs of carrying messages over a transport."""
