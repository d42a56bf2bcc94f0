# SPDX-License-Identifier: Apache-2.0
"""``bench tensor``: arrays, tensors and tables between two processes, at a rate.

Workers import this package where little else is installed: only ``race`` needs the rest.
"""
