# SPDX-License-Identifier: Apache-2.0
"""Protocol by which the benchmark drives a client: a process that is one end of a transport.

A client in any language is started without arguments. It reads commands from standard input and
answers on standard output, one JSON object a line; what it or its library prints otherwise goes to
standard error. It ends when standard input ends. SIGINT is ignored: Ctrl-C is for the harness.
Times are CLOCK_MONOTONIC in nanoseconds, which is one clock for all processes and network
namespaces of a kernel.

| ``do`` | more keys | answer |
|---|---|---|
| ``hello`` | | ``protocol`` (2), ``client`` (``python``, ``native``), ``transports`` (names), \
``versions`` (object: library → version), ``roles`` (those of ``open``; missing: all) |
| ``open`` | ``role``, ``transport``, ``address``, ``topic``, ``size``, ``queue``, ``reliable``, \
``settings`` | ``done``: ``open`` |
| ``prime`` | ``timeout`` | ``there``: see below |
| ``run`` | ``run``, ``count``, ``seconds``, ``rate``, ``size``, ``check``, ``records``, \
``hold_ns`` | first ``ready``: true, of sending roles then after ``start``; ``done``: ``run``, \
``messages`` (rows written), ``refused``, ``failure`` |
| ``start`` | ``start_ns`` | none: the run of a sending role begins |
| ``finish`` | ``count``, ``quiet`` | none, or of ``prime`` its answer: see below |
| ``close`` | | none: the process ends within 3 s |

Instead of any answer there may be ``failure``: one line that says why, and the client goes on
reading commands. Keys that a client does not know are left alone.

**open**: ``role`` is ``publisher``, ``subscriber``, ``requester`` or ``replier``; ``address`` in
the transport's own form or null; ``topic`` fits ``[a-z0-9_]+``; ``size`` is the most bytes of a
payload; ``queue`` is the number of messages that may wait at this end; ``reliable`` asks for no
loss. ``queue`` and ``reliable`` are null where the middleware's own default shall stand.
``settings`` holds more options of this transport (``settings`` package), scalars by name.

**prime** makes sure that what is sent from then on arrives. A publisher sends a message with number
-1 every 10 ms until ``finish`` comes, and answers then; ``there`` is whether it could. A subscriber
answers as soon as it got one (``there``: true) or after ``timeout`` seconds (false). A requester
asks with number -1 until one reply came; a replier has nothing to do and answers at once.

**run**: an end that is ``ready`` has made all that the run needs, such as its payload: what it does
from then on is counted. A sending end then waits for ``start``.

A publisher sends ``count`` messages numbered from 0 (0: as many as fit in ``seconds``),
message ``i`` due at ``start_ns + i * 1e9 / rate``; with ``rate`` 0 as fast as they can be sent. It
sleeps until a message is due and does not spin, since its processor time is measured. A message
that is due is sent even if it is late; with both ``count`` and ``seconds`` the first that is
reached ends the run. It waits one more period before it answers. ``refused`` counts messages that
the library did not take; they are in the records too. A requester does the same with requests, one
at a time. A subscriber records what arrives until it got message ``count - 1`` and as many as
``count``, or ``finish`` came and nothing arrived for ``quiet`` seconds after it. With ``hold_ns``
(0 where it is missing) it is slow: it keeps each message for so long before it takes the next one.
``finish`` carries the number of messages sent as ``count``. A replier sends each request's payload
back and ends the same way. ``size`` may be smaller than that of ``open``. What belongs to another
``run`` is left out, and so is number -1.

**records** is the path of a file that the client writes when the run is over: rows of little-endian
int64. Of sending roles ``number, due_ns, begin_ns, end_ns``: begin and end of the call that sends;
for a requester ``end_ns`` is when its reply was there, 0 where none came. ``end_ns`` is negative
where the library refused the message. Of receiving roles ``number, received_ns, whole``: when the
call that receives returned, taken before anything is looked at, and ``whole``: 1 if every byte was
checked, 0 if the number and the end only, -1 if the content is wrong (``number`` -2 where it cannot
be read). Every ``check``-th message is checked in whole (0: none), by its number.

**payload** of ``size`` bytes (24 at least), little-endian: bytes 0 to 7 the ``run``; 8 to 15 the
``number``; at each multiple 4096*k, k >= 1, that has 16 bytes behind it, eight bytes ``number +
k``; the last eight bytes the complement of ``number``. The byte at every other offset i is ``((i *
0x9E3779B1) mod 2**32) >> 24``. So a message that was cut, mixed with another or not written in
every page is found.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wirecost.messaging.transport.quality import Quality
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.errors import UserError

PROTOCOL = 2
ROLES = ("publisher", "subscriber", "requester", "replier")
PRIME_EVERY_S = 0.01
MOST_ROWS = 2_000_000
"""Most rows of a records file."""
SENT, RECEIVED = 4, 3
"""Numbers in a row."""

Rows = NDArray[np.int64]


def quality_of(command: JsonObject) -> Quality:
    """Return the quality that ``open`` asks for."""
    asked_for = command["reliable"], command["queue"]
    return Quality(*asked_for, command["settings"], untouched=asked_for == (None, None))


def write_rows(path: Path, rows: Any, width: int) -> None:
    """Write rows of ``width`` integers."""
    np.asarray(rows, "<i8").reshape(-1, width).tofile(path)


def read_rows(path: Path, width: int) -> Rows:
    """Return the rows of a records file, shape (n, width). Raises UserError for another file."""
    try:
        size = path.stat().st_size
        if size % (8 * width) or size > 8 * width * MOST_ROWS:
            raise UserError(f"{path}: {size} bytes are no rows of {width}; the client is faulty")
        return np.fromfile(path, "<i8").astype(np.int64).reshape(-1, width)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; the client wrote no records") from error
