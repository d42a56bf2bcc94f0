# SPDX-License-Identifier: Apache-2.0
"""What a transport takes to carry messages."""
