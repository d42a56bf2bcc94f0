# SPDX-License-Identifier: Apache-2.0
"""Parts of several reports: tables, figures of executions, pages, units."""
