# SPDX-License-Identifier: Apache-2.0
"""Codec plans: what a codec does, step by step, independent of the target language.

``wires`` lists the wires; ``sequential`` plans those that write every field in order.
"""
