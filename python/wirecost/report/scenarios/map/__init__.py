# SPDX-License-Identifier: Apache-2.0
"""One map, many processes."""
