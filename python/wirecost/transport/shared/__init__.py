# SPDX-License-Identifier: Apache-2.0
"""What several middlewares use."""
