# SPDX-License-Identifier: Apache-2.0
"""Which transport is for what, by what was measured of each: pure functions."""
