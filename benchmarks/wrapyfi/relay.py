# SPDX-License-Identifier: Apache-2.0
"""The server that Wrapyfi's WebSockets need: what one client emits, all others get.

Runs as a program in Wrapyfi's environment, which has its libraries: ``wrapyfi_relay.py PORT``.
"""

from __future__ import annotations

import sys
from typing import Any

import socketio  # type: ignore[import-not-found,unused-ignore]  # Wrapyfi's environment has it
from aiohttp import web  # type: ignore[import-not-found,unused-ignore]

MOST_BYTES = 1 << 28
"""Most bytes of a message; the library's default is a megabyte."""


def serve(port: int) -> None:
    """Serve on loopback, until it is ended."""
    relay = socketio.AsyncServer(async_mode="aiohttp", max_http_buffer_size=MOST_BYTES)

    @relay.on("*")  # type: ignore[untyped-decorator]
    async def passed_on(event: str, sender: str, message: Any) -> None:
        await relay.emit(event, message, skip_sid=sender)

    application = web.Application()
    relay.attach(application)
    web.run_app(application, host="127.0.0.1", port=port, print=None)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
