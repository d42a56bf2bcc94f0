# SPDX-License-Identifier: Apache-2.0
"""Messages of ROS: schemas and bytes, read and written by ``rosbags``."""
