# SPDX-License-Identifier: Apache-2.0
"""Damaged recordings: what is taken from them, beside what the formats' own libraries yield."""
