# SPDX-License-Identifier: Apache-2.0
"""Usage of processor time, switches and memory by processes while something is measured."""
