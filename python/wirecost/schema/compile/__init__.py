# SPDX-License-Identifier: Apache-2.0
"""The schema compiler: frontends → schema (IR) → plan (by wire) → emit (by language)."""
