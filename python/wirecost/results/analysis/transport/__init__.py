# SPDX-License-Identifier: Apache-2.0
"""Judgement of transports by what was measured of each: pure functions."""
