# SPDX-License-Identifier: Apache-2.0
"""Tensor frames under a meter: what decoding them costs, in proportion to their bytes."""
