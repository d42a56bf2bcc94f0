# SPDX-License-Identifier: Apache-2.0
"""What rclpy and rospy take for messages of the types that are installed with them."""
