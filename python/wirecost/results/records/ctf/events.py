# SPDX-License-Identifier: Apache-2.0
"""The events of ROS 2's tracepoints, Humble to Rolling, and which of their fields are needed."""

from __future__ import annotations

PROVIDER = "ros2:"
PROVIDERS = (PROVIDER, "ros2_caret:", "ros2_hook:")
"""The latter are CARET's, which traced ROS 2 before it had tracepoints in rmw."""

FIELDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "rcl_node_init": (("node_handle",), ("node_name", "namespace")),
    "rcl_publisher_init": (
        ("publisher_handle", "node_handle", "rmw_publisher_handle"),
        ("topic_name",),
    ),
    "rcl_subscription_init": (
        ("subscription_handle", "node_handle", "rmw_subscription_handle"),
        ("topic_name",),
    ),
    "rclcpp_subscription_init": (("subscription_handle", "subscription"), ()),
    "rclcpp_subscription_callback_added": (("subscription", "callback"), ()),
    "rcl_service_init": (("service_handle", "node_handle"), ("service_name",)),
    "rclcpp_service_callback_added": (("service_handle", "callback"), ()),
    "rcl_timer_init": (("timer_handle", "period"), ()),
    "rclcpp_timer_callback_added": (("timer_handle", "callback"), ()),
    "rclcpp_timer_link_node": (("timer_handle", "node_handle"), ()),
    "rclcpp_callback_register": (("callback",), ("symbol",)),
    "rclcpp_executor_wait_for_work": ((), ()),
    "rclcpp_executor_get_next_ready": ((), ()),
    "rclcpp_executor_execute": ((), ()),
    "rmw_take": (("source_timestamp", "taken", "rmw_subscription_handle"), ()),
    "callback_start": (("callback",), ()),
    "callback_end": (("callback",), ()),
    "rclcpp_publish": (("message_timestamp",), ()),
    "rcl_publish": (("publisher_handle",), ()),
    "rmw_publish": (("timestamp", "rmw_publisher_handle"), ()),
    "rclcpp_intra_publish": (("publisher_handle", "message"), ()),
    "rclcpp_ring_buffer_enqueue": (("buffer", "index"), ()),
    "rclcpp_ring_buffer_dequeue": (("buffer", "index"), ()),
    "take_type_erased": (("source_stamp",), ()),
    "dispatch_subscription_callback": (("callback", "source_stamp", "message_timestamp"), ()),
    "dispatch_intra_process_subscription_callback": (
        ("callback", "message", "message_timestamp"),
        (),
    ),
    "dds_bind_addr_to_stamp": (("source_stamp",), ()),
    "message_link_periodic_async": ((), ()),
    "message_link_partial_sync": ((), ()),
}
"""Numbers and texts of each event, in the order of ``Kind`` in ``cpp/wirecost/ctf/ros2_trace.hpp``.
A field that a version does not have is 0."""

LISTS = ("subs", "pubs")
"""Fields that are lists of handles, of the last two."""
RENAMED = {"dispatch": "dispatch_subscription_callback"}
NOT_NEEDED = -1


def kind_of(name: str) -> int:
    """Return the event's place in ``FIELDS``."""
    if not name.startswith(PROVIDERS):
        return NOT_NEEDED
    kind = name.partition(":")[2]
    kind = RENAMED.get(kind, kind)
    return list(FIELDS).index(kind) if kind in FIELDS else NOT_NEEDED
