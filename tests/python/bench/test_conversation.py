# SPDX-License-Identifier: Apache-2.0
"""A program that is asked while it runs answers, ends in order, or is named."""

from __future__ import annotations

import sys

import pytest

from wirecost.bench.conversation import Conversation
from wirecost.bench.program import ProgramFailedError

ECHO = "import sys\nfor line in sys.stdin: print(line.strip() * 2, flush=True)\nprint('a b')"


def test_a_conversation_ends_in_order_with_its_last_words() -> None:
    echo = Conversation("echo", [sys.executable, "-c", ECHO], timeout_s=30)
    assert echo.ask("x") == "xx"
    assert echo.finish() == ["a", "b"]


def test_a_conversation_without_an_answer_is_named() -> None:
    silent = Conversation("the silent", [sys.executable, "-c", "input(); input()"], timeout_s=0.2)
    try:
        with pytest.raises(ProgramFailedError, match=r"the silent did not answer within 0\.2 s"):
            silent.ask("x")
    finally:
        silent.end()


def test_a_conversation_that_ends_early_is_named() -> None:
    short = Conversation("the short", [sys.executable, "-c", "raise SystemExit('why')"])
    try:
        with pytest.raises(ProgramFailedError, match="the short ended with status 1: why"):
            short.receive()
    finally:
        short.end()
