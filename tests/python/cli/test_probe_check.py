# SPDX-License-Identifier: Apache-2.0
"""A gate for real-time code: ``probe check`` judges by a budget, ``probe budget`` writes one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import polars as pl
import pytest

from support.probe_logs import header, record
from support.programs import execute
from wirecost.__main__ import main
from wirecost.observe.probe.function import uprobes
from wirecost.observe.probe.symbols import source_lines
from wirecost.results.analysis.budget.budget import FORBIDDEN, Line, ends_of, read_budget
from wirecost.results.analysis.budget.first_budget import first_budget
from wirecost.results.analysis.budget.origins import warm_stacks
from wirecost.results.analysis.budget.suppressions import read_suppressions
from wirecost.results.analysis.budget.verdicts import (
    EXCEEDED,
    MET,
    NOT_DECIDED,
    Verdict,
    at_most,
    share_verdict,
    verdicts,
)
from wirecost.results.records.probe_stacks import Address, SourceLine, stacks_of
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.report.budget import junit
from wirecost.results.report.shared.screen import SCREEN
from wirecost.system.errors import UserError

MS = 1_000_000
ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "probe"
BUILT = ROOT / "build" / "cmake" / "tests" / "cpp"
FUNCTIONS = BUILT / "functions"
FAULTS = {
    "none": None,
    "vector": "allocations",
    "string": "frees",
    "function": "allocations",
    "log": "system-calls",
    "exception": "allocations",
    "page": "minor-faults",
    "lock": "lock-waits",
    "printf": "system-calls",
}


ACTS = {"exception": "throw", "log": "print (write)", "printf": "print (write)"}


def write(path: Path, times_ns: Sequence[int], allocations: Sequence[int] | None = None) -> bytes:
    """Write a log of section ``update`` at 100 Hz; return its content."""
    counters = [] if allocations is None else [("allocations", 1)]
    content = header(counters, [(1, "update")], capacity=len(times_ns))
    for i, ns in enumerate(times_ns):
        counts = [] if allocations is None else [allocations[i]]
        content += record(
            i + 1, i * 10 * MS, i * 10 * MS + ns, counted=len(counters), counters=counts
        )
    path.write_bytes(content)
    return content


def check(
    folder: Path, budget: str, capsys: pytest.CaptureFixture[str], *options: str
) -> tuple[int, str]:
    (folder / "budget.toml").write_text(budget)
    words = ["probe", "check", str(folder), "--budget", str(folder / "budget.toml"), *options]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", ["wirecost", *words])
        main()
    captured = capsys.readouterr()
    return int(ended.value.code or 0), captured.out + captured.err


def test_each_quantity_has_a_verdict_and_an_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    # 500 executions: the first is slow and allocates, 20 of the rest are slow.
    times = [9 * MS] + [5 * MS if i % 25 == 0 else MS for i in range(1, 500)]
    write(tmp_path / "a.wprobe", times, [7] + [0] * 499)
    files = [tmp_path / name for name in ("o.json", "o.xml", "o.md", "o.sarif")]
    budget = """
