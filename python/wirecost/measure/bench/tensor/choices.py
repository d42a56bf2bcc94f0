# SPDX-License-Identifier: Apache-2.0
"""Values of ``bench tensor``'s options. Imports little: the command line lists it."""

from __future__ import annotations

CONTENTS = ("ones", "random")
PATTERNS = {"pubsub": ("publish", "listen"), "reqrep": ("ask", "answer")}
"""Functions of ``blocks`` that sender and listener run, by pattern."""
