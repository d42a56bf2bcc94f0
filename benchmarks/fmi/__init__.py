# SPDX-License-Identifier: Apache-2.0
"""What an FMI variable costs, and memory that FMUs share instead of copies."""
