# SPDX-License-Identifier: Apache-2.0
"""Probe logs as tables and as a page."""
