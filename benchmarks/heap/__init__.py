# SPDX-License-Identifier: Apache-2.0
"""``bench heap``: a callback's turnaround and threads' throughput under several allocators."""
