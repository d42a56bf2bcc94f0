# SPDX-License-Identifier: Apache-2.0
"""Scenarios: each measures and writes a result folder, and knows nothing of reports."""
