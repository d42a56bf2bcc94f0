# SPDX-License-Identifier: Apache-2.0
"""Two nodes in one process with a callback of each kind; prints as JSON how often each was called.

python callbacks.py single|multi|events TICKS [--ros-args …]
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from functools import partial
from typing import Any

import rclpy
from rclpy.action import ActionClient, ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup, ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor, SingleThreadedExecutor
from rclpy.node import Node
from std_msgs.msg import String
from std_srvs.srv import Trigger
from test_msgs.action import Fibonacci

GOALS, FEEDBACKS = 3, 4
PATIENCE_S = 30


class Worker(Node):
    def __init__(self, ticks: int, counts: Counter[str]) -> None:
        super().__init__("worker", namespace="/robot")
        self.ticks, self.counts = ticks, counts
        self.ticking, self.others = MutuallyExclusiveCallbackGroup(), ReentrantCallbackGroup()
        self.publisher = self.create_publisher(String, "chatter", 100)
        self.client = self.create_client(Trigger, "ask", callback_group=self.others)
        self.create_service(Trigger, "ask", self.on_ask, callback_group=self.others)
        self.create_subscription(String, "chatter", self.on_text, 100)
        self.create_subscription(
            String, "chatter", lambda _: self.count("lambda"), 100, callback_group=self.others
        )
        self.create_subscription(String, "chatter", partial(self.on_part, "part"), 100)
        self.create_subscription(String, "chatter", self.on_coroutine, 100)
        self.action = ActionServer(
            self,
            Fibonacci,
            "climb",
            self.on_execute,
            goal_callback=self.on_goal,
            cancel_callback=self.on_cancel,
            callback_group=self.others,
        )
        self.timer = self.create_timer(0.02, self.on_tick, callback_group=self.ticking)

    def count(self, name: str) -> None:
        self.counts[name] += 1

    def on_tick(self) -> None:
        self.count("on_tick")
        self.publisher.publish(String(data=str(self.counts["on_tick"])))
        self.client.call_async(Trigger.Request()).add_done_callback(self.on_answer)
        self.executor.create_task(self.on_task)
        if self.counts["on_tick"] == self.ticks:
            self.timer.cancel()

    def on_answer(self, _future: Any) -> None:
        self.count("on_answer")

    def on_task(self) -> None:
        self.count("on_task")

    def on_guard(self) -> None:
        self.count("on_guard")
        self.get_logger().info("woken")
        self.count("rosout")

    def on_text(self, _message: String) -> None:
        self.count("on_text")

    def on_part(self, name: str, _message: String) -> None:
        self.count("on_" + name)

    async def on_coroutine(self, _message: String) -> None:
        """Leaves its thread until the service has answered."""
        self.count("on_coroutine")
        await self.client.call_async(Trigger.Request())
        self.count("after on_coroutine")

    def on_ask(self, _request: Any, response: Any) -> Any:
        self.count("on_ask")
        return response

    def on_goal(self, _goal: Any) -> GoalResponse:
        self.count("on_goal")
        return GoalResponse.ACCEPT

    def on_cancel(self, _goal: Any) -> CancelResponse:
        self.count("on_cancel")
        return CancelResponse.REJECT

    async def on_execute(self, goal: Any) -> Any:
        self.count("on_execute")
        for _ in range(FEEDBACKS):
            goal.publish_feedback(Fibonacci.Feedback())
        goal.succeed()
        return Fibonacci.Result()


class Caller(Node):
    def __init__(self, counts: Counter[str], events: bool) -> None:
        super().__init__("caller")
        self.counts = counts
        # The executor of events gives a callback no more than the message.
        callback = self.on_message if events else self.on_far
        self.create_subscription(String, "/robot/talk", callback, 100)
        self.action = ActionClient(self, Fibonacci, "/robot/climb")

    def on_far(self, _message: String, _info: Any) -> None:
        self.counts["on_far"] += 1

    def on_message(self, _message: String) -> None:
        self.counts["on_message"] += 1

    def send(self) -> None:
        future = self.action.send_goal_async(Fibonacci.Goal(), feedback_callback=self.on_feedback)
        future.add_done_callback(self.on_response)

    def on_feedback(self, _message: Any) -> None:
        self.counts["on_feedback"] += 1

    def on_response(self, future: Any) -> None:
        self.counts["on_response"] += 1
        future.result().get_result_async().add_done_callback(self.on_result)

    def on_result(self, _future: Any) -> None:
        self.counts["on_result"] += 1


def executor_of(name: str) -> Any:
    if name == "events":
        from rclpy.experimental import EventsExecutor

        return EventsExecutor()
    return {"single": SingleThreadedExecutor, "multi": lambda: MultiThreadedExecutor(3)}[name]()


def main() -> None:
    ticks = int(sys.argv[2])
    counts: Counter[str] = Counter()
    rclpy.init()
    events = sys.argv[1] == "events"
    worker, caller = Worker(ticks, counts), Caller(counts, events)
    executor = executor_of(sys.argv[1])
    executor.add_node(worker)
    executor.add_node(caller)
    caller.action.wait_for_server()
    calls_wanted = dict.fromkeys(("on_answer", "on_text", "lambda", "on_part"), ticks)
    calls_wanted |= {"on_message" if events else "on_far": ticks}
    calls_wanted |= {"after on_coroutine": ticks, "on_task": ticks, "on_result": GOALS}
    for _ in range(GOALS):
        caller.send()
    if not events:  # that one calls no callbacks of guard conditions
        calls_wanted["on_guard"] = 1
        worker.create_guard_condition(worker.on_guard).trigger()
    until = time.monotonic() + PATIENCE_S
    while any(counts[name] < count for name, count in calls_wanted.items()):
        executor.spin_once(timeout_sec=0.1)
        if time.monotonic() > until:
            sys.exit(f"not all callbacks were called: {counts}")
    executor.shutdown()
    print(json.dumps(counts))


main()
