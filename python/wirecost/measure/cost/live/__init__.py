# SPDX-License-Identifier: Apache-2.0
"""A graph of nodes while it runs: who publishes what, how often, to whom."""