after = "5ms"
[section."upd*"]
p50 = "2ms"
p99 = "4ms"
"p99.9" = "6ms"
max = "5ms"
deadline = "4ms"
misses_per_million = 100000
allocations = 0
gap = "11ms"
rate_hz = 101
"""
    options = [
        f"--{kind}={file}"
        for kind, file in zip(("json", "junit", "markdown", "sarif"), files, strict=True)
    ]
    status, text = check(tmp_path, budget, capsys, *options)
    assert status == 3
    assert len(text.splitlines()) <= SCREEN
    document = json.loads(files[0].read_text())
    assert {one["quantity"]: one["verdict"] for one in document["budgets"]} == {
        "p50": MET,
        "p99": EXCEEDED,
        "p99.9": NOT_DECIDED,
        "max": MET,
        "deadline": MET,
        "allocations": MET,  # the one that allocates is warm-up
        "gap": MET,
        "rate_hz": EXCEEDED,
    }
    assert document["budgets"][0]["count"] == 499
    assert [one["needed"] for one in document["budgets"] if one["needed"]] == [3688]
    suite = ElementTree.parse(files[1]).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("8", "2", "1")
    assert len(suite.findall("testcase/failure")) == 2
    assert "2 exceeded, 1 not decided, 5 met" in files[2].read_text()
    assert alerts(files[3]) == [("p99", "budget.toml", 3), ("rate_hz", "budget.toml", 3)]

    status, _ = check(tmp_path, '[section.update]\n"p99.9" = "10ms"', capsys)
    assert status == 0
    limits = '[section.update]\n"p99.9" = "10ms"'
    assert check(tmp_path, limits, capsys, "--require-precision")[0] == 4
    assert check(tmp_path, "[section.update]\nallocations = 0", capsys)[0] == 3


def alerts(sarif: Path) -> list[tuple[str, str, int]]:
    """Return rule, file and line of each result; check what GitHub's code scanning requires."""
    document = json.loads(sarif.read_text())
    (run,) = document["runs"]
    rules = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert (document["version"], len(rules)) == ("2.1.0", len(run["tool"]["driver"]["rules"]))
    for rule in rules.values():
        assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
    shown = []
    for result in run["results"]:
        assert (result["ruleId"] in rules, result["level"]) == (True, "error")
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        artifact, line = place["artifactLocation"], place["region"]["startLine"]
        assert artifact["uriBaseId"] == "%SRCROOT%"
        shown.append((result["ruleId"], artifact["uri"], line))
    return shown


def test_names_are_any_text() -> None:
    """XML has no control characters, however they are escaped."""
    line = Line("section", "*", "max", 1.0)
    text = junit([Verdict(line, "up\x01date", 1, 2.0, 1, EXCEEDED)], ["lost\x1b[2J"], {})
    suite = ElementTree.fromstring(text)[0]
    assert suite[0].get("classname") == r"up\x01date"
    assert suite[1].text == r"lost\x1b[2J"


def test_topics_and_chains_have_budgets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["/a publish /in", "/b /in queue wait", "/b /in callback", "/b publish /out"]
    content = header([], list(enumerate(names)), capacity=400)
    for i in range(100):
        begin = i * 10 * MS
        for part, (kind, first, last) in enumerate(((5, 0, 1), (5, 1, 2), (1, 2, 4), (5, 3, 4))):
            parent, depth = (2, 1) if part == 3 else (0xFFFFFFFF, 0)
            content += record(
                4 * i + part + 1,
                begin + first * MS,
                begin + last * MS,
                section=part,
                kind=kind,
                parent=parent,
                depth=depth,
            )
    (tmp_path / "a.wprobe").write_bytes(content)
    budget = '[topic."/o*"]\ngap = "{}ms"\nrate_hz = 99\n[chain."/in -> /out"]\nmax = "{}ms"'
    assert check(tmp_path, budget.format(10, 4), capsys)[0] == 0
    status, text = check(tmp_path, budget.format(9, 3), capsys)
    assert (status, text.count("exceeded")) == (3, 4)  # also in the sentence and the title


def test_a_log_cut_in_the_middle_is_judged_up_to_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.wprobe"
    content = write(path, [MS] * 100 + [9 * MS] * 100)
    path.write_bytes(content[:-128] + bytes(128))
    status, text = check(tmp_path, '[section.update]\nmax = "5ms"', capsys)
    assert (status, "incomplete" in text, "99 of 199" in text) == (3, True, True)
    path.write_bytes(content[: -100 * 128 - 60])
    status, text = check(tmp_path, '[section.update]\nmax = "5ms"', capsys)
    assert (status, "incomplete" in text, "0 of 99" in text) == (0, True, True)


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ("[section.update]\nallocations = 0", "WIRECOST_PROBE_COUNTERS=allocations"),
        ("[section.update]\nalocations = 0", "is no key; write allocations"),
        ("[section.update]\nfrees = 0", "WIRECOST_PROBE_COUNTERS=frees"),
        ('[section.other]\np50 = "1ms"', "there are: update"),
        ('[topic."/t"]\ngap = "1ms"', "there are: none"),
        ('[chain."/a -> /b"]\nmax = "1ms"', "wirecost probe chain LOGS"),
        ('[chain."/a"]\nmax = "1ms"', "name both ends"),
        ("[section.update]\np50 = 1", "with its unit"),
        ("[section.update]\nrate_hz = nan", "give a number"),
        (f"[section.update]\nallocations = {'9' * 5000}", "no TOML"),
        ("[section.update]\nmisses_per_million = 1", "needs a deadline"),
        ("section = 1", "give tables"),
        ("[section]\nupdate = 1", "is no table"),
        ('after = "1h"\n[section.update]\np50 = "1ms"', "give a positive time"),
        ('after = "9s"\n[section.update]\np50 = "1ms"', "there are: none"),
        ("", "limits nothing"),
        ('[function."f"]\nby = "that"', 'write by = "this"'),
        ('[function."m:f"]\nby = "this"', "for methods of C++"),
        ('[section.f]\nby = "this"', "is no key"),
        ("[[[", "no TOML"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], budget: str, said: str
) -> None:
    write(tmp_path / "a.wprobe", [MS] * 3)
    status, text = check(tmp_path, budget, capsys)
    assert status == 2
    assert said in " ".join(text.split())


