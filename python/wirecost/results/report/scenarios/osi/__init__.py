# SPDX-License-Identifier: Apache-2.0
"""The OSI co-simulation."""
