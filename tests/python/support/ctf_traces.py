# SPDX-License-Identifier: Apache-2.0
"""Traces as lttng-ust writes them: metadata, packets, events of ROS 2, byte by byte.

What the layout is was seen in traces of LTTng 2.13 (``tests/data/lttng``).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

UUID = bytes(range(16))
MAGIC = 0xC1FC1FC1
EPOCH_NS = 1_700_000_000_000_000_000
"""Of the trace's clock."""
POINTER, INT64, INT32, TEXT, GID, LIST = "pointer", "int64", "int32", "text", "gid", "list"
DECLARED = {
    POINTER: "integer {{ size = 64; align = 8; signed = 0; encoding = none; base = 16; }} _{name};",
    INT64: "integer {{ size = 64; align = 8; signed = 1; encoding = none; base = 10; }} _{name};",
    INT32: "integer {{ size = 32; align = 8; signed = 1; encoding = none; base = 10; }} _{name};",
    TEXT: "string _{name};",
    GID: "integer {{ size = 8; align = 8; signed = 0; encoding = none; base = 10; }} _{name}[16];",
    LIST: "integer {{ size = 64; align = 8; signed = 0; encoding = none; base = 10; }} "
    "__{name}_length; integer {{ size = 64; align = 8; signed = 0; encoding = none; base = 16; }} "
    "_{name}[ __{name}_length ];",
}
PACKED = {POINTER: "Q", INT64: "q", INT32: "i", GID: "16s"}
EVENTS: dict[str, list[tuple[str, str]]] = {
    "rcl_init": [("context_handle", POINTER), ("version", TEXT)],
    "rcl_node_init": [
        ("node_handle", POINTER),
        ("rmw_handle", POINTER),
        ("node_name", TEXT),
        ("namespace", TEXT),
    ],
    "rmw_publisher_init": [("rmw_publisher_handle", POINTER), ("gid", GID)],
    "rcl_publisher_init": [
        ("publisher_handle", POINTER),
        ("node_handle", POINTER),
        ("rmw_publisher_handle", POINTER),
        ("topic_name", TEXT),
        ("queue_depth", POINTER),
    ],
    "rclcpp_publish": [("message", POINTER), ("message_timestamp", INT64)],
    "rcl_publish": [("publisher_handle", POINTER), ("message", POINTER)],
    "rmw_publish": [("rmw_publisher_handle", POINTER), ("message", POINTER), ("timestamp", INT64)],
    "rcl_subscription_init": [
        ("subscription_handle", POINTER),
        ("node_handle", POINTER),
        ("rmw_subscription_handle", POINTER),
        ("topic_name", TEXT),
        ("queue_depth", POINTER),
    ],
    "rclcpp_subscription_init": [("subscription_handle", POINTER), ("subscription", POINTER)],
    "rclcpp_subscription_callback_added": [("subscription", POINTER), ("callback", POINTER)],
    "rmw_take": [
        ("rmw_subscription_handle", POINTER),
        ("message", POINTER),
        ("source_timestamp", INT64),
        ("taken", INT32),
    ],
    "rcl_take": [("message", POINTER)],
    "rclcpp_take": [("message", POINTER)],
    "rclcpp_callback_register": [("callback", POINTER), ("symbol", TEXT)],
    "callback_start": [("callback", POINTER), ("is_intra_process", INT32)],
    "callback_end": [("callback", POINTER)],
    "rclcpp_intra_publish": [("publisher_handle", POINTER), ("message", POINTER)],
    "rclcpp_ring_buffer_enqueue": [
        ("buffer", POINTER),
        ("index", POINTER),
        ("size", POINTER),
        ("overwritten", INT32),
    ],
    "rclcpp_ring_buffer_dequeue": [("buffer", POINTER), ("index", POINTER), ("size", POINTER)],
    "rclcpp_executor_get_next_ready": [],
    "rclcpp_executor_wait_for_work": [("timeout", INT64)],
    "rclcpp_executor_execute": [("handle", POINTER)],
    "rcl_timer_init": [("timer_handle", POINTER), ("period", INT64)],
    "rclcpp_timer_callback_added": [("timer_handle", POINTER), ("callback", POINTER)],
    "rclcpp_timer_link_node": [("timer_handle", POINTER), ("node_handle", POINTER)],
    "dispatch_subscription_callback": [
        ("message", POINTER),
        ("callback", POINTER),
        ("source_stamp", INT64),
        ("message_timestamp", INT64),
    ],
    "message_link_periodic_async": [("subs", LIST), ("pubs", LIST)],
    "message_link_partial_sync": [("subs", LIST), ("pubs", LIST)],
}
NUMBERS = {name: number for number, name in enumerate(EVENTS)}