def test_shares_are_judged_as_binomial() -> None:
    assert share_verdict(0, 368, 0.01) == (MET, None)
    assert share_verdict(0, 367, 0.01) == (NOT_DECIDED, 368)
    assert share_verdict(1, 2, 0.01)[0] == EXCEEDED
    assert share_verdict(10, 1000, 0.01) == (NOT_DECIDED, None)
    for above, count, share in ((3, 10, 0.2), (7, 10, 0.2), (0, 10, 0.2), (40, 400, 0.1)):
        terms = np.array(
            [np.prod([(count - j) / (j + 1) for j in range(k)]) for k in range(above + 1)]
        )
        k = np.arange(above + 1)
        expected = float((terms * share**k * (1 - share) ** (count - k)).sum())
        assert at_most(above, count, share) == pytest.approx(expected, rel=1e-9)


def test_a_first_budget_does_not_fail_unchanged_code(tmp_path: Path) -> None:
    """Resample one run a thousand times; one that became slower must fail all the same."""
    random = np.random.default_rng(1)
    ns = (MS * (1 + random.pareto(3, 4000))).astype(int)
    write(tmp_path / "a.wprobe", list(ns), list(random.integers(0, 3, 4000)))
    events = pl.concat(event_tables(read_recorded([tmp_path])))
    path = tmp_path / "budget.toml"
    path.write_text(first_budget(events))
    budget = read_budget(path)
    assert {line.quantity for line in budget.lines} == {"p50", "p99", "p99.9", "allocations"}
    length = events["end_ns"] - events["begin_ns"]
    counts = events["counter:allocations"]
    for _ in range(1000):
        drawn = random.integers(0, 4000, 4000)
        again = events.with_columns(
            (pl.col("begin_ns") + length.gather(drawn)).alias("end_ns"),
            counts.gather(drawn).alias("counter:allocations"),
        )
        assert {verdict.verdict for verdict in verdicts(again, budget)} == {MET}
    slower = events.with_columns(end_ns=pl.col("begin_ns") + 3 * length)
    assert [v.verdict for v in verdicts(slower, budget)] == [
        EXCEEDED,
        EXCEEDED,
        EXCEEDED,
        MET,
    ]


@pytest.fixture(scope="module")
def loop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the example's program; its budget without times, as other tests take the processor.

    It is built without anything of wirecost's.
    """
    folder = tmp_path_factory.mktemp("loop")
    loop = folder / "loop"
    command = ["g++", "-g", "-O1", EXAMPLES / "loop.cpp", "-pthread", "-o", loop]
    subprocess.run(command, check=True)
    text = (EXAMPLES / "loop.toml").read_text()
    limits = "\n".join(line for line in text.splitlines() if "p99" not in line)
    (folder / "loop.toml").write_text(limits)
    return loop


def checked(
    loop: Path, out: Path, *options: str, fault: str
) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit status, and what is exceeded by its quantity."""
    budget = str(loop.with_suffix(".toml"))
    words = ["probe", "check", "--budget", budget, "--json", str(out), *options]
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setenv("WIRECOST_PROBE_COUNTERS", "")
        patch.setattr(sys, "argv", ["wirecost", *words, "--", str(loop), fault, "300"])
        main()
    document = json.loads(out.read_text())
    exceeded = {one["quantity"]: one for one in document["budgets"] if one["verdict"] == EXCEEDED}
    return int(ended.value.code or 0), exceeded


