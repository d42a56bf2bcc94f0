# SPDX-License-Identifier: Apache-2.0
"""Recording what one node receives in a running system, and replaying it to that node alone."""
