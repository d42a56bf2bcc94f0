# SPDX-License-Identifier: Apache-2.0
"""What the machine is like on which a number was taken."""