def lines_of(text: str) -> list[int]:
    """Return the numbers of the lines of the example that have a text."""
    lines = (EXAMPLES / "loop.cpp").read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if text in line]


def line_of(text: str) -> int:
    (number,) = lines_of(text)
    return number


@pytest.mark.parametrize(("fault", "quantity"), FAULTS.items())
def test_the_example_fails_by_each_of_its_faults_with_its_line(
    loop: Path,
    tmp_path: Path,
    fault: str,
    quantity: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    sarif = tmp_path / "out.sarif"
    status, exceeded = checked(loop, tmp_path / "out.json", "--sarif", str(sarif), fault=fault)
    if quantity is None:
        assert (status, exceeded) == (0, {})
        return
    assert status == 3
    first = exceeded[quantity]["origins"][0]
    assert first["act"] == ACTS.get(fault, "")
    if fault == "lock":
        assert first["held_at"]["line"] in lines_of(
            "lock_guard<std::mutex> lock(controller.shared)"
        )
    places = {"exception": "throw std::runtime_error", "log": "std::clog <<"}
    place = (str(EXAMPLES / "loop.cpp"), line_of(places.get(fault, f'fault == "{fault}"')))
    assert (first["own"]["file"], first["own"]["line"]) == place
    assert (quantity, "examples/probe/loop.cpp", place[1]) in alerts(sarif)
    functions = " ".join(line["function"] for line in first["stack"])
    assert "main" in functions
    assert "wirecost" not in functions
    if fault in ("string", "page", "printf"):
        # All that was counted, none of what wirecost itself does.
        assert (list(exceeded), first["seen"]) == (
            ["allocations", "frees"] if fault == "string" else [quantity],
            exceeded[quantity]["count"],
        )


def test_each_exceeded_count_has_its_place_and_all_prints_whole_stacks(
    loop: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    line = line_of('fault == "string"')
    place = f"loop.cpp:{line} in control::Controller::update"
    for options in ((), ("--all",)):
        checked(loop, tmp_path / "out.json", *options, fault="string")
        printed = capfd.readouterr().out
        for quantity in ("allocations", "frees"):
            assert f"update {quantity}: examples/probe/{place}" in " ".join(printed.split())
        assert ("\n  main" in printed or " in main\n" in printed) == bool(options)


def test_a_program_is_stopped_where_a_limit_is_exceeded(loop: Path, tmp_path: Path) -> None:
    status, exceeded = checked(loop, tmp_path / "out.json", "--stop", fault="string")
    assert (status, list(exceeded)) == (3, ["allocations"])
    (origin,) = exceeded["allocations"]["origins"]
    assert (origin["own"]["line"], origin["seen"]) == (line_of('fault == "string"'), 1)


def test_stacks_are_kept_where_they_are_wanted(
    loop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In logs, without those of the warm-up; a program that is judged need not keep them."""
    status, exceeded = checked(loop, tmp_path / "out.json", "--no-stacks", fault="string")
    assert (status, exceeded["frees"]["origins"]) == (3, [])
    wirecost, logs = Path(sys.executable).with_name("wirecost"), tmp_path / "logs"
    named = ["--function", "control::Controller::update"]
    subprocess.run(
        [wirecost, "probe", "run", *named, "--stacks", "--out", logs, "--", loop, "string", "200"],
        env=os.environ | {"WIRECOST_PROBE_COUNTERS": "allocations"},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    _, text = check(logs, '[function."control::*"]\nallocations = 0', capsys)
    line = line_of('fault == "string"')
    assert f"loop.cpp:{line} in" in " ".join(text.split())
    (log,) = (log for log in read_recorded([logs]) if stacks_of([log]))
    events = pl.concat(event_tables([log]))
    kept = stacks_of([log])
    assert warm_stacks(kept, events, 50e6) == kept
    assert warm_stacks(kept, events, 50e9) == []


def test_lines_of_a_file_that_changed_since_are_not_shown(loop: Path) -> None:
    address = Address(str(loop), 0x10)
    lines, (note,) = source_lines([address, Address("", 1)], recorded_ns=0)
    assert lines[address] == (SourceLine("loop+0x10"),)
    assert note.startswith(f"{loop}: changed since")


@pytest.mark.parametrize("arrow", ["->", "→", "⇢", " → /node → "])
def test_a_chain_is_named_as_it_is_printed(arrow: str) -> None:
    assert ends_of(f"/in {arrow} /out") == ("/in", "/out")


def test_a_percentile_without_quotes(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text('[section.a]\np99.9 = "1s"\n')
    assert read_budget(path).lines == (Line("section", "a", "p99.9", 1e9),)


def judged(
    folder: Path, budget: str, *words: object, options: Sequence[object] = ()
) -> subprocess.CompletedProcess[str]:
    """Run a program in the folder with a budget, in a process of its own."""
    path = folder / "budget.toml"
    path.write_text(budget)
    wirecost = Path(sys.executable).with_name("wirecost")
    command = [wirecost, "probe", "check", "--budget", path, *options, "--", *words]
    return execute(list(map(str, command)), timeout=60, cwd=folder)


def test_a_program_with_sections_is_judged_as_well(tmp_path: Path) -> None:
    watched = BUILT / "probe" / "probe_watched"
    assert judged(tmp_path, "[section.inner]\nallocations = 2", watched).returncode == 0
    assert judged(tmp_path, "[section.inner]\nallocations = 1", watched).returncode == 3


def test_functions_of_a_library_that_is_opened_later(tmp_path: Path) -> None:
    host, plugin = FUNCTIONS / "functions_O2", FUNCTIONS / "functions_plugin.so"
    budget = '[function."cases::plugged_in"]\nallocations = 0\nmax = "9s"'
    met = judged(tmp_path, budget, host, "open", 2, plugin)
    assert (met.returncode, "opened 90" in met.stdout) == (0, True), met.stderr
    assert "waits for libraries that functions_O2 opens later" in " ".join(met.stderr.split())


PLUGIN = """
struct Controller { virtual int update(int step) = 0; };
namespace left { struct Joint : Controller {
  int* last = new int(0);
  int update(int step) override {
    if (step % 2 == 0) last = new int(step);
    return *last;
  }
}; }
extern "C" Controller* make() { return new left::Joint; }
#ifdef HOST
#include <dlfcn.h>
#include <cstdlib>
int main(int, char** words) {
  void* plugin = dlopen(words[1], std::atoi(words[2]));
  auto* make = reinterpret_cast<Controller* (*)()>(dlsym(plugin, "make"));
  auto *first = make(), *second = make();
  for (int i = 0; i < 10; ++i) first->update(i), second->update(1);
}
#endif
"""


@pytest.mark.parametrize(
    "mode",
    [
        os.RTLD_LAZY | os.RTLD_LOCAL,
        os.RTLD_NOW | os.RTLD_GLOBAL,
        os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND,
    ],
)
def test_a_virtual_method_of_one_plugin_that_allocates(mode: int, tmp_path: Path) -> None:
    """Of two objects of a class the budget judges each."""
    source, host, plugin = (tmp_path / name for name in ("plugin.cpp", "host", "plugin.so"))
    source.write_text(PLUGIN)
    for options in (["-DHOST", "-Dleft=none", "-o", host], ["-shared", "-fPIC", "-o", plugin]):
        subprocess.run(["g++", "-g", "-O1", source, *options, "-ldl"], check=True)
    budget = '[function."left::*::update"]\nby = "this"\nallocations = 0'
    done = judged(tmp_path, budget, host, "./plugin.so", mode)
    said = " ".join(done.stdout.split())
    assert done.returncode == 3, done
    assert "plugin.cpp:6 in left::Joint::update (only, 5 of 5)" in said
    assert "left::Joint::update object 1 allocations 0 1 5 of 10 exceeded" in said
    assert "left::Joint::update object 2 allocations 0 0 0 of 10 met" in said


INVERSION = """
#include <pthread.h>
#include <unistd.h>
#include <cstdlib>
pthread_mutex_t mutex;
volatile bool held;
[[gnu::noinline]] void update() { pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex); }
void log_state() {
  pthread_mutex_lock(&mutex);
  held = true;
  usleep(20000);
  held = false;
  pthread_mutex_unlock(&mutex);
}
void* log(void*) { for (;;) log_state(), usleep(10); }
int main(int, char** words) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setprotocol(&attributes, std::atoi(words[1]));
  pthread_mutex_init(&mutex, &attributes);
  pthread_t logger;
  pthread_create(&logger, nullptr, log, nullptr);
  const sched_param priority{7};
  if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) != 0) return 77;
  for (int i = 0; i < 10; ++i) {
    while (!held) usleep(100);
    update();
  }
  _exit(0);
}
"""
NOT_PERMITTED = 77


@pytest.mark.parametrize(("protocol", "act"), [(0, "priority inversion"), (1, "")])
def test_a_wait_for_a_thread_of_lower_priority_shows_both_stacks(
    protocol: int, act: str, tmp_path: Path
) -> None:
    """Where the lock's holder inherits the priority, it is a wait as any other."""
    source, program, out = (tmp_path / name for name in ("inversion.cpp", "inversion", "o.json"))
    source.write_text(INVERSION)
    subprocess.run(["g++", "-g", "-O0", source, "-pthread", "-o", program], check=True)
    if subprocess.run([program, "0"], check=False).returncode == NOT_PERMITTED:
        pytest.skip("no permission for SCHED_FIFO")
    budget = '[function."update"]\nlock-waits = 0'
    done = judged(tmp_path, budget, program, protocol, options=["--json", out])
    assert done.returncode == 3, done
    said = " ".join(done.stdout.split())
    assert "inversion.cpp:9 in log_state" in said, done.stdout
    (origin,) = json.loads(out.read_text())["budgets"][0]["origins"]
    assert origin["act"] == act
    assert origin["priorities"] == {"own": 7, "holder": 0, "is_inherited": bool(protocol)}
    names = [line["function"].partition("(")[0] for line in origin["holder"]]
    assert names[:2] == ["log_state", "log"]
    assert origin["stack"][0]["function"].startswith("update")


