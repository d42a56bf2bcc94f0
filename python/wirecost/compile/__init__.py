# SPDX-License-Identifier: Apache-2.0
"""The schema compiler: frontends → schema (IR) → plan (one a wire) → emit (templates)."""
