# SPDX-License-Identifier: Apache-2.0
"""Codecs of point clouds beside each other."""
