# SPDX-License-Identifier: Apache-2.0
"""The smallest scenario: two ways of sorting numbers."""
