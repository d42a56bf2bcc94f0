# SPDX-License-Identifier: Apache-2.0
"""What it costs to make columns of a recording, and what others take for it."""
