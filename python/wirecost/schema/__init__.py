# SPDX-License-Identifier: Apache-2.0
"""Schemas and what is made of them: codecs, and lists as columns."""
