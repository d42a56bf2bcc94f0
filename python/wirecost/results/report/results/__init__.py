# SPDX-License-Identifier: Apache-2.0
"""A result folder as a page, figures and tables."""
