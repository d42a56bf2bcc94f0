# SPDX-License-Identifier: Apache-2.0
"""Replaying a recording to its node alone, and measuring that."""