def test_every_kind_of_event_is_named_with_its_number(tmp_path: Path) -> None:
    source, program = tmp_path / "calls.cpp", tmp_path / "calls"
    source.write_text(
        "#include <unistd.h>\n#include <sys/syscall.h>\n[[gnu::noinline]] void update(int i) {\n"
        "  for (int k = 0; k < 3; ++k) getppid();\n  if (i % 2) sync();\n  syscall(3000);\n}\n"
        "int main() { for (int i = 0; i < 10; ++i) update(i); }"
    )
    subprocess.run(["g++", "-g", "-O1", source, "-o", program], check=True)
    done = judged(tmp_path, '[function."update"]\nsystem-calls = 0', program)
    said = " ".join(done.stdout.split())
    assert "system-calls by getppid: calls.cpp:4 in update" in said
    assert "also by system call 3000 10, sync 5" in said


THREADS = """
#include <chrono>
#include <fcntl.h>
#include <pthread.h>
#include <thread>
#include <unistd.h>
using namespace std::chrono_literals;
const auto begin = std::chrono::steady_clock::now();
volatile char* kept;
void allocate() { delete[] (kept = new char[100]); }
void cycles(char fault) {
  allocate();  // in the warm-up
  std::this_thread::sleep_until(begin + 600ms);
  for (int i = 0; i < 20; ++i) {
    if (fault == 'a' && i == 7) allocate();
    if (fault == 'w' && i == 7) close(open("/dev/null", O_RDONLY));
    std::this_thread::sleep_for(1ms);
  }
}
void spin(char fault) {
  allocate();
  while (std::chrono::steady_clock::now() < begin + 600ms);
  for (int i = 0; fault == 'a' && i < 3; ++i) allocate();
}
int main() {
  const auto named = [](const char* name, auto run, char fault) {
    return std::thread([=] { pthread_setname_np(pthread_self(), name); run(fault); });
  };
  std::thread threads[] = {named("rt_clean", cycles, 0), named("rt_allocates", cycles, 'a'),
    named("rt_opens", cycles, 'w'), named("rt_spins", spin, 'a'), named("rt_still", spin, 0),
    named("other", cycles, 'a'), std::thread([] { cycles('a'); })};
  pthread_setname_np(threads[6].native_handle(), "rt_given");
  for (auto& one : threads) one.join();
}
"""


