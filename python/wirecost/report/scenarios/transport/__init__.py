# SPDX-License-Identifier: Apache-2.0
"""What a transport costs, and what it survives."""
