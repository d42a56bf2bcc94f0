# SPDX-License-Identifier: Apache-2.0
"""Verdicts on a budget: an answer, JUnit's XML and a JSON document."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from xml.etree import ElementTree

from wirecost.results.analysis.budget.budget import DEADLINE, RATE, TIMES
from wirecost.results.analysis.budget.origins import Origin
from wirecost.results.analysis.budget.suppressions import EXPIRED, UNUSED, Suppression
from wirecost.results.analysis.budget.verdicts import (
    EXCEEDED,
    MET,
    NOT_DECIDED,
    SUPPRESSED,
    Verdict,
)
from wirecost.results.records.probe_stacks import SourceLine
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import MOST_ALIKE, Answer, Section
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.current_folder import from_here
from wirecost.system.foreign import printable, shortened
from wirecost.system.function_names import short_names

Origins = Mapping[Verdict, Sequence[Origin]]
SCHEMA = 1
ORDER = (EXCEEDED, NOT_DECIDED, SUPPRESSED, MET)
MOST_LINES, MOST_UNPLACED = 8, 3
"""Lines of a screen about where counts come from, and about those of which nobody knows."""
_FAULT = "a system call may have caused it, or perf_event_open is not permitted here"
_OTHER = "a thread keeps 64 different ones"
REASONS = {"minor-faults": _FAULT, "major-faults": _FAULT}
REASONS |= dict.fromkeys(("allocations", "allocated-bytes", "frees", "lock-waits"), _OTHER)
"""Why an event of each of these counters may have no stack."""
MOST_ALSO = 6
LONGEST_CHAIN, LONGEST_NAME = 52, 60
LONGEST_FILE = 40


def budget_answer(
    verdicts: Sequence[Verdict],
    incomplete: Sequence[str],
    origins: Origins,
    states: Mapping[Suppression, str],
) -> Answer:
    """Return how many budgets are exceeded, the exceeded ones first, and where counts come from."""
    stacks = [
        Section(title=f"{verdict.name}: {_quantity(verdict)}", lines=_lines_of(verdict, origin))
        for verdict, origin in origins.items()
    ]
    rest = incomplete if len(incomplete) > MOST_ALIKE else []
    return Answer(
        tally(verdicts),
        table(verdicts),
        more="--all prints whole stacks; --json, --junit and --markdown write them",
        sections=[Section([table(verdicts)], lines=rest), *stacks],
        heading="budgets",
        document={
            **document(verdicts, incomplete, origins),
            "suppressions": [_suppression(*item) for item in states.items()],
        },
    )


def _lines_of(verdict: Verdict, found: Sequence[Origin]) -> list[str]:
    """Return the lines of stacks, for a page or Markdown."""
    return [line for origin in found for line in stack_text(verdict, origin).split("\n")]


def tally(verdicts: Sequence[Verdict]) -> str:
    """Return how many budgets have each verdict, in one sentence."""
    counts = {verdict: sum(v.verdict == verdict for v in verdicts) for verdict in ORDER}
    said = [f"{count} {verdict}" for verdict, count in counts.items() if count]
    return f"Budgets: {', '.join(said)}."


def table(verdicts: Sequence[Verdict]) -> Table:
    """Return a row for each line of the budget and what it is about."""
    columns: list[Column[Verdict]] = [
        Column("budget", lambda verdict: verdict.name),
        Column("of", _quantity),
        Column("limit", _limit),
        Column("recorded", _value),
        Column("above", _above, optional=1),
        Column("verdict", _verdict),
    ]
    ordered = sorted(verdicts, key=lambda verdict: ORDER.index(verdict.verdict))
    return Table.of("Budgets, the exceeded ones first", ordered, columns)


def sentence(verdict: Verdict) -> str:
    """Return one line: what was limited, what was recorded, what would decide it."""
    return (
        f"{verdict.name}: {_quantity(verdict)} {_value(verdict)}, limit {_limit(verdict)}, "
        f"{_above(verdict)} above: {_verdict(verdict)}"
    )


def places(origins: Origins) -> list[str]:
    """Return lines for a screen: where exceeded counts come from, the first of each before all."""
    ranked = [
        (rank, verdict, origin)
        for verdict, found in origins.items()
        for rank, origin in enumerate(found)
    ]
    lines: list[str] = []
    for _, verdict, origin in sorted(ranked, key=itemgetter(0)):
        of_origin = [_place(verdict, origin), *_beside(origin)]
        chain = _chain(origin)
        if not origin.own.file and chain != _short(origin.own.function):
            of_origin.append(f"  {shortened(chain, LONGEST_CHAIN)}")
        if lines and len(lines) + len(of_origin) > MOST_LINES:
            break
        lines += of_origin
    return lines


def suppression_lines(states: Mapping[Suppression, str]) -> list[str]:
    """Return lines about suppressions that nothing needs, or that hold no more."""
    unused = (suppression for suppression, state in states.items() if state == UNUSED)
    expired = (suppression for suppression, state in states.items() if state == EXPIRED)
    return [
        *(
            f"{suppression.place}: no stack has {suppression.pattern}; remove it"
            for suppression in unused
        ),
        *(
            f"{suppression.place}: held until {suppression.until} ({suppression.reason})"
            for suppression in expired
        ),
    ]


def without_stacks(verdicts: Iterable[Verdict], origins: Origins) -> list[str]:
    """Return lines about exceeded counts whose events should have had stacks, and have none."""
    lines = [
        f"{verdict.name} {verdict.line.quantity}: no stack was kept; {REASONS[quantity]}"
        for verdict in verdicts
        if (quantity := verdict.line.quantity) in REASONS
        and verdict.verdict == EXCEEDED
        and verdict not in origins
    ]
    return lines[:MOST_UNPLACED]


def stack_text(verdict: Verdict, origin: Origin) -> str:
    """Return a whole stack, a line for each function."""
    stack = [f"  {_line(line)}" for line in origin.lines]
    held = [f"    {_line(line)}" for line in origin.holder[1:]]
    lines = [_place(verdict, origin), *stack, *_beside(origin), *held]
    return "\n".join(map(printable, lines))


def _place(verdict: Verdict, origin: Origin) -> str:
    share = f"{origin.which}, {origin.count:,} of {origin.seen:,}"
    act = f" by {origin.act}" if origin.act else ""
    return f"{verdict.name} {verdict.line.quantity}{act}: {_line(origin.own)} ({share})"


def _beside(origin: Origin) -> list[str]:
    """Return lines about who held a lock, and about what else is counted."""
    lines = []
    if origin.held_at is not None:
        who, priorities = "a thread", origin.priorities
        if priorities is not None and priorities.own:
            who += f" of priority {priorities.holder}" if priorities.holder else " of no priority"
            who += f" (inherits {priorities.own})" if priorities.is_inherited else ""
            who += f", below {priorities.own}," if priorities.are_inverted else ""
        lines.append(f"  {who} took the lock at {_line(origin.held_at)}")
    if others := [f"{name} {count:,}" for name, count in origin.also[:MOST_ALSO]]:
        lines.append(f"  also by {', '.join(others)}")
    return lines


def _line(line: SourceLine) -> str:
    name = _short(line.function)
    return f"{_file(line.file)}:{line.line} in {name}" if line.file else name


def _chain(origin: Origin) -> str:
    """Return functions of a stack in one line, from the innermost to the program's own."""
    lines = origin.lines[: origin.lines.index(origin.own) + 1]
    return " < ".join(dict.fromkeys(_short(line.function) for line in lines))


