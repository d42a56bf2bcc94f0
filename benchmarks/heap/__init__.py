# SPDX-License-Identifier: Apache-2.0
"""Allocators under a lidar callback and under many threads."""
