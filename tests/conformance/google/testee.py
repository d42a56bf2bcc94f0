# SPDX-License-Identifier: Apache-2.0
"""Answers Google's conformance runner with generated Python: ``python testee.py FOLDER [PACKAGE]``.

``FOLDER`` holds the generated package, ``wire`` or the native one that ``PACKAGE`` names.
"""

from __future__ import annotations

import importlib
import struct
import sys
from typing import Any, BinaryIO

MODULES = {
    "protobuf_test_messages.proto2.TestAllTypesProto2": "test_messages_proto2",
    "protobuf_test_messages.proto3.TestAllTypesProto3": "test_messages_proto3",
    "protobuf_test_messages.editions.proto2.TestAllTypesProto2": "test_messages_proto2_editions",
    "protobuf_test_messages.editions.proto3.TestAllTypesProto3": "test_messages_proto3_editions",
    "protobuf_test_messages.editions.TestAllTypesEdition2023": "test_messages_edition2023",
}
"""Where each tested message is."""
FAILURES = "conformance.FailureSet"
"""Asked for first: the tests that are expected to fail, none here."""
IGNORE_UNKNOWN = 3
"""The category of tests whose JSON has unknown names, which are to be skipped."""
EXTENSION = "extensions are not supported"


def tested(root: str) -> dict[str, Any]:
    classes = {}
    for full_name, module in MODULES.items():
        package, _, name = full_name.rpartition(".")
        classes[full_name] = getattr(importlib.import_module(f"{root}.{package}.{module}"), name)
    return classes


def answer(request: Any, classes: dict[str, Any], forms: Any) -> dict[str, Any]:  # noqa: PLR0911
    if request.message_type == FAILURES:
        return {"protobuf_payload": b""}
    message_class = classes.get(request.message_type)
    has_input = request.protobuf_payload is not None or request.json_payload is not None
    if not has_input or request.requested_output_format not in (forms.PROTOBUF, forms.JSON):
        return {"skipped": "binary and JSON alone"}
    if message_class is None:
        return {"skipped": f"no {request.message_type}"}
    try:
        message = read(message_class, request)
    except ValueError as error:
        return {"skipped" if EXTENSION in str(error) else "parse_error": str(error)}
    if request.requested_output_format == forms.PROTOBUF:
        return {"protobuf_payload": message.encode_protobuf()}
    try:
        return {"json_payload": message.to_json()}
    except ValueError as error:
        return {"serialize_error": str(error)}


def read(message_class: Any, request: Any) -> Any:
    if request.protobuf_payload is not None:
        return message_class.decode_protobuf(request.protobuf_payload)
    ignored = request.test_category == IGNORE_UNKNOWN
    return message_class.from_json(request.json_payload, ignore_unknown=ignored)


def serve(requests: BinaryIO, answers: BinaryIO, root: str) -> None:
    protocol = importlib.import_module(f"{root}.conformance.conformance")
    classes = tested(root)
    while len(head := requests.read(4)) == 4:
        request = protocol.ConformanceRequest.decode_protobuf(
            requests.read(*struct.unpack("<I", head))
        )
        reply = answer(request, classes, protocol.WireFormat)
        data = protocol.ConformanceResponse(**reply).encode_protobuf()
        answers.write(struct.pack("<I", len(data)) + data)
        answers.flush()


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    serve(sys.stdin.buffer, sys.stdout.buffer, sys.argv[2] if len(sys.argv) > 2 else "wire")
