# SPDX-License-Identifier: Apache-2.0
"""Tensors over middlewares."""
