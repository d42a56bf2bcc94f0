# SPDX-License-Identifier: Apache-2.0
"""Languages and libraries; a light module, as the command line lists them."""

from __future__ import annotations

LANGUAGES = ("cpp", "python", "java")
COLUMNS = "wirecost-columns"
"""Library of lists in columns, in each language."""
LIBRARIES = (
    "protobuf",
    "wirecost",
    "wirecost-classes",
    "wirecost-native",
    COLUMNS,
    "wirecost-protobuf",
    "wirecost-ros1",
    "wirecost-cdr",
    "flatbuffers-table",
    "messagepack",
    "json",
    "gencpp",
    "genpy",
    "fast-cdr",
    "rosidl-fastrtps",
    "rclpy",
    "rosbags",
    "memcpy",
    "protobuf-current",
)
"""Libraries that a language may have; those of a machine and a wire are fewer."""
HEADERS, MODULE, JAVA = (".hpp", ".h", ".hh", ".hxx"), ".py", ".java"
"""Endings of files with contenders, by language."""
