# SPDX-License-Identifier: Apache-2.0
"""Chains of callbacks over several nodes and processes, from a message to an output.

``hops`` finds which callback took which message and what it published, ``walk`` follows an output
back to its input, ``latency`` says where the time went and why deadlines were missed.
"""
