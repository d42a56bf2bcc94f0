# SPDX-License-Identifier: Apache-2.0
"""Budgets of real-time code, and whether recorded executions keep them."""
