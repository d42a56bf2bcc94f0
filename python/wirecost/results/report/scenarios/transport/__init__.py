# SPDX-License-Identifier: Apache-2.0
"""The cost of a transport, and the faults that it survives."""
