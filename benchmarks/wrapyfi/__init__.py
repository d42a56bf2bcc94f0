# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi, unmodified, beside the transports of wirecost: Figure 1 of its documentation."""