def test_threads_are_judged_after_the_warm_up_from_wait_to_wait(tmp_path: Path) -> None:
    source, program, out = (tmp_path / name for name in ("threads.cpp", "threads", "out.json"))
    source.write_text(THREADS)
    subprocess.run(["g++", "-g", "-O1", source, "-pthread", "-o", program], check=True)
    budget = 'after = "300ms"\n[thread."rt_*"]\nrealtime = true\nfrees = 9\nminor-faults = 99'
    done = judged(tmp_path, budget, program, options=["--json", out])
    assert done.returncode == 3, done
    budgets = json.loads(out.read_text())["budgets"]
    exceeded = {
        (one["name"], one["quantity"]): (one["value"], one["above"], one["origins"][0]["own"])
        for one in budgets
        if one["verdict"] == EXCEEDED
    }
    place = {"file": str(source), "line": THREADS[: THREADS.index("void allocate")].count("\n") + 1}
    assert {name: (value, above) for name, (value, above, _) in exceeded.items()} == {
        ("thread rt_allocates", "allocations"): (1, 1),
        ("thread rt_given", "allocations"): (1, 1),
        ("thread rt_opens", "system-calls"): (2, 1),
        ("thread rt_spins", "allocations"): (3, 1),
    }
    own = exceeded["thread rt_given", "allocations"][2]
    assert {key: own[key] for key in place} == place
    counts = {one["name"]: one["count"] for one in budgets}
    assert set(counts) == {"thread rt_clean", "thread rt_still", *(name for name, _ in exceeded)}
    assert counts["thread rt_clean"] >= 20
    assert (counts["thread rt_spins"], counts["thread rt_still"]) == (1, 1)


