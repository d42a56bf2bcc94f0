# SPDX-License-Identifier: Apache-2.0
"""A system's cost as an answer, a table and a page."""
