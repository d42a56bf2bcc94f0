# SPDX-License-Identifier: Apache-2.0
"""A running program and its machine: probes, heap, use of processors, remedies, doctor."""
