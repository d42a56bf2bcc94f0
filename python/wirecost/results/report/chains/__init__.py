# SPDX-License-Identifier: Apache-2.0
"""Chains of callbacks as tables, as OpenTelemetry traces and for Perfetto."""
