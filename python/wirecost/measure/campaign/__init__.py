# SPDX-License-Identifier: Apache-2.0
"""Many measurements from one file (docs/decisions/0015-campaigns.md)."""
