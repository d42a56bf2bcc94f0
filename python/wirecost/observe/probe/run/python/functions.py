# SPDX-License-Identifier: Apache-2.0
"""Recorder of the calls of Python functions that patterns name.

Each Python interpreter of a program runs it first; it records by sys.monitoring (Python 3.12) or by
profile hooks.

A pattern is ``module:Class.method``, in which ``*`` is any text; of the program's own file, the
module is ``__main__`` or the file's name. Bodies of modules and classes are no functions. A
generator or coroutine is recorded from each resumption to the next suspension, since it leaves the
thread in between. It runs in the program's Python, with the standard library of 3.8 alone; the
probe library it calls by ctypes.
"""

from __future__ import annotations

import atexit
import ctypes
import difflib
import fnmatch
import json
import os
import re
import sys
import threading
import weakref
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Pattern  # noqa: UP035 - Python 3.8

COUNT_LOOPS = 2**64 - 1
MOST_SEEN = 5000
CO_OPTIMIZED = 1
"""Flag of code that is a function's, as in ``inspect``, which is slow to import."""


def say(line: str) -> None:
    print("wirecost: " + line, file=sys.stderr)


def qualified(frame: FrameType) -> str:
    """Return the function's name with those of its classes.

    Before Python 3.11, the first argument gives its class.
    """
    code = frame.f_code
    name = getattr(code, "co_qualname", None)
    if name is not None:
        return str(name)
    if code.co_argcount and code.co_varnames[0] in ("self", "cls"):
        first = frame.f_locals.get(code.co_varnames[0])
        for owner in getattr(first if isinstance(first, type) else type(first), "__mro__", ()):
            attribute = vars(owner).get(code.co_name)
            attribute = getattr(attribute, "__func__", attribute)
            if getattr(attribute, "__code__", None) is code:
                return f"{owner.__qualname__}.{code.co_name}"
    return code.co_name


class Sections:
    """Sections by the code that they record; 0: none."""

    def __init__(self, library: ctypes.PyDLL, patterns: list[str], limit: int) -> None:
        self._section = library.wirecost_probe_section
        self._section.argtypes, self._section.restype = [ctypes.c_char_p], ctypes.c_uint32
        self.patterns = patterns
        self._expressions: list[Pattern[str]] = [
            re.compile(fnmatch.translate(pattern.replace("[", "[[]"))) for pattern in patterns
        ]
        self._limit = limit
        self.of: dict[int, tuple[int, object]] = {}
        """By the code's identity, as equal functions of two modules would be one key: the section
        and a reference that removes the entry when the code is freed."""
        self._named: dict[str, int] = {}
        self.matched = 0
        self.seen: set[str] = set()

    def find(self, frame: FrameType) -> int:
        code = frame.f_code
        module = str(frame.f_globals.get("__name__", ""))
        name = qualified(frame)
        names = [module + ":" + name]
        if module == "__main__":
            names.append(Path(code.co_filename).stem + ":" + name)
        section = 0
        is_function = bool(code.co_flags & CO_OPTIMIZED)
        matches = any(expression.match(text) for text in names for expression in self._expressions)
        if is_function and matches:
            section = self._matching(names[-1])
        elif is_function and len(self.seen) < MOST_SEEN:
            self.seen.add(names[-1])
        # No function in Python: the profile hook would see it.
        key = id(code)
        self.of[key] = section, weakref.ref(code, partial(self.of.pop, key))
        return section

    def _matching(self, name: str) -> int:
        """Functions of one name, as generated ones may be, are one section."""
        if name not in self._named:
            self.matched += 1
            if self.matched > self._limit:
                if self.matched == self._limit + 1:
                    say(f"more than {self._limit} functions match; the others are not recorded")
                return 0
            self._named[name] = self._section(name.encode())
        return self._named[name]

    def report(self) -> None:
        """Report what is similar to patterns that nothing matched.

        Whoever started the program reads it: it knows whether another process had a match.
        """
        seen = sorted(self.seen)
        near = {
            pattern: difflib.get_close_matches(pattern.replace("*", ""), seen, 3, 0.5)
            for pattern, expression in zip(self.patterns, self._expressions)  # noqa: B905 - Python 3.8
            if not any(map(expression.match, self._named))
        }
        if seen and near:
            file = Path(os.environ["WIRECOST_PROBE"]) / f"functions-{os.getpid()}.near"
            file.write_text(json.dumps(near))


