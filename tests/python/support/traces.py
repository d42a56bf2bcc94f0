# SPDX-License-Identifier: Apache-2.0
"""Messages of real OSI traces, whatever file holds them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from mcap.reader import make_reader

GROUND_TRUTH = {"alks_cut-in.osi", "acc-test.osi"}
"""Files that esmini wrote: their names do not tell what they hold."""


def messages(path: Path) -> Iterator[tuple[str, bytes]]:
    """Name (``SensorView``) and bytes of each Protobuf message of an .osi or .mcap file."""
    if path.suffix == ".mcap":
        with path.open("rb") as file:
            for schema, channel, message in make_reader(file).iter_messages():
                if schema is not None and channel.message_encoding == "protobuf":
                    yield schema.name.removeprefix("osi3."), message.data
        return
    name = "GroundTruth" if path.name in GROUND_TRUTH else "SensorView"
    for data in frames(path.read_bytes()):
        yield name, data


def frames(data: bytes) -> list[bytes]:
    """Return the messages of an .osi file, each behind its length."""
    messages, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        messages.append(data[at + 4 : at + 4 + length])
        at += 4 + length
    return messages


def ros_definitions(path: Path, folder: Path) -> tuple[Path, list[bytes]]:
    """Return a ROS 1 recording's root definition, written with all it needs, and its messages."""
    with path.open("rb") as file:
        definitions = [
            (schema, message.data)
            for schema, channel, message in make_reader(file).iter_messages()
            if schema is not None and channel.message_encoding == "ros1"
        ]
    root, texts = definitions[0][0].name, dict[str, str]()
    for number, part in enumerate(definitions[0][0].data.decode().split("=" * 80 + "\n")):
        if number == 0:
            texts[root] = part
            continue
        first, _, text = part.partition("\n")
        texts[first.removeprefix("MSG: ").strip()] = text
    for name, text in texts.items():
        package, _, message = name.partition("/")
        target = folder / package / "msg" / f"{message}.msg"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    package, _, message = root.partition("/")
    return folder / package / "msg" / f"{message}.msg", [data for _, data in definitions]


def extract(data: Path, out: Path) -> None:
    """Write the Protobuf messages of every .mcap below ``data`` as .osi files.

    Their names tell the type; the C++ test reads them."""
    tags = {"SensorView": "sv", "GroundTruth": "gt"}
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted(data.rglob("*.mcap")):
        kinds: dict[str, bytearray] = {}
        for name, message in messages(path):
            kinds.setdefault(tags[name], bytearray()).extend(
                struct.pack("<I", len(message)) + message
            )
        for tag, content in kinds.items():
            (out / f"{path.stem}_{tag}_.osi").write_bytes(content)


if __name__ == "__main__":
    import sys

    extract(Path(sys.argv[1]), Path(sys.argv[2]))
