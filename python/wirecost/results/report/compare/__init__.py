# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side."""
