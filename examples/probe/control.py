# SPDX-License-Identifier: Apache-2.0
"""A control loop of rclpy at 200 Hz, and a budget that finds a copy in it.

Record and judge, with ROS 2 sourced:

    wirecost probe check --budget control.toml -- python3 control.py copy    # exceeded
    wirecost probe check --budget control.toml -- python3 control.py none    # met
"""

import sys
from array import array

import rclpy
from rclpy.node import Node
from std_msgs.msg import Float64MultiArray

JOINTS = 256
CYCLES = 600


class Controller(Node):
    def __init__(self, fault: str) -> None:
        super().__init__("controller")
        self.copies = fault == "copy"
        self.cycles = 0
        self.state = array("d", [0.0] * JOINTS)
        self.create_subscription(Float64MultiArray, "state", self.on_state, 1)
        self.timer = self.create_timer(0.005, self.on_cycle)

    def on_state(self, message: Float64MultiArray) -> None:
        self.state = message.data

    def on_cycle(self) -> None:
        state = self.state
        if self.copies:
            state = array("d", state)
        state[0] = 0.5 * state[1] - 0.1 * state[2]
        self.cycles += 1


def main() -> None:
    rclpy.init()
    controller = Controller(sys.argv[1] if len(sys.argv) > 1 else "none")
    while controller.cycles < CYCLES:
        rclpy.spin_once(controller)
    controller.destroy_node()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
