# SPDX-License-Identifier: Apache-2.0
"""The processes of ``bench map``. They import nothing but the standard library, so that their own
memory is small beside the map's."""
