# SPDX-License-Identifier: Apache-2.0
"""Decoders in Python as a program: ``python -m attack.decoders.decode WHICH CASES RESULTS``.

``WHICH`` is ``python`` or ``native``, our generated classes, ``kept-python``, those that keep
unknown fields, ``google``, or ``rules``, the wires without presence as docs/compile.md tells them.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from google.protobuf.message import DecodeError

from attack.decoders.cases import Case, Result, Status, read_cases, schema, wires, write_results
from attack.decoders.google import canonical
from attack.decoders.sequential_rules import Refused, decoded
from support.compiled import google_class, holder_of, module_of
from support.native import native_class

MEMORY = 4 << 30
"""Bytes of address space: no message here may take them."""

NOT_FOR_IT = Result(Status.NOT_FOR_IT)


def generated(holder: Callable[[str], Any], case: Case) -> Result:
    """By one of our classes."""
    if case.wire not in wires(case.message):
        return NOT_FOR_IT
    cls = holder(case.message)
    message = cls() if case.data is None else getattr(cls, f"decode_{case.wire}")(case.data)
    if hasattr(message, "unknown_fields"):
        forget_unknown(message)
    return encoded(message, case.wire)


def keeping(case: Case) -> Result:
    """By one of our classes that keep unknown fields."""
    if case.wire != "protobuf":
        return NOT_FOR_IT
    package, _, name = case.message.rpartition(".")
    cls = getattr(module_of(package, preserve_unknown=True), name)
    message = cls() if case.data is None else cls.decode_protobuf(case.data)
    return encoded(message, case.wire)


def encoded(message: Any, wire: str) -> Result:
    try:
        return Result(Status.ACCEPTED, getattr(message, f"encode_{wire}")())
    except ValueError as fault:
        return Result(Status.BROKEN, f"not encoded: {fault}".encode())


def forget_unknown(chain: Any) -> None:
    """Remove the unknown fields, which the native chain keeps and the others drop."""
    chain.unknown_fields = b""
    for inner in (*([chain.next] if chain.next else []), *chain.branches):
        forget_unknown(inner)


def by_google(case: Case) -> Result:
    if case.wire != "protobuf" or case.message.startswith("bounds"):
        return NOT_FOR_IT
    message = google_class(case.message)()
    if case.data is not None:
        message.ParseFromString(case.data)
    if not message.IsInitialized():
        return Result(Status.REFUSED)
    return Result(Status.ACCEPTED, canonical(message))


def by_rules(case: Case) -> Result:
    if case.wire == "protobuf" or case.data is None or case.wire not in wires(case.message):
        return NOT_FOR_IT
    return Result(Status.ACCEPTED, decoded(schema(), case.message, case.wire, case.data))


DECODERS: dict[str, Callable[[Case], Result]] = {
    "python": lambda case: generated(holder_of, case),
    "native": lambda case: generated(native_class, case),
    "kept-python": keeping,
    "google": by_google,
    "rules": by_rules,
}


def result(decoder: Callable[[Case], Result], case: Case) -> Result:
    try:
        return decoder(case)
    except (DecodeError, Refused, UnicodeDecodeError):
        return Result(Status.REFUSED)
    except Exception as fault:
        if type(fault).__name__ == "WireError" and "\n" not in str(fault):
            return Result(Status.REFUSED)
        return Result(Status.BROKEN, f"{type(fault).__name__}: {fault}".encode())


def main(which: str, cases: str, results: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    decoder = DECODERS[which]
    write_results(Path(results), (result(decoder, case) for case in read_cases(Path(cases))))


if __name__ == "__main__":
    main(*sys.argv[1:])
