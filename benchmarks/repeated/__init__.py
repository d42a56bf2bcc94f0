# SPDX-License-Identifier: Apache-2.0
"""Lists of sensors' elements in rows and in columns."""
