# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost lost --live`` says of messages that die on purpose."""