@dataclass(frozen=True)
class Form:
    """Form of a trace.

    ``compact``: event headers of 5 + 27 bits, else of 16 + 32; ``order``: ``<`` or ``>``;
    ``program``: whether events have a procname; ``in_packets``: the metadata."""

    compact: bool = False
    order: str = "<"
    program: bool = True
    in_packets: bool = True


@dataclass(frozen=True)
class Event:
    time_ns: int
    process: int
    thread: int
    name: str
    values: tuple[int | str | bytes | list[int], ...] = ()
    cpu: int = 0


def metadata(form: Form) -> str:
    declared = "\n".join(
        f"typealias integer {{ size = {size}; align = {align}; signed = false; }} := {name};"
        for size, align, name in (
            (8, 8, "uint8_t"),
            (16, 8, "uint16_t"),
            (32, 8, "uint32_t"),
            (64, 8, "uint64_t"),
            (64, 8, "unsigned long"),
            (5, 1, "uint5_t"),
        )
    )
    clocks = "\n".join(
        f"typealias integer {{ size = {size}; align = {align}; signed = false; "
        f"map = clock.monotonic.value; }} := uint{size}_clock_monotonic_t;"
        for size, align in ((27, 1), (32, 8), (64, 8))
    )
    small, last, bits = ("uint5_t", 30, 27) if form.compact else ("uint16_t", 65534, 32)
    program = "integer { size = 8; align = 8; signed = 1; encoding = UTF8; } _procname[17];"
    events = "\n".join(
        f'event {{ name = "ros2:{name}"; id = {number}; stream_id = 0; loglevel = 13; fields := '
        "struct { " + " ".join(DECLARED[kind].format(name=f) for f, kind in fields) + " }; };"
        for (name, fields), number in zip(EVENTS.items(), NUMBERS.values(), strict=True)
    )
    return f"""/* CTF 1.8 */
{declared}
trace {{ major = 1; minor = 8; byte_order = {"le" if form.order == "<" else "be"};
  packet.header := struct {{
    uint32_t magic; uint8_t uuid[16]; uint32_t stream_id; uint64_t stream_instance_id; }}; }};
env {{ domain = "ust"; tracer_name = "lttng-ust"; hostname = "a \\"host\\""; }};
clock {{ name = "monotonic"; description = "Monotonic Clock"; freq = 1000000000;
  /* from 1970 */ offset = {EPOCH_NS}; }};
{clocks}
struct packet_context {{
  uint64_clock_monotonic_t timestamp_begin; uint64_clock_monotonic_t timestamp_end;
  uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;
  unsigned long events_discarded; uint32_t cpu_id; }};
struct event_header {{
  enum : {small} {{ compact = 0 ... {last}, extended = {last + 1} }} id;
  variant <id> {{
    struct {{ uint{bits}_clock_monotonic_t timestamp; }} compact;
    struct {{ uint32_t id; uint64_clock_monotonic_t timestamp; }} extended;
  }} v;
}} align(8);
stream {{ id = 0; event.header := struct event_header; packet.context := struct packet_context;
  event.context := struct {{
    integer {{ size = 32; align = 8; signed = 1; }} _vpid;
    integer {{ size = 32; align = 8; signed = 1; }} _vtid;
    {program if form.program else ""} }}; }};
{events}
"""


def write_trace(
    folder: Path,
    events: Sequence[Event],
    form: Form | None = None,
    *,
    packet_events: int = 50,
    discarded: int = 0,
) -> None:
    """Write a stream for each processor, so many events a packet.

    The first event of a packet has an extended header."""
    folder.mkdir(parents=True, exist_ok=True)
    form = form or Form()
    text = metadata(form).encode()
    (folder / "metadata").write_bytes(in_packets(text, form.order) if form.in_packets else text)
    for cpu in sorted({event.cpu for event in events}):
        of_cpu = [event for event in events if event.cpu == cpu]
        parts = [of_cpu[at : at + packet_events] for at in range(0, len(of_cpu), packet_events)]
        content = b"".join(
            packet(
                b"".join(encoded(event, form, extended=i == 0) for i, event in enumerate(part)),
                part[0].time_ns,
                part[-1].time_ns,
                form.order,
                cpu=cpu,
                discarded=discarded,
            )
            for part in parts
        )
        (folder / f"channel_{cpu}").write_bytes(content)


def in_packets(text: bytes, order: str) -> bytes:
    size = 200
    packets = []
    for at in range(0, len(text), size):
        part = text[at : at + size]
        bits = 8 * (37 + len(part))
        fixed = (0x75D11D57, UUID, 0, bits, bits + 8 * 27, 0, 0, 0, 1, 8)
        packets.append(struct.pack(order + "I16sIIIBBBBB", *fixed) + part + bytes(27))
    return b"".join(packets)