def _short(function: str) -> str:
    (name,) = short_names([function.replace("(anonymous namespace)::", "")]).values()
    return shortened(name, LONGEST_NAME)


def _file(file: str) -> str:
    """Return a file as it is called from here, or the end of a long path."""
    name = from_here(Path(file))
    return name if len(name) <= LONGEST_FILE else f"…/{'/'.join(Path(file).parts[-2:])}"


def document(
    verdicts: Sequence[Verdict], incomplete: Sequence[str], origins: Origins
) -> dict[str, object]:
    """Return what ``--json`` writes: times in nanoseconds, rates in Hz."""
    return {
        "schema": SCHEMA,
        "failed": any(verdict.verdict == EXCEEDED for verdict in verdicts),
        "incomplete": list(incomplete),
        "budgets": [
            {
                "kind": verdict.line.kind,
                "pattern": verdict.line.pattern,
                "name": verdict.name,
                "quantity": verdict.line.quantity,
                "limit": verdict.line.limit,
                "deadline_ns": verdict.line.deadline_ns,
                "value": verdict.value,
                "count": verdict.count,
                "above": verdict.above,
                "verdict": verdict.verdict,
                "needed": verdict.needed,
                "origins": [_origin(place) for place in origins.get(verdict, ())],
            }
            for verdict in verdicts
        ],
    }


