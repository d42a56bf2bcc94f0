# SPDX-License-Identifier: Apache-2.0
"""Recording what one node of a running system receives and sends."""
