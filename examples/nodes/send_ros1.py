# SPDX-License-Identifier: Apache-2.0
"""Publishes scans as /points into a ROS 1 system, until it ends or Ctrl-C."""

import rospy
import scans
from sensor_msgs.msg import PointCloud2, PointField
from std_msgs.msg import Header


def main() -> None:
    options = scans.options(__doc__)
    messages = scans.turns(options.scan)
    rospy.init_node("scans")
    publisher = rospy.Publisher("/points", PointCloud2, queue_size=10)
    fields = [PointField(name, offset, kind, 1) for name, offset, kind in scans.FIELDS]
    for points in scans.at_rate(messages, options.rate):
        if rospy.is_shutdown():
            break
        publisher.publish(
            PointCloud2(
                header=Header(stamp=rospy.Time.now(), frame_id=scans.FRAME),
                height=1,
                width=len(points) // scans.STEP,
                fields=fields,
                point_step=scans.STEP,
                row_step=len(points),
                data=points,
                is_dense=True,
            )
        )


if __name__ == "__main__":
    main()
