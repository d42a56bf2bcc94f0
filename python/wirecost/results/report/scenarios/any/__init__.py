# SPDX-License-Identifier: Apache-2.0
"""Words and figures that fit every scenario."""
