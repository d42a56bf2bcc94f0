# SPDX-License-Identifier: Apache-2.0
"""Measurements: records, analysis, reports, stores and notebooks."""
