# SPDX-License-Identifier: Apache-2.0
"""Parts that several middlewares use."""