def test_the_first_thread_does_nothing_of_wirecosts(tmp_path: Path) -> None:
    """It is judged from its main on, and what recording a function takes is not counted."""
    budget = '[thread."functions_O2"]\nallocations = 0\nsystem-calls = 0\n'
    for function in ("", '[function."cases::works"]\nallocations = 0'):
        done = judged(tmp_path, budget + function, FUNCTIONS / "functions_O2", "calls", 9)
        assert done.returncode == 0, done.stdout


def test_a_thread_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = judged(
        tmp_path, '[thread."rt_*"]\nallocations = 0', FUNCTIONS / "functions_O2", "calls", 9
    )
    said = "name a thread that it has, not rt_*"
    assert (done.returncode, said in " ".join(done.stderr.split())) == (2, True), done


@pytest.mark.parametrize(
    ("name", "program", "said"),
    [
        ("right_behin", "functions_short", "no function of"),
        ("right_behind", "functions_short", "shorter than the 5 bytes of a jump"),
        ("cases::works", "functions_static", "it is linked statically, so allocations cannot"),
        ("cases::work", "functions_O2", "ended with status 0); give a name that nm -C prints"),
        ("*", "functions_O2", "functions match, more than 256"),
    ],
)
def test_a_program_that_cannot_be_judged_is_refused(
    name: str, program: str, said: str, tmp_path: Path
) -> None:
    budget = f'[function."{name}"]\nallocations = 0'
    done = judged(tmp_path, budget, FUNCTIONS / program, "calls", 9)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.split())


