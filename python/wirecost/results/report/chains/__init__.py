# SPDX-License-Identifier: Apache-2.0
"""Chains of callbacks as tables and for Perfetto."""
