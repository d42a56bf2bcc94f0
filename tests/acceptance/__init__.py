# SPDX-License-Identifier: Apache-2.0
"""Goals of this project for its own code, and whether a measured run meets them."""