def _suppression(suppression: Suppression, state: str) -> dict[str, object]:
    fields = {key: str(value) for key, value in vars(suppression).items()}
    return {**fields, "state": state}


def _origin(origin: Origin) -> dict[str, object]:
    return {
        "which": origin.which,
        "count": origin.count,
        "seen": origin.seen,
        "act": origin.act,
        "also": dict(origin.also),
        "own": _fields(origin.own),
        "holder": [_fields(line) for line in origin.holder],
        "held_at": _fields(origin.held_at) if origin.held_at else None,
        "priorities": vars(origin.priorities) if origin.priorities else None,
        "stack": [_fields(line) for line in origin.lines],
    }


def _fields(line: SourceLine) -> dict[str, object]:
    return {"function": line.function, "file": line.file, "line": line.line}


def junit(verdicts: Sequence[Verdict], incomplete: Sequence[str], origins: Origins) -> str:
    """Return a test suite with a case for each budget; what neither passes nor fails is skipped."""
    counts = {
        "tests": len(verdicts),
        "failures": sum(verdict.verdict == EXCEEDED for verdict in verdicts),
        "skipped": sum(verdict.verdict in (NOT_DECIDED, SUPPRESSED) for verdict in verdicts),
        "errors": 0,
    }
    attributes = {"name": "wirecost budget", **{key: str(n) for key, n in counts.items()}}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(suites, "testsuite", attributes)
    for verdict in verdicts:
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": printable(verdict.name), "name": _quantity(verdict)}
        )
        if verdict.verdict != MET:
            outcome = "failure" if verdict.verdict == EXCEEDED else "skipped"
            element = ElementTree.SubElement(
                case, outcome, {"message": printable(sentence(verdict))}
            )
            stacks = [stack_text(verdict, place) for place in origins.get(verdict, ())]
            element.text = "\n".join(stacks) or None
    if incomplete:
        ElementTree.SubElement(suite, "system-err").text = "\n".join(map(printable, incomplete))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, "unicode", xml_declaration=True) + "\n"


def _quantity(verdict: Verdict) -> str:
    line = verdict.line
    if line.quantity == DEADLINE:
        return f"misses of {units.time(line.deadline_ns)}, per million"
    return line.quantity


def _limit(verdict: Verdict) -> str:
    limit = _number(verdict, verdict.line.limit)
    return f"≥ {limit}" if verdict.line.quantity == RATE else limit


def _value(verdict: Verdict) -> str:
    return _number(verdict, verdict.value)


def _number(verdict: Verdict, value: float | None) -> str:
    quantity = verdict.line.quantity
    if quantity in TIMES or quantity.endswith("-ns"):
        return units.time(value)
    if quantity == RATE and value is not None:
        return f"{units.significant(value)} Hz"
    return units.amount(value, ",.0f")


def _above(verdict: Verdict) -> str:
    if verdict.line.quantity == RATE:
        return units.NONE
    return f"{verdict.above:,} of {verdict.count:,}"


def _verdict(verdict: Verdict) -> str:
    needed = f": {verdict.needed:,} are enough" if verdict.needed is not None else ""
    return f"{verdict.verdict}{needed}"
