# SPDX-License-Identifier: Apache-2.0
"""``bench map``: a large map for several processes, copied to each or shared by all."""
