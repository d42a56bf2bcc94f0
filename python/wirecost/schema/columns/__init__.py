# SPDX-License-Identifier: Apache-2.0
"""Messages of OSI between rows and columns."""
