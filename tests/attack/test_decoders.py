# SPDX-License-Identifier: Apache-2.0
"""All decoders of one schema take the same hostile messages, and find the same content in them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from attack.decoders import cases, differential, messages
from attack.decoders.cases import Case, Result, Status
from attack.decoders.deliberate import (
    DELIBERATE,
    KEPT_LENIENT,
    KEPT_STRICT,
    LENIENT,
    PAIRS,
    STRICT,
)
from attack.decoders.facts import facts
from attack.decoders.programs import CPP, CPP_NAMES, Program, all_programs
from attack.outcome import Outcome

COUNT = int(os.environ.get("WIRECOST_DECODER_MESSAGES", "3000"))
CORPUS = Path(__file__).with_name("corpus") / "decoders"
EVERY_TYPE = "conformance.proto3.EveryType"

Programs = Sequence[Program]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    if not all((CPP / name).exists() for name in CPP_NAMES):
        pytest.skip(f"no decoders in {CPP}: run setup/install --test")
    return all_programs(tmp_path_factory.mktemp("decoders"))


def differences(programs: Programs, given: Sequence[Case], folder: Path) -> list[str]:
    differing = differential.differing(programs, given, folder, Outcome())
    return [f"{case.line}\n{what}" for case, what in differing]


def corpus() -> Iterator[tuple[Case, str]]:
    """Return the messages that once were taken differently, and why."""
    for path in sorted(CORPUS.glob("*.txt")):
        reason = path.stem
        for line in path.read_text().splitlines():
            if line.startswith("#"):
                reason = line.removeprefix("# ")
            elif line:
                yield Case.of_line(line), reason


def test_the_messages_of_defaults_are_encoded_alike(programs: Programs, tmp_path: Path) -> None:
    assert differences(programs, list(messages.defaults()), tmp_path) == []


def test_hostile_messages_are_taken_alike(programs: Programs, tmp_path: Path) -> None:
    outcome = Outcome()
    sent = list(messages.cases(0, 0, COUNT))
    differences_seen = differential.differing(programs, sent, tmp_path, outcome)
    assert [f"{case.line}\n{what}" for case, what in differences_seen[:3]] == []
    assert min(outcome.accepted, outcome.refused) > COUNT // 4  # neither all nor none is a message


def test_what_once_was_taken_differently_is_not(programs: Programs, tmp_path: Path) -> None:
    sent = [case for case, _ in corpus()]
    assert len(sent) > 20
    assert differences(programs, sent, tmp_path) == []


def test_what_differs_on_purpose_does_so(programs: Programs, tmp_path: Path) -> None:
    """Each line of the table is the reason for something in the corpus."""
    sent = [case for case, _ in corpus()]
    met = set()
    for case, results in zip(sent, differential.run(programs, sent, tmp_path), strict=True):
        if case.data is None:
            continue
        case_facts = facts(cases.schema(), case.message, case.data)
        there = {name: r for name, r in results.items() if r.status is not Status.NOT_FOR_IT}
        for difference in DELIBERATE:
            for first, other in difference.pairs:
                differ = first in there and other in there and there[first] != there[other]
                if differ and difference.explains(case, case_facts, there):
                    met.add(difference.line)
    assert [d.line for d in DELIBERATE if d.line not in met] == []


def test_lists_in_many_pieces_are_taken_by_all(programs: Programs, tmp_path: Path) -> None:
    """Their results must not grow faster than they do."""
    int32s, doubles = b"\xda\x02\x01\x05", b"\xca\x02\x08" + bytes(8)
    unpacked = b"\xd8\x02\x05" + b"\xc9\x02" + bytes(8)
    sent = [Case(EVERY_TYPE, "protobuf", piece * 40_000) for piece in (int32s + doubles, unpacked)]
    results = differential.run(programs, sent, tmp_path)
    assert differences(programs, sent, tmp_path) == []
    assert all(result["java"].status is Status.ACCEPTED for result in results)


def test_the_comparison_sees_a_difference() -> None:
    """Any decoder may differ, in any respect."""
    case = Case(EVERY_TYPE, "protobuf", b"")
    names = ("api", *LENIENT, *STRICT, *KEPT_LENIENT, *KEPT_STRICT)
    agreed = {name: Result(Status.ACCEPTED, b"x") for name in names}
    agreed |= {"view": Result(Status.SEEN), "google": agreed["api"], "google-cpp": agreed["api"]}
    assert differential.disagreement(case, agreed) == ""
    for name in agreed:
        for result in (
            Result(Status.REFUSED),
            Result(Status.BROKEN, b"a crash"),
            *([Result(Status.ACCEPTED, b"y")] if name != "view" else []),
        ):
            assert name in differential.disagreement(case, agreed | {name: result}), (name, result)
    ros1 = replace(case, wire="ros1")
    assert differential.disagreement(ros1, agreed | {"rules": Result(Status.REFUSED)})
    assert {name for pair in PAIRS for name in pair} <= {*agreed, "rules"}


def test_a_program_that_ends_is_a_fault(tmp_path: Path) -> None:
    program = Program(("python",), lambda _, __: ["false"])
    (results,) = differential.run([program], [Case(EVERY_TYPE, "protobuf", b"")], tmp_path)
    assert results["python"].status is Status.BROKEN


def test_a_message_is_known_by_its_number() -> None:
    assert list(messages.cases(7, 0, 20))[10:] == list(messages.cases(7, 10, 10))
    assert list(messages.cases(7, 0, 20)) != list(messages.cases(8, 0, 20))


def test_cases_and_results_keep_their_content(tmp_path: Path) -> None:
    sent = [*messages.defaults(), *messages.cases(0, 0, 50)]
    cases.write_cases(tmp_path / "cases", sent)
    assert list(cases.read_cases(tmp_path / "cases")) == sent
    assert [Case.of_line(case.line) for case in sent] == sent
    results = [Result(status, b"content") for status in Status]
    cases.write_results(tmp_path / "results", results)
    assert list(cases.read_results(tmp_path / "results")) == results
