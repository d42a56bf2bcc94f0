# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that tests talk to by its DevTools protocol."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from wirecost.system.waiting import wait_until

OPTIONS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-sync", "--disable-background-networking", "--disable-component-update",
    "--hide-scrollbars", "--remote-debugging-port=0", "--allow-file-access-from-files",
]  # fmt: skip
TIMEOUT_S = 60


class Browser:
    """One tab. Errors of a page's scripts are collected in ``complaints``."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self._call(f"{domain}.enable")
        self._call("Emulation.setFocusEmulationEnabled", enabled=True)

    def look(self, width: int, height: int, scheme: str = "light", media: str = "") -> None:
        """Pages opened next are seen so: ``scheme`` is light or dark; ``media``: such as print."""
        self._call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                   deviceScaleFactor=1, mobile=width < 700)  # fmt: skip
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._call("Emulation.setEmulatedMedia", features=features, media=media)

    def open(self, page: Path, anchor: str = "") -> None:
        """Open a page and wait for it. Raises AssertionError if there is no such page."""
        self._call("Page.navigate", url="about:blank")  # else another anchor alone loads nothing
        self._wait("about:blank")
        self._call("Page.navigate", url=page.resolve().as_uri() + anchor)
        self._wait(page.resolve().as_uri())

    def _wait(self, url: str) -> None:
        where = "document.readyState + location.href.split('#')[0]"
        loaded = wait_until(lambda: self.run(where) == f"complete{url}", TIMEOUT_S)
        assert loaded, f"{url} does not load"

    def run(self, script: str) -> Any:
        """Return the value of an expression, also of a promise.

        Raises AssertionError where it throws."""
        answer = self._call("Runtime.evaluate", expression=script, awaitPromise=True,
                            returnByValue=True)  # fmt: skip
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def _call(self, method: str, **params: Any) -> Any:
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        self._connection.send(json.dumps(message))
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def _receive(self) -> Any:
        message = json.loads(self._connection.recv(timeout=TIMEOUT_S))
        if message.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(str(message["params"]["exceptionDetails"]))
        elif message.get("method") == "Log.entryAdded":
            entry = message["params"]["entry"]
            if entry["level"] == "error":
                self.complaints.append(f"{entry['text']} {entry.get('url', '')}")
        return message


@contextmanager
def browser(profile: Path) -> Iterator[Browser]:
    """Start a browser that ends with the block. ``profile``: a folder of its own."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium; `make test` installs it")
    command = [chromium, *OPTIONS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        with connect(_tab(process), max_size=None) as connection:
            yield Browser(connection)
    finally:
        process.terminate()
        process.wait(timeout=TIMEOUT_S)


def _tab(process: subprocess.Popen[str]) -> str:
    """Return the address of the first tab."""
    assert process.stderr is not None
    for line in process.stderr:
        if "DevTools listening on ws://" in line:
            port = line.split("ws://")[1].split("/")[0].rpartition(":")[2]
            break
    else:
        raise AssertionError("chromium ended before it listened")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT_S) as answer:
        return next(
            tab["webSocketDebuggerUrl"] for tab in json.load(answer) if tab["type"] == "page"
        )
