# SPDX-License-Identifier: Apache-2.0
"""Gives all decoders the same messages and compares what became of them."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path

from attack.decoders import messages
from attack.decoders.cases import Case, Result, Status, schema, write_cases
from attack.decoders.deliberate import (
    DELIBERATE,
    GOOGLE,
    KEPT_LENIENT,
    KEPT_STRICT,
    LENIENT,
    PAIRS,
    STRICT,
    Results,
    quieted,
)
from attack.decoders.facts import Facts, facts
from attack.decoders.programs import Program, all_programs
from attack.outcome import Budget, Fault, Outcome

BATCH = 20_000
SEARCHES = 12
"""Rounds in which an input is made smaller, each once through all programs."""
CANDIDATES = 400


def attack(budget: Budget, keep: Path) -> Outcome:
    """Run the comparison as ``make attack`` calls it."""
    outcome = Outcome()
    with tempfile.TemporaryDirectory(prefix="wirecost-decoders-") as folder:
        programs = all_programs(Path(folder))
        waiting: Iterable[Case] = messages.defaults()
        done = 0
        while count := budget.left(done):
            count = min(count, BATCH)
            batch = [*waiting, *messages.cases(budget.seed, done, count)]
            waiting = ()
            done += count
            differences = differing(programs, batch, Path(folder), outcome)
            for case, what in differences:
                smallest = minimal(programs, case, Path(folder))
                outcome.faults.append(Fault(what, kept(keep, smallest, what)))
    return outcome


def kept(keep: Path, case: Case, what: str) -> Path:
    """Return the file that keeps a case as a line of a corpus, with its reason before it."""
    keep.mkdir(parents=True, exist_ok=True)
    path = keep / f"decoders-{hashlib.sha256(case.line.encode()).hexdigest()[:12]}.txt"
    reason = "".join(f"# {line}\n" for line in what.splitlines())
    path.write_text(f"{reason}{case.line}\n")
    return path


def differing(
    programs: Sequence[Program], cases: Sequence[Case], folder: Path, outcome: Outcome
) -> list[tuple[Case, str]]:
    """Return the cases that not all decoders took alike, and how; count those that they did."""
    differences = []
    for case, results in zip(cases, run(programs, cases, folder), strict=True):
        what = disagreement(case, results)
        if what:
            differences.append((case, what))
        elif results["holder"].status is Status.ACCEPTED:
            outcome.accepted += 1
        else:
            outcome.refused += 1
    return differences


def run(programs: Sequence[Program], cases: Sequence[Case], folder: Path) -> list[Results]:
    """Return the results of each decoder for each case."""
    path = folder / "cases"
    write_cases(path, cases)
    (out := folder / "results").mkdir(exist_ok=True)
    for old in out.iterdir():
        old.unlink()
    with ThreadPoolExecutor(2) as pool:
        parts = pool.map(lambda program: program.run(path, out), programs)
        by_name = dict(chain.from_iterable(part.items() for part in parts))
    full = {name: _filled(name, written, len(cases), out) for name, written in by_name.items()}
    return [{name: results[i] for name, results in full.items()} for i in range(len(cases))]


def _filled(name: str, found: list[Result], count: int, out: Path) -> list[Result]:
    """Return as many results as cases; a program that wrote fewer ended at the next case."""
    if len(found) == count:
        return found
    reported = next((path.read_text() for path in out.glob("*.txt") if path.stem == name), "")
    ended = Result(Status.BROKEN, f"{name} ended. {reported}".encode())
    return [*found, ended, *[Result(Status.NOT_FOR_IT)] * (count - len(found) - 1)]


def disagreement(case: Case, results: Results) -> str:
    """Return how decoders differ, unless they do on purpose; empty where they agree."""
    there = {name: r for name, r in results.items() if r.status is not Status.NOT_FOR_IT}
    broken = [name for name, result in there.items() if result.status is Status.BROKEN]
    if broken:
        return f"{broken[0]} broke: {there[broken[0]]}"
    if case.data is None:
        return _of_default(there)
    case_facts = Facts()
    if case.wire == "protobuf":
        case_facts = facts(schema(), case.message, case.data)
    return (
        _among(LENIENT, there)
        or _among(STRICT, there)
        or _among(KEPT_LENIENT, there)
        or _among(KEPT_STRICT, there)
        or _of_kept(there)
        or _of_view(case, case_facts, there)
        or _beside(case, case_facts, there)
    )


def _among(names: Sequence[str], results: Results) -> str:
    """Return how these decoders differ; empty where they agree."""
    here = [name for name in names if name in results]
    for name in here[1:]:
        if results[name] != results[here[0]] and not quieted(results[here[0]], results[name]):
            return _reported(results, here[0], name)
    return ""


def _reported(results: Results, one: str, other: str) -> str:
    return f"{one} and {other} differ\n{one}: {results[one]}\n{other}: {results[other]}"


def _of_default(results: Results) -> str:
    """Compare defaults, which can lack what is required; only some encoders look for that."""
    agreed = ["holder", "utf8", "native", "python", "java", "kept", "kept-python", "kept-java"]
    google = [name for name in GOOGLE if name in results]
    if all(results[name].status is Status.ACCEPTED for name in google):
        agreed += ["api", *google]
    return _among(agreed, results) or _among(("api", *google), results)


def _of_kept(results: Results) -> str:
    """Compare decoders that keep unknown fields with those that drop them."""
    for keeping, dropping in (("kept", "holder"), ("kept-utf8", "utf8")):
        if keeping in results and results[keeping].status is not results[dropping].status:
            return _reported(results, keeping, dropping)
    return ""


def _of_view(case: Case, found: Facts, results: Results) -> str:
    """Compare a view with the holder, if it is little-endian and in one part."""
    if "view" not in results:
        return ""
    view, holder = results["view"].status, results["holder"].status
    if view is Status.SPLIT and (found.parts or found.entry_surplus):
        return ""
    if case.wire == "cdr" and case.data is not None and case.data[1:2] == b"\0":
        return "" if view is Status.REFUSED else _reported(results, "view", "holder")
    agrees = (view is Status.SEEN) == (holder is Status.ACCEPTED)
    return "" if agrees else _reported(results, "view", "holder")


def _beside(case: Case, found: Facts, results: Results) -> str:
    """Ours that differ from each other, and from others' decoders."""
    for pair in PAIRS:
        first, other = pair
        if first not in results or other not in results or results[first] == results[other]:
            continue
        reasons = (d for d in DELIBERATE if pair in d.pairs)
        if not any(reason.explains(case, found, results) for reason in reasons):
            return _reported(results, first, other)
    return ""


def minimal(programs: Sequence[Program], case: Case, folder: Path) -> Case:
    """Return the smallest message found on which the decoders still differ."""
    for _ in range(SEARCHES):
        smaller = list(_smaller(case))
        for candidate, results in zip(smaller, run(programs, smaller, folder), strict=True):
            if disagreement(candidate, results):
                case = candidate
                break
        else:
            return case
    return case


def _smaller(case: Case) -> Iterable[Case]:
    """Return the message without some of its bytes, the shortest first."""
    data = case.data or b""
    size, count = len(data), 0
    part = size
    while part and count < CANDIDATES:
        for at in range(0, size, max(1, part // 2)):
            if count < CANDIDATES and (shorter := data[:at] + data[at + part :]) != data:
                count += 1
                yield replace(case, data=shorter)
        part //= 2