class Calls:
    """Begins and ends sections; a thread's first call makes its log."""

    def __init__(self, library: ctypes.PyDLL, sections: Sections) -> None:
        self.sections = sections
        self.begin = library.wirecost_probe_begin
        self.begin.argtypes, self.begin.restype = [ctypes.c_uint32, ctypes.c_uint64], None
        self.end = library.wirecost_probe_end
        self.end.argtypes, self.end.restype = [ctypes.c_uint32, ctypes.c_int64], None


def profile(calls: Calls) -> None:
    """Record by ``sys.setprofile``: every call in the program pays for it."""
    of, find = calls.sections.of, calls.sections.find
    begin, end = calls.begin, calls.end

    def hook(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            entry = of.get(id(frame.f_code))
            section = find(frame) if entry is None else entry[0]
            if section:
                begin(section, COUNT_LOOPS)
        elif event == "return":  # an exception and a suspension too
            entry = of.get(id(frame.f_code))
            if entry is not None and entry[0]:
                end(entry[0], 0)

    if sys.getprofile() is not None:
        say("another profiler has the profile hook; Python functions are not recorded")
        return
    threading.setprofile(hook)
    sys.setprofile(hook)


def monitor(calls: Calls) -> None:
    """Record by ``sys.monitoring``: code that is not recorded is reported only once."""
    monitoring = sys.monitoring  # type: ignore[attr-defined, unused-ignore]
    events, off = monitoring.events, monitoring.DISABLE
    tool = _free_tool(monitoring)
    if tool is None:
        say("other tools have all of sys.monitoring; Python functions are not recorded")
        return
    of, find = calls.sections.of, calls.sections.find
    begin, end = calls.begin, calls.end

    def entered(code: CodeType, _offset: int) -> Any:
        entry = of.get(id(code))
        section = find(sys._getframe(1)) if entry is None else entry[0]
        if entry is None and section:
            monitoring.set_local_events(
                tool, code, events.PY_RETURN | events.PY_YIELD | events.PY_RESUME
            )
        if not section:
            return off
        begin(section, COUNT_LOOPS)
        return None

    def left(code: CodeType, _offset: int, _value: object) -> Any:
        entry = of.get(id(code))
        if entry is None or not entry[0]:
            return off
        end(entry[0], 0)
        return None

    def thrown_into(code: CodeType, _offset: int, _error: object) -> None:
        entry = of.get(id(code))
        if entry is not None and entry[0]:
            begin(entry[0], COUNT_LOOPS)

    def unwound(code: CodeType, _offset: int, _error: object) -> None:
        entry = of.get(id(code))
        if entry is not None and entry[0]:
            end(entry[0], 0)

    for event, callback in (
        (events.PY_START, entered),
        (events.PY_RESUME, entered),
        (events.PY_RETURN, left),
        (events.PY_YIELD, left),
        (events.PY_THROW, thrown_into),
        (events.PY_UNWIND, unwound),
    ):
        monitoring.register_callback(tool, event, callback)
    # Events of exceptions cannot be asked for by function.
    monitoring.set_events(tool, events.PY_START | events.PY_THROW | events.PY_UNWIND)


def _free_tool(monitoring: Any) -> int | None:
    for tool in (monitoring.PROFILER_ID, 3, 4):
        try:
            monitoring.use_tool_id(tool, "wirecost")
        except ValueError:
            continue
        return int(tool)
    return None


def start() -> None:
    patterns = os.environ.get("WIRECOST_PYTHON_FUNCTIONS", "").splitlines()
    path = os.environ.get("WIRECOST_PROBE_LIBRARY")
    if not patterns or not path or not os.environ.get("WIRECOST_PROBE"):
        return
    limit = int(os.environ.get("WIRECOST_FUNCTIONS_LIMIT") or 64)
    # It keeps the interpreter's lock: a call takes less time than giving it away.
    library = ctypes.PyDLL(path)
    sections = Sections(library, patterns, limit)
    atexit.register(sections.report)
    calls = Calls(library, sections)
    (monitor if sys.version_info >= (3, 12) else profile)(calls)


start()
