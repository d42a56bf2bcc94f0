# SPDX-License-Identifier: Apache-2.0
"""Topics of recordings as columns in Arrow's memory layout."""
