# SPDX-License-Identifier: Apache-2.0
"""A service, or a client of it that waits until it is available and prints so."""

from __future__ import annotations

import contextlib
import sys
import time

import rclpy
from rclpy.executors import ExternalShutdownException
from std_srvs.srv import SetBool


def answer(request: SetBool.Request, response: SetBool.Response) -> SetBool.Response:
    response.success = request.data
    return response


def serve() -> None:
    node = rclpy.create_node("server")
    node.create_service(SetBool, "switch", answer)
    print("ready", flush=True)
    rclpy.spin(node)


def call(times: int) -> None:
    node = rclpy.create_node("client")
    client = node.create_client(SetBool, "switch")
    if not client.wait_for_service(timeout_sec=10):
        sys.exit("the service is not available")
    time.sleep(2)  # a recorder, too, has to be discovered; calls before that are not recorded
    for _ in range(times):
        done = client.call_async(SetBool.Request(data=True))
        rclpy.spin_until_future_complete(node, done, timeout_sec=10)
        if not done.done():
            sys.exit("no reply")


rclpy.init()
with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
    call(int(sys.argv[2])) if sys.argv[1] == "call" else serve()
