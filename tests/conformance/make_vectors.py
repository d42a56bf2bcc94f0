# SPDX-License-Identifier: Apache-2.0
"""Makes the golden vectors that codecs of every language must read and write.

A line is ``<message> <wire> <hex>``, and what must be written again where that differs. Google's
library writes the ``protobuf`` ones; ``sequential_reference`` writes ``ros1`` and ``cdr`` by the
rules, from Google's objects. No generated codec takes part. Run it from anywhere::

    python tests/conformance/make_vectors.py
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.message import Message

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))

from support import sequential_reference  # noqa: E402
from support.compiled import google_class, random_message  # noqa: E402

WIRES = ("protobuf", "ros1", "cdr")
PROTO2, PROTO3 = "conformance.proto2.EveryType", "conformance.proto3.EveryType"
NOTIFICATION, CHAIN = "rsb.protocol.Notification", "conformance.Chain"
FACTORS = (4, 8, 16, 32, 64, 128)

HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Made by make_vectors.py. Do not edit.\n"


def encoded(message: Message, wire: str) -> str:
    if wire == "protobuf":
        return message.SerializeToString(deterministic=True).hex()
    return sequential_reference.encode(message, wire).hex()


def lines(message: Message, *wires: str) -> Iterator[str]:
    for wire in wires or WIRES:
        yield f"{message.DESCRIPTOR.full_name} {wire} {encoded(message, wire)}".rstrip()


def every_type(name: str) -> Iterator[str]:
    """Return the least message, each field on its own, then random messages."""
    full = random_message(name, 7, 1)
    yield "# Only what is required."
    yield from lines(with_only(full, None))
    for field, _ in full.ListFields():
        if not field.is_required:
            yield f"# {field.name}"
            yield from lines(with_only(full, field.name), "protobuf")
    for seed in range(3):
        yield f"# Random content {seed + 1}."
        yield from lines(random_message(name, seed, 1))


def with_only(full: Message, name: str | None) -> Message:
    """Return a message's required fields and one other."""
    message = type(full)()
    message.CopyFrom(full)
    for field, _ in full.ListFields():
        if not field.is_required and field.name != name:
            message.ClearField(field.name)
    return message


def notifications() -> Iterator[str]:
    """Return the benchmark's message in its sizes, then random ones."""
    for factor in FACTORS:
        text = bytes(32 + i % 95 for i in range(factor))
        message = google_class(NOTIFICATION)()
        message.event_id.sender_id = message.scope = message.wire_schema = message.data = (
            message.method
        ) = text
        message.event_id.sequence_number = 1
        message.meta_data.create_time, message.meta_data.send_time = 2, 3
        message.meta_data.user_infos.add(key=text, value=text)
        yield f"# Seven texts of {factor} bytes."
        yield from lines(message)
    for seed in range(5):
        yield f"# Random content {seed + 1}."
        yield from lines(random_message(NOTIFICATION, seed))


def rewritten() -> Iterator[str]:
    """Return encodings that must be read and are then written in another form."""
    cases = {
        "A packed field in two parts and one value unpacked": "da02020102 d80203 da020104",
        "Fields in another order": "6801 1805",
        "The last member of a oneof": "b80405 c2040161",
        "A message in two parts": "9201020801 920103120161",
        "An int32 in five bytes and a bool that is 2": "18ffffffff0f 6802",
        "An entry of a map without value": "8a05020805",
        "An entry of a map without key": "8a0503120161",
        "An enum's number that is not declared": "80014d",
        "A sint32 beyond 32 bits": "38feffffffffffffffff01",
        "Packed sint32s beyond 32 bits": "fa0214ffffffff7f81808080f0ffffffff01fdffffff7f",
        "Numbers with bits beyond the 64th": "18818080808080808080" + "7e 20ffffffffffffffffff7f",
        "A bool that is set beyond 32 bits": "688080808080808001",
        "A tag and a length that are longer than need be": "f280808000 8180808000 61",
    }
    for what, content in cases.items():
        raw = bytes.fromhex(content)
        again = google_class(PROTO3).FromString(raw)
        yield f"# {what}."
        yield f"{PROTO3} protobuf {raw.hex()} {encoded(again, 'protobuf')}"
    for name in (PROTO2, PROTO3, NOTIFICATION):
        message = random_message(name, 1, 1)
        big = sequential_reference.encode(message, "cdr", ">").hex()
        yield "# Big-endian."
        yield f"{name} cdr {big} {encoded(message, 'cdr')}"


def refused() -> Iterator[str]:
    """Return encodings that no decoder may take."""
    cases = {
        "Required fields are missing": (PROTO2, ""),
        "There is no field 0": (PROTO3, "00"),
        "There is no wire type 6": (PROTO3, "0e"),
        "There is no wire type 7": (PROTO3, "0f"),
        "A varint of eleven bytes": (PROTO3, "18ffffffffffffffffffff01"),
        "A length without end": (PROTO3, "7280"),
        "A string shorter than its length": (PROTO3, "72056162"),
        "A length beyond any input": (PROTO3, "72ffffffff0f"),
        "A string that is no UTF-8": (PROTO3, "7202c328"),
        "A group without end": (PROTO3, "c33e"),
        "An end without a group": (PROTO3, "c43e"),
        "The end of another group": (PROTO3, "c33ecc3e"),
        "Packed doubles of seven bytes": (PROTO3, "ca020701020304050607"),
        "A field that goes beyond its message": (PROTO3, "92010312056162636465"),
        "Messages nested 101 deep": (CHAIN, nested(101)),
        "Unknown groups nested 101 deep": (CHAIN, "43" * 101 + "44" * 101),
        "A tag of six bytes": (PROTO3, "988080808000" + "05"),
        "A length of six bytes": (PROTO3, "72818080808000" + "61"),
        "A tag beyond 32 bits": (PROTO3, "9880808010" + "05"),
    }
    for what, (name, content) in cases.items():
        yield f"# {what}."
        yield f"{name} protobuf {content}".rstrip()
    small = random_message(NOTIFICATION, 0)
    for wire in ("ros1", "cdr"):
        data = bytes.fromhex(encoded(small, wire))
        yield "# More is left over than padding may be."
        yield f"{NOTIFICATION} {wire} {data.hex()}{'00' * (4 if wire == 'cdr' else 1)}"
        yield "# Truncated, every seventh byte."
        for end in range(0, len(data), 7):
            yield f"{NOTIFICATION} {wire} {data[:end].hex()}".rstrip()
        yield "# An array longer than any input."
        text = "00" * 24 + "ffffffff" + "00" * 200
        yield f"{NOTIFICATION} {wire} {'00010000' * (wire == 'cdr')}{text}"
    yield "# Another representation than plain CDR."
    yield f"{NOTIFICATION} cdr 0003{encoded(small, 'cdr')[4:]}"


def nested(depth: int) -> str:
    """Return that many messages, each in the one before."""
    message = google_class(CHAIN)()
    inner = message
    for _ in range(depth):
        inner.next.SetInParent()
        inner = inner.next
    return encoded(message, "protobuf")


def main() -> None:
    files = {
        "vectors/every_type_proto2.txt": every_type(PROTO2),
        "vectors/every_type_proto3.txt": every_type(PROTO3),
        "vectors/notification.txt": notifications(),
        "vectors/rewritten.txt": rewritten(),
        "refused/refused.txt": refused(),
    }
    for name, lines in files.items():
        (HERE / name).write_text(HEAD + "".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main()
