# SPDX-License-Identifier: Apache-2.0
"""``bench cloud``: two point cloud callbacks as they are usually written, as Autoware's page on
real-time performance recommends, and as wirecost has them; plain and under the heap."""
