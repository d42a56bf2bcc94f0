# SPDX-License-Identifier: Apache-2.0
"""How converting traces scales with workers: a measurement for a quiet machine, not a test."""
