# SPDX-License-Identifier: Apache-2.0
"""What ``doctor --noise`` measured."""
