# SPDX-License-Identifier: Apache-2.0
"""What ``bench notification`` can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

LANGUAGES = ("cpp", "python", "java")
MODES = ("new", "recycled", "reused", "arena", "view", "facade")
CONTENTS = ("ticket", "realistic")
WIRES = ("protobuf", "ros1", "cdr")
