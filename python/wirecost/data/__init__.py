# SPDX-License-Identifier: Apache-2.0
"""Files of others: traces, point clouds, OSI, and how to store their columns."""
