# SPDX-License-Identifier: Apache-2.0
"""What several reports need: tables, figures of executions, pages, units."""
