# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders of ``bench notification`` under several allocators, with a program that
pretends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import pytest

from wirecost.bench.notification import cpp
from wirecost.bench.notification.backend import Content, Counted
from wirecost.bench.notification.cpp import Cpp
from wirecost.bench.program import ProgramFailedError

CONTENT = Content("ticket", 4, 1)
FILES = {
    "glibc": "/lib/libc.so.6",
    "jemalloc": "/lib/libjemalloc.so.2",
    "mimalloc": "/lib/libc.so.6",
}
KEYS = ["wirecost/new/ros1", "gencpp/new/ros1"]


def silent(*_: object) -> None:
    """Reports nothing; finds no program."""


class Pretended:
    """Prints what the program would print; ``started``: command, allocator and contenders."""

    def __init__(self) -> None:
        self.started: list[tuple[str, str, list[str]]] = []
        self.files = dict(FILES)

    def lines(self, *arguments: str, environment: Mapping[str, str] | None = None) -> Iterator[str]:
        preloaded = (environment or {}).get("LD_PRELOAD", "")
        name = next((n for n in ("jemalloc", "mimalloc") if n in preloaded), "glibc")
        keys = [after for word, after in pairwise(arguments) if word == "--contender"]
        self.started.append((arguments[0], name, keys))
        if arguments[0] in ("allocator", "measure"):
            yield f"allocator\t{self.files[name]}\t{self.files[name]}"
        if arguments[0] == "verify":
            yield from (f"{key}\t0\tff\tdecoded" for key in keys)
        if arguments[0] == "measure":
            yield from (f"{key}\t0\ttotal\t{number}" for number, key in enumerate(keys))
            yield from (f"{key}\t0\tsum\t7" for key in keys)
        if arguments[0] == "count":
            yield from (f"{key}\t16.000" for key in keys)

    def rows(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> list[list[str]]:
        if arguments[0] == "list":
            return [[*key.split("/"), "none", "owning"] for key in KEYS]
        return [line.split("\t") for line in self.lines(*arguments, environment=environment)]


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Pretended:
    pretended = Pretended()
    for name in ("MEASURED", "COUNTED"):
        monkeypatch.setattr(cpp, name, pretended)
    monkeypatch.setattr(cpp.shutil, "which", silent)
    return pretended


@pytest.mark.usefixtures("program")
def test_each_contender_runs_under_each_allocator() -> None:
    found = Cpp(("glibc", "jemalloc")).contenders()
    assert [(c.key, c.malloc) for c in found] == [
        (f"{key} {name}", FILES[name]) for name in ("glibc", "jemalloc") for key in KEYS
    ]
    assert found[0].entry(CONTENT).who["mode"] == "new glibc"


@pytest.mark.usefixtures("program")
def test_without_a_choice_nothing_is_preloaded_and_malloc_is_recorded() -> None:
    (one, _) = Cpp().contenders()
    assert one.key == "wirecost/new/ros1"
    entry = one.entry(CONTENT)
    assert entry.who["mode"] == "new"
    assert entry.facts["malloc"] == "/lib/libc.so.6"


@pytest.mark.usefixtures("program")
def test_an_allocator_that_is_not_loaded_is_left_out_with_its_remedy() -> None:
    backend = Cpp(("glibc", "mimalloc"))
    assert {c.allocator for c in backend.contenders()} == {"glibc"}
    why = backend.not_run()["mimalloc"]
    assert "malloc of /lib/libc.so.6, not libmimalloc.so.2" in why
    assert "apt-get install" in why


def test_a_process_measures_the_contenders_of_one_allocator(program: Pretended) -> None:
    backend = Cpp(("glibc", "jemalloc"))
    keys = ["gencpp/new/ros1 jemalloc", "wirecost/new/ros1 glibc", "wirecost/new/ros1 jemalloc"]
    rounds = list(backend.measure(CONTENT, keys, 1, silent))
    assert program.started == [
        ("measure", "jemalloc", ["gencpp/new/ros1", "wirecost/new/ros1"]),
        ("measure", "glibc", ["wirecost/new/ros1"]),
    ]
    assert [[one.key for one in samples] for samples in rounds] == [
        ["gencpp/new/ros1 jemalloc", "wirecost/new/ros1 jemalloc"],
        ["wirecost/new/ros1 glibc"],
    ]
    assert {c.key for c in backend.carry(CONTENT, keys)} == set(keys)
    assert backend.count(CONTENT, keys) == {key: Counted(16.0, None) for key in keys}


def test_each_measured_process_must_prove_its_allocator(program: Pretended) -> None:
    backend = Cpp(("jemalloc",))
    program.files["jemalloc"] = "/lib/libc.so.6"
    with pytest.raises(ProgramFailedError, match="not libjemalloc"):
        list(backend.measure(CONTENT, ["gencpp/new/ros1 jemalloc"], 1, silent))
