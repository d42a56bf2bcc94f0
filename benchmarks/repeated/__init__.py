# SPDX-License-Identifier: Apache-2.0
"""Lists of sensors' elements: their values, their schemas, columns, and floors."""
