# SPDX-License-Identifier: Apache-2.0
"""Choices of ``bench message``; a light module, as the command line lists them."""

from __future__ import annotations

LANGUAGES = ("cpp", "python", "java")
USUAL = ("cpp", "python")
"""Languages that are measured by default."""
SINGLE, DELIMITED = "single", "delimited"
FRAMINGS = (SINGLE, DELIMITED)
"""Contents of a binary file: one message, or several, each behind its length."""
SAMPLED = 50
"""Messages that are measured of a longer recording, unless another number is asked for."""
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
PROCESSES, REPETITIONS = 5, 30
"""Fresh processes, and samples in all of them, unless other numbers are asked for."""
HEADERS, MODULE, JAVA = (".hpp", ".h", ".hh", ".hxx"), ".py", ".java"
"""Endings of files with contenders, by language."""
BINARY = (".binpb", ".bin", ".pb", ".delimited")
"""Endings of files with messages in Protobuf's wire format."""
