# SPDX-License-Identifier: Apache-2.0
"""Deliberate differences of decoders; docs/compile.md refers to this list."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attack.decoders import sequential_rules
from attack.decoders.cases import Case, Result, Status, schema
from attack.decoders.facts import Facts

Results = Mapping[str, Result]

LENIENT = ("holder", "reused")
"""C++ unless more is asked for: strings are bytes."""
STRICT = ("utf8", "native", "python", "java", "java-reused")
KEPT_LENIENT = ("kept", "kept-reused")
"""The same that keep unknown fields, which the others drop."""
KEPT_STRICT = ("kept-utf8", "kept-python", "kept-java", "kept-java-reused")
GOOGLE = ("google", "google-cpp")
DEPTH = 100
QUIET, EXPONENT = 0x40, 0x80
"""Bits of the third byte of a ``float``."""

OURS = ("holder", "python")
"""The pairs that are compared."""
AS_GOOGLE = ("holder", "api")
IN_CPP = ("holder", "google-cpp")
IN_PYTHON = ("python", "google")
BY_RULES = ("python", "rules")
PAIRS = (OURS, AS_GOOGLE, IN_CPP, IN_PYTHON, BY_RULES)


@dataclass(frozen=True)
class Difference:
    """``explains(case, found, results)``: whether it is why a pair of decoders did not agree."""

    line: str
    pairs: tuple[tuple[str, str], ...]
    explains: Callable[[Case, Facts, Results], bool]


def _no_text(case: Case, found: Facts, results: Results) -> bool:
    """All of ours that want text refuse; the others read bytes."""
    if not _all(STRICT, results, Status.REFUSED):
        return False
    if case.wire == "protobuf":
        return found.no_text
    assert case.data is not None
    try:
        content = sequential_rules.decoded(schema(), case.message, case.wire, case.data, utf8=False)
    except sequential_rules.Refused:
        return False
    return results["holder"].content == content


def _incomplete(case: Case, found: Facts, results: Results) -> bool:
    del case
    return found.incomplete and _all((*LENIENT, *STRICT), results, Status.REFUSED)


def _deep_groups(case: Case, found: Facts, results: Results) -> bool:
    del case
    return found.nesting > DEPTH and _all(GOOGLE, results, Status.REFUSED)


def _long_tag(case: Case, found: Facts, results: Results) -> bool:
    del case
    return found.long_tag and _all((*LENIENT, *STRICT), results, Status.REFUSED)


def _quiet(case: Case, found: Facts, results: Results) -> bool:
    del case, found
    pairs = [("holder", "python"), ("holder", "google"), ("rules", "python")]
    there = [(first, other) for first, other in pairs if first in results and other in results]
    return all(quieted(results[first], results[other]) for first, other in there)


def _wide_bool(case: Case, found: Facts, results: Results) -> bool:
    del case
    return found.wide_bool and _all((*LENIENT, *GOOGLE), results, Status.ACCEPTED)


def _unknown_entry(case: Case, found: Facts, results: Results) -> bool:
    del case
    return found.entry_surplus and results["holder"].status is results["google-cpp"].status


def _zero(case: Case, found: Facts, results: Results) -> bool:
    del case
    return found.zero and _all((*LENIENT, "google-cpp"), results, Status.REFUSED)


def _all(names: tuple[str, ...], results: Results, status: Status) -> bool:
    return all(results[name].status is status for name in names if name in results)


def quieted(one: Result, other: Result) -> bool:
    """Return whether only NaNs of ``float`` fields have become quiet in the second."""
    if one.status is not other.status or len(one.content) != len(other.content):
        return False
    pairs = enumerate(zip(one.content, other.content, strict=True))
    return all(
        others == ours | QUIET and ours & EXPONENT and one.content[at + 1] & 0x7F == 0x7F
        for at, (ours, others) in pairs
        if ours != others
    )


DELIBERATE = (
    Difference(
        "Strings that are not UTF-8, on wires that do not require it (`ros1`, `cdr`, proto2): C++"
        " accepts the bytes, as Google's does, unless `Limits::utf8` is set; Python and Java "
        "refuse them.",
        (OURS, IN_PYTHON),
        _no_text,
    ),
    Difference(
        "Required fields are checked where a message ends, so if a message comes in parts, its "
        "first part must have them all. Google's libraries and the classes with their interface "
        "check when everything is read, so other parts may contain them.",
        (AS_GOOGLE, IN_CPP, IN_PYTHON),
        _incomplete,
    ),
    Difference(
        "Groups that the schema does not know may be nested 100 deep wherever they occur; "
        "Google's libraries count the messages around them too.",
        (IN_CPP, IN_PYTHON),
        _deep_groups,
    ),
    Difference(
        "A tag beyond 32 bits or five bytes is refused; Google's C++ cuts off the bits.",
        (IN_CPP,),
        _long_tag,
    ),
    Difference(
        "Python turns a signalling NaN in a `float` field into a quiet one.",
        (OURS, IN_PYTHON, BY_RULES),
        _quiet,
    ),
    Difference(
        "A bool in a map is true if any of its 64 bits is set; Google's C++ checks 32.",
        (IN_CPP,),
        _wide_bool,
    ),
    Difference(
        "A map entry with unknown fields is an entry; Google's Python treats all of it as unknown.",
        (IN_PYTHON,),
        _unknown_entry,
    ),
    Difference(
        "Field number 0 is refused; Google's Python skips it in messages and groups.",
        (IN_PYTHON,),
        _zero,
    ),
)
