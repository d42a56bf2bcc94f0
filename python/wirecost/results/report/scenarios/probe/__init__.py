# SPDX-License-Identifier: Apache-2.0
"""The cost of probes."""
