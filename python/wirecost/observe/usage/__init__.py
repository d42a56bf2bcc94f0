# SPDX-License-Identifier: Apache-2.0
"""What processes use while something is measured: processor time, switches, memory."""
