# SPDX-License-Identifier: Apache-2.0
"""Traces in the Common Trace Format 1.8, as LTTng writes them."""
