# SPDX-License-Identifier: Apache-2.0
"""The notification of RSB's ticket 997 over several wires and libraries."""
