# SPDX-License-Identifier: Apache-2.0
"""What a campaign's store says: across machines, and over time."""
