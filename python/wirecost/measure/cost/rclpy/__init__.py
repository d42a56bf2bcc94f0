# SPDX-License-Identifier: Apache-2.0
"""What rclpy takes for messages of the types that are installed with it."""
