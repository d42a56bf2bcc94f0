# SPDX-License-Identifier: Apache-2.0
"""Two runs, row by row."""
