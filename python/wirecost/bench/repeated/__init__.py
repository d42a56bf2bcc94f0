# SPDX-License-Identifier: Apache-2.0
"""``bench repeated``: lists of several sensors' elements, and real scans, in every encoding."""
