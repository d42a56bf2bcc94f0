# SPDX-License-Identifier: Apache-2.0
"""Statements on a campaign's store: across machines, and over time."""
