# SPDX-License-Identifier: Apache-2.0
"""What several studies of messages need."""
