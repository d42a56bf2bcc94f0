# SPDX-License-Identifier: Apache-2.0
"""How true the figures of ``wirecost cost`` are: promises against what the kernel counts."""