def encoded(event: Event, form: Form, *, extended: bool = False) -> bytes:
    number = NUMBERS[event.name]
    if extended:
        escape = bytes([31 if form.order == "<" else 31 << 3]) if form.compact else b"\xff\xff"
        head = escape + struct.pack(form.order + "IQ", number, event.time_ns)
    elif form.compact and form.order == "<":
        head = struct.pack("<I", number | (event.time_ns % (1 << 27)) << 5)
    elif form.compact:
        head = struct.pack(">I", number << 27 | event.time_ns % (1 << 27))
    else:
        head = struct.pack(form.order + "HI", number, event.time_ns % (1 << 32))
    context = struct.pack(form.order + "ii", event.process, event.thread)
    if form.program:
        context += struct.pack("17s", b"node")
    payload = b""
    for (_, kind), value in zip(EVENTS[event.name], event.values, strict=True):
        if isinstance(value, str):
            payload += value.encode() + b"\0"
        elif isinstance(value, list):
            payload += struct.pack(f"{form.order}{1 + len(value)}Q", len(value), *value)
        else:
            payload += struct.pack(form.order + PACKED[kind], value)
    return head + context + payload


def packet(
    content: bytes, begin: int, end: int, order: str, *, cpu: int = 0, discarded: int = 0
) -> bytes:
    head = struct.calcsize("=I16sIQ QQQQQQI")
    bits = 8 * (head + len(content))
    padded = -(-bits // 4096) * 4096
    fixed = (MAGIC, UUID, 0, cpu, begin, end, bits, padded, 0, discarded, cpu)
    return (struct.pack(order + "I16sIQQQQQQQI", *fixed) + content).ljust(padded // 8, b"\0")


CYCLE = (
    "rclcpp_executor_get_next_ready",
    "rclcpp_executor_wait_for_work",
    "rclcpp_executor_get_next_ready",
    "rclcpp_executor_execute",
    "rmw_take",
    "rcl_take",
    "rclcpp_take",
    "callback_start",
    "rclcpp_publish",
    "rcl_publish",
    "rmw_publish",
    "callback_end",
)
"""What a node that answers each message does for one."""
AT_NS = (0, 200, 60_000, 61_000, 62_000, 62_300, 62_500, 70_000, 110_000, 110_300, 110_700, 120_000)
EVERY_NS = 200_000


def node_events(process: int, node: str, cpu: int = 0, time_ns: int = 1000) -> list[Event]:
    """Return the birth of a node with a subscription and a publisher.

    The topics are ``/<node>/in`` and ``/<node>/out``. The handles: 1 node, 2 subscription, 3
    callback, 4 publisher; in each process the same."""
    events: list[tuple[str, tuple[int | str | bytes, ...]]] = [
        ("rcl_init", (0, "1")),
        ("rcl_node_init", (1, 1, node, "/")),
        ("rmw_publisher_init", (40, bytes(16))),
        ("rcl_publisher_init", (4, 1, 40, f"/{node}/out", 10)),
        ("rcl_subscription_init", (2, 1, 20, f"/{node}/in", 10)),
        ("rclcpp_subscription_init", (2, 21)),
        ("rclcpp_subscription_callback_added", (21, 3)),
        ("rclcpp_callback_register", (3, "Node::on_message(int)")),
    ]
    return [
        Event(time_ns + i, process, process, name, values, cpu)
        for i, (name, values) in enumerate(events)
    ]


def cycle_values(begin: int) -> tuple[tuple[int, ...], ...]:
    """Return the values of a cycle that begins at ``begin``.

    The message was published 1 ms before it is taken."""
    taken_ns = EPOCH_NS + begin + AT_NS[4] - 1_000_000
    published = EPOCH_NS + begin + AT_NS[9]
    of_subscription: tuple[tuple[int, ...], ...] = ((2,), (20, 5, taken_ns, 1), (5,), (5,), (3, 0))
    of_publisher: tuple[tuple[int, ...], ...] = ((6, 0), (4, 6), (40, 6, published))
    return ((), (-1,), (), *of_subscription, *of_publisher, (3,))


def cycles(process: int, count: int, cpu: int = 0, first_ns: int = 1_000_000) -> list[Event]:
    return [
        Event(begin + at, process, process, name, values, cpu)
        for begin in range(first_ns, first_ns + count * EVERY_NS, EVERY_NS)
        for at, name, values in zip(AT_NS, CYCLE, cycle_values(begin), strict=True)
    ]


def in_order(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=lambda event: event.time_ns)
