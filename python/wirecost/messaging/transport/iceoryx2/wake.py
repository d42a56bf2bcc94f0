# SPDX-License-Identifier: Apache-2.0
"""An event service of iceoryx2: what one side sends when the other may be waiting."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from wirecost.system.errors import UserError


class Wake:
    """Wait without spinning until the other side has sent something."""

    def __init__(self, library: Any, service: Any) -> None:
        """Listen to ``service``, a service of events."""
        self._library = library
        self._service = service
        self._listener: Any = None
        self._notifier: Any = None
        self._no_listener = library.NotifierNotifyError

    def listen(self) -> None:
        self._listener = self._service.listener_builder().create()

    def notify(self) -> None:
        if self._notifier is None:
            self._notifier = self._service.notifier_builder().create()
        try:  # noqa: SIM105  contextlib.suppress costs as much as the notification
            self._notifier.notify()
        except self._no_listener:
            pass  # a listener that is gone

    def until(self, look: Callable[[], Any], timeout: float | None) -> Any:
        """Return what ``look`` returns, once it is not None; None after ``timeout`` seconds."""
        result = look()
        if result is not None or (timeout is not None and timeout <= 0):
            return result
        end = None if timeout is None else time.monotonic() + timeout
        while True:
            try:
                if end is None:
                    self._listener.blocking_wait()
                else:
                    seconds_left = end - time.monotonic()
                    if seconds_left <= 0:
                        return None
                    self._listener.timed_wait(
                        self._library.Duration.from_micros(
                            max(1, int(min(seconds_left, 1e9) * 1e6))
                        )
                    )
            except self._library.ListenerWaitError as error:
                # Python runs the signal's handler, which may raise, before the next line.
                if "Interrupt" not in str(error):
                    raise UserError(f"iceoryx2 cannot wait: {error}") from error
            result = look()
            if result is not None:
                return result

    def close(self) -> None:
        for port in self._listener, self._notifier:
            if port is not None:
                port.delete()
        self._listener = self._notifier = self._service = None
