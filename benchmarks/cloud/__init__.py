# SPDX-License-Identifier: Apache-2.0
"""Two point cloud callbacks of Autoware's page in three versions, plain and under the heap."""
