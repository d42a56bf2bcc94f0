# SPDX-License-Identifier: Apache-2.0
"""State of the machine on which a number was taken."""
