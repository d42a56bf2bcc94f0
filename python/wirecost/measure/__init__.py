# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: scenarios, hosts with a bad network between them, campaigns."""