def test_a_stripped_program_is_refused_with_a_remedy(loop: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", loop, "-o", stripped], check=True)
    done = judged(tmp_path, loop.with_suffix(".toml").read_text(), stripped, "none")
    assert (done.returncode, "install the debug file" in " ".join(done.stderr.split())) == (2, True)


def test_a_first_budget_of_functions_is_met_by_the_same_program(tmp_path: Path) -> None:
    budget, program = tmp_path / "first.toml", [FUNCTIONS / "functions_O2", "calls", 2000]
    wirecost = Path(sys.executable).with_name("wirecost")
    options = ["--function", "cases::work*", "--out", budget]
    words = [wirecost, "probe", "budget", *options, "--", *program]
    done = execute(list(map(str, words)), timeout=60)
    assert done.returncode == 0, done.stderr
    lines = read_budget(budget).lines
    assert {line.pattern for line in lines if line.kind == "function"} == {"cases::works"}
    untimed = [line for line in budget.read_text().splitlines() if not line.startswith('"p')]
    assert any(line.startswith("realtime = true") for line in untimed)
    done = judged(tmp_path, "\n".join(untimed), *program)
    assert done.returncode == 0, done.stdout


ATTACHED = """
#include <unistd.h>
[[gnu::noinline]] void update() { usleep(2000); }
int main() { for (int i = 0; i < 10000; ++i) update(); }
"""


@pytest.mark.parametrize(
    ("limits", "status", "said"),
    [
        ("allocations = 0", 2, "--attach: allocations: cannot be counted in a process that runs"),
        ('max = "9s"\nmajor-faults = 0', 0, "2 met"),
        ('max = "1ms"', 3, "update max 1.00 ms"),
    ],
)
def test_a_process_that_runs_is_judged(limits: str, status: int, said: str, tmp_path: Path) -> None:
    if status != 2 and (why := uprobes.unavailable()):
        pytest.skip(f"no uprobes: {why}")
    source, program, budget = (tmp_path / name for name in ("a.cpp", "a", "budget.toml"))
    source.write_text(ATTACHED)
    subprocess.run(["g++", "-g", "-O1", source, "-o", program], check=True)
    budget.write_text(f'[function."update"]\n{limits}\n')
    wirecost = Path(sys.executable).with_name("wirecost")
    with subprocess.Popen([program]) as process:
        options = ["--budget", budget, "--attach", process.pid, "--for", "1s"]
        done = execute([*map(str, [wirecost, "probe", "check", *options])], timeout=60)
        process.kill()
    text = " ".join((done.stdout + done.stderr).split())
    assert (done.returncode, said in text) == (status, True), text


def test_real_time_is_what_no_other_limit_says(tmp_path: Path) -> None:
    path = tmp_path / "b.toml"
    path.write_text('[function."f"]\nrealtime = true\nsystem-calls = 2\n')
    limits = {line.quantity: line.limit for line in read_budget(path).lines}
    assert limits == dict.fromkeys(FORBIDDEN, 0.0) | {"system-calls": 2.0}


def test_what_this_system_cannot_count_has_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "a.wprobe", [MS] * 20, [0] * 20)  # allocations alone
    status, text = check(tmp_path, '[function."update"]\nrealtime = true\n', capsys)
    said = " ".join(text.split())
    assert (status, "frees: was not recorded" in said, "without realtime" in said) == (
        2,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("pattern", "name", "is_limited"),
    [
        ("ns::A::f*", "ns::A::f", True),
        ("ns::A::f(int)", "ns::A::f", True),
        ("ns::A::f", "ns::A::f#2", True),
        ("ns::A::f", "ns::A::fg", False),
        ("ns::A::operator[]*", "ns::A::operator[]", True),
        ("ns::A::operator()(int)", "ns::A::operator()", True),
        ("(anonymous namespace)::f(int)", "(anonymous namespace)::f", True),
        ("__main__:f", "node:f", True),
        ("node:f", "other:f", False),
    ],
)
def test_patterns_of_functions_mean_sections(pattern: str, name: str, is_limited: bool) -> None:
    assert Line("function", pattern, "max", 1.0).limits(name) == is_limited


SUPPRESSIONS = "# until {}: mended with the next release\ncall-stack-contains:{}\n"


@pytest.mark.parametrize(
    ("fault", "day", "pattern", "status", "said"),
    [
        ("string", "2999-01-01", "Controller::upd*e", 0, "2 suppressed"),
        ("string", "2999-01-01", "^nothing$", 3, "no stack has ^nothing$; remove it"),
        ("string", "2020-02-02", "update", 3, "held until 2020-02-02 (mended with the next"),
        ("log", "2999-01-01", "stringbuf", 3, "system-calls"),
    ],
)
def test_what_is_suppressed_passes_until_its_day(
    loop: Path, tmp_path: Path, fault: str, day: str, pattern: str, status: int, said: str
) -> None:
    path = tmp_path / "rt.supp"
    path.write_text(SUPPRESSIONS.format(day, pattern))
    budget = loop.with_suffix(".toml").read_text()
    done = judged(tmp_path, budget, loop, fault, 300, options=["--suppressions", path])
    assert (done.returncode, said in " ".join(done.stdout.split())) == (status, True), done.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("call-stack-contains:f", ":1: has no reason"),
        ("# until soon: why\ncall-stack-contains:f", "soon is no day"),
        ("# until 2999-01-01: why\n\ncall-stack-contains:f", ":3: has no reason"),
        ("# until 2999-01-01: why\nfunction-name-matches:f", ":2: function-name-matches:f: write"),
    ],
)
def test_suppressions_that_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "rt.supp"
    path.write_text(text)
    with pytest.raises(UserError, match=re.escape(said)):
        read_suppressions(path)
