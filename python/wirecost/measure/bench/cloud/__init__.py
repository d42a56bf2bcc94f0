# SPDX-License-Identifier: Apache-2.0
"""``bench cloud``: two point cloud callbacks in three versions, plain and under the heap.

The versions are the usual one, the one that Autoware's page on real-time performance recommends,
and wirecost's.
"""
