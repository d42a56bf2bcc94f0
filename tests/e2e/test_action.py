# SPDX-License-Identifier: Apache-2.0
"""action.yml, run as GitHub's runner runs it: each step's script by bash, inputs as expressions.

The install step is real. With ``WIRECOST_WHEEL`` naming a wheel, pip installs that with all it
needs into a new environment. Otherwise the environment of the tests is put first on PATH and the
wheel is the requirement ``wirecost``, which pip finds satisfied without a network.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
ACTION = YAML(typ="safe").load(ROOT / "action.yml")
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
HOSTILE = """$(touch pwned)`touch pwned`";touch pwned;'\n::error::pwned\rverdict=passed\n\n@pwned"""


@dataclass
class Ran:
    """Outcome of the action as a job sees it."""

    succeeded: bool = True
    log: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    workspace: Path = Path()

    @property
    def comment(self) -> str:
        return Path(self.outputs["comment"]).read_text()


GITHUB = {"action_ref": "v0.1.0", "action_repository": "OWNER/wirecost", "token": "none"}
"""What a job knows of the action that it uses."""

Job = Callable[..., Ran]


def evaluated(text: str, inputs: dict[str, str], steps: dict[str, dict[str, str]]) -> str:
    """Return the text with its expressions' values.

    A step's missing output is empty, as on GitHub."""

    def value(match: re.Match[str]) -> str:
        if found := re.fullmatch(r"inputs\.([\w-]+)", match[1]):
            return inputs[found[1]]
        if found := re.fullmatch(r"steps\.([\w-]+)\.outputs\.([\w-]+)", match[1]):
            return steps[found[1]].get(found[2], "")
        if found := re.fullmatch(r"github\.(\w+)", match[1]):
            return GITHUB[found[1]]
        raise ValueError(f"an expression that this test does not know: {match[0]}")

    return EXPRESSION.sub(value, text)


def written(path: Path) -> dict[str, str]:
    """Return a step's GITHUB_OUTPUT; only lines of the form ``name=value`` are known."""
    pairs = [line.partition("=") for line in path.read_text().splitlines()]
    assert all(re.fullmatch(r"[\w-]+", name) and equals for name, equals, _ in pairs)
    return {name: value for name, _, value in pairs}


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return the folder that comes first on PATH, and the input ``wheel``."""
    wheel = os.environ.get("WIRECOST_WHEEL")
    if wheel is None:
        return Path(sys.executable).parent, "wirecost"
    made = tmp_path_factory.mktemp("python")
    subprocess.run([sys.executable, "-m", "venv", made], check=True)
    return made / "bin", str(Path(wheel).resolve())


@pytest.fixture
def job(tmp_path: Path, programs: tuple[Path, str]) -> Job:
    """``job(baseline=…, candidate=…)``: the action in a job, with these inputs."""

    def start(**given: str | Path) -> Ran:
        inputs = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
        inputs["wheel"] = programs[1]
        asked = {name.replace("_", "-"): str(value) for name, value in given.items()}
        assert asked.keys() <= inputs.keys()
        inputs |= asked
        places = {name: tmp_path / name.lower() for name in ("RUNNER_TEMP", "GITHUB_WORKSPACE")}
        for place in places.values():
            place.mkdir(exist_ok=True)
        summary = tmp_path / "summary"
        summary.touch()
        ran = Ran(workspace=places["GITHUB_WORKSPACE"])
        steps: dict[str, dict[str, str]] = {}
        for number, step in enumerate(ACTION["runs"]["steps"]):
            assert step.keys() <= {"name", "id", "shell", "env", "run"}
            assert step["shell"] == "bash"
            script, output = tmp_path / f"step-{number}.sh", tmp_path / f"output-{number}"
            script.write_text(evaluated(step["run"], inputs, steps))
            output.write_text("")
            environment = {
                **os.environ,
                **{name: str(place) for name, place in places.items()},
                "PATH": f"{programs[0]}:{os.environ['PATH']}",
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_ACTION_PATH": str(ROOT),
                **{name: evaluated(text, inputs, steps) for name, text in step["env"].items()},
            }
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ran.workspace,
                env=environment, timeout=600, check=False,
            )  # fmt: skip
            ran.log += done.stdout.decode()
            if "id" in step:
                steps[step["id"]] = written(output)
            if done.returncode:
                ran.succeeded = False
                break
        # GitHub's runner sets an action's outputs after a failed step, too.
        steps = {step["id"]: {} for step in ACTION["runs"]["steps"] if "id" in step} | steps
        ran.outputs = {
            name: evaluated(one["value"], inputs, steps) for name, one in ACTION["outputs"].items()
        }
        ran.summary = summary.read_text()
        return ran

    return start


def commands(log: str) -> list[str]:
    """Lines that the runner would obey."""
    found, stopped = [], None
    for line in re.split(r"[\r\n]+", log):
        text = line.strip()
        if stopped is not None:
            stopped = None if text == f"::{stopped}::" else stopped
        elif text.startswith("::stop-commands::"):
            stopped = text.removeprefix("::stop-commands::")
        elif text.startswith("::"):
            found.append(text)
    assert stopped is None
    return found


def test_equal_runs_pass(job: Job, measured: Path) -> None:
    ran = job(baseline=measured, candidate=measured, fail_above="0")
    assert ran.succeeded, ran.log
    assert ran.outputs["verdict"] == "passed"
    assert "0 slower" in ran.comment
    assert "| row |" in ran.comment
    assert ran.summary == ran.comment
    assert commands(ran.log) == []


def test_a_regression_fails_the_job_after_the_comment(
    job: Job, measured: Path, slower: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    ran = job(baseline=measured, candidate=slower, fail_above="5%", again=measured, report=page)
    assert not ran.succeeded
    assert ran.outputs["verdict"] == "regression"
    assert "**1 regression above" in ran.comment
    assert "| REGRESSION |" in ran.comment
    assert ran.summary == ran.comment
    assert page.stat().st_size > 0
    (reported,) = commands(ran.log)
    assert reported.startswith("::error title=wirecost compare::regression")


def test_without_a_limit_nothing_fails(job: Job, measured: Path, slower: Path) -> None:
    ran = job(baseline=measured, candidate=slower)
    assert ran.succeeded, ran.log
    assert ran.outputs["verdict"] == "passed"
    assert "1 slower" in ran.comment


def test_only_the_chosen_rows_are_gated(job: Job, measured: Path, slower: Path) -> None:
    """The slower run's new messages of Protobuf take longer to encode."""
    gate = {"baseline": measured, "candidate": slower, "fail_above": "5%", "again": measured}
    others = job(**gate, only="protobuf decode\nprotobuf total")
    assert others.succeeded, others.log
    assert "encode" not in others.comment
    assert not job(**gate, only="protobuf encode").succeeded


def test_a_comparison_that_sees_too_little_fails_only_if_asked(job: Job, measured: Path) -> None:
    """Nothing can be known to have changed by less than 0 %."""
    gate = {"baseline": measured, "candidate": measured, "fail_above": "0", "of": "p50 p90"}
    ran = job(**gate)
    assert ran.succeeded, ran.log
    assert "could not have" in ran.comment
    ran = job(**gate, require_precision="true")
    assert not ran.succeeded
    assert ran.outputs["verdict"] == "imprecise"
    ran = job(**gate | {"of": "nothing $(touch pwned)"})
    assert ran.outputs["verdict"] == "error"
    assert list(ran.workspace.rglob("pwned")) == []


def test_a_missing_baseline_is_one_line_and_fails(job: Job, measured: Path, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    ran = job(baseline=gone, candidate=measured, fail_above="5%")
    assert not ran.succeeded
    assert ran.outputs["verdict"] == "error"
    (line,) = [line for line in ran.log.splitlines() if str(gone) in line]
    assert line.startswith(f"wirecost: {gone}: ")
    assert ran.comment.endswith(f"failed\n\n    {line}\n")
    assert len(commands(ran.log)) == 1


def test_a_program_is_judged_by_a_budget(job: Job, tmp_path: Path) -> None:
    """By its logs as well; what is no folder of logs is not run."""
    names = ("b.toml", "gate.xml", "gate.sarif", "program.py")
    budget, suite, sarif, program = (tmp_path / name for name in names)
    program.write_text(
        "from wirecost.probe import Section\n"
        "section = Section('update')\n"
        "for _ in range(9):\n"
        "    with section.run():\n"
        "        data = bytearray(100_000)\n"
    )
    budget.write_text("[section.update]\nallocations = 0\n")
    asked = {"budget": budget, "junit": suite, "sarif": sarif}
    ran = job(**asked, command=f"{sys.executable} {program}")
    assert not ran.succeeded
    assert ran.outputs["verdict"] == "exceeded"
    assert "1 exceeded" in ran.comment
    assert "program.py:5 in" in ran.comment
    assert 'failures="1"' in suite.read_text()
    assert f'"uri": "file://{program}"' in sarif.read_text()
    (reported,) = commands(ran.log)
    assert reported.startswith("::error title=wirecost probe check::exceeded")
    ran = job(**asked, candidate=sys.executable)
    assert (ran.succeeded, ran.outputs["verdict"]) == (False, "error")


def test_the_pages_workflow_shows_the_line_of_its_example(job: Job, tmp_path: Path) -> None:
    workspace = tmp_path / "github_workspace"
    workspace.mkdir()
    gate, action = ((ROOT / f"docs/{name}.md").read_text() for name in ("probe-check", "action"))
    for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w+\n(.*?)```", gate, re.DOTALL):
        (workspace / name).write_text(text)
    (page,) = re.findall(r"```yaml\n(name: real-time\n.*?)```", action, re.DOTALL)
    steps = YAML(typ="safe").load(page)["jobs"]["gate"]["steps"]
    (build,) = (step["run"] for step in steps if "run" in step)
    subprocess.run(["bash", "-c", build], cwd=workspace, check=True)
    (asked,) = (step["with"] for step in steps if "/wirecost@" in step.get("uses", ""))
    ran = job(**asked)
    assert (ran.succeeded, ran.outputs["verdict"]) == (False, "exceeded")
    document = json.loads((workspace / asked["sarif"]).read_text())
    places = [
        result["locations"][0]["physicalLocation"] for result in document["runs"][0]["results"]
    ]
    assert [(it["artifactLocation"]["uri"], it["region"]["startLine"]) for it in places] == [
        ("loop.cpp", 5),
        ("loop.cpp", 5),
    ]


def test_two_uses_in_one_job_write_two_comments(job: Job, measured: Path, slower: Path) -> None:
    first, second = (
        job(baseline=measured, candidate=measured),
        job(baseline=measured, candidate=slower),
    )
    assert first.outputs["comment"] != second.outputs["comment"]
    assert "0 slower" in first.comment


@pytest.mark.parametrize("name", ["baseline", "fail_above", "only", "report"])
def test_hostile_text_is_never_run(job: Job, measured: Path, name: str) -> None:
    ran = job(**{"baseline": measured, "candidate": measured, name: HOSTILE})
    assert not ran.succeeded or name == "report"
    assert list(ran.workspace.rglob("pwned")) == []
    assert ran.outputs["verdict"] == ("passed" if ran.succeeded else "error")
    assert all(line.startswith("::error title=wirecost") for line in commands(ran.log))
    if not ran.succeeded:
        _, _, error = ran.comment.partition("### wirecost compare failed\n\n")
        assert all(line.startswith("    ") for line in error.splitlines())


@pytest.mark.parametrize(
    ("wheel", "reported"),
    [(HOSTILE, "ERROR"), ("--index-url=http://127.0.0.1:1/", "Invalid requirement")],
)
def test_hostile_wheels_are_refused(job: Job, measured: Path, wheel: str, reported: str) -> None:
    ran = job(baseline=measured, candidate=measured, wheel=wheel)
    assert not ran.succeeded
    assert list(ran.workspace.rglob("pwned")) == []
    assert ran.outputs == {"comment": "", "verdict": ""}
    assert reported in ran.log


def test_without_a_wheel_it_installs_the_releases(
    job: Job, measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "commands" / "gh"
    command.parent.mkdir()
    # In place of the real one: a file that pip refuses, by the name that was asked for.
    command.write_text(
        "#!/bin/sh\n"
        '[ "$*" = "release download v0.1.0 --repo OWNER/wirecost --pattern wirecost-*.whl '
        '--dir $RUNNER_TEMP/wirecost" ] || exit 1\n'
        'mkdir "$RUNNER_TEMP/wirecost"; : >"$RUNNER_TEMP/wirecost/wirecost-0.1.0.whl"\n'
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    ran = job(baseline=measured, candidate=measured, wheel="")
    assert "wirecost-0.1.0.whl is not a valid wheel" in ran.log
    command.write_text("#!/bin/sh\nexit 1\n")
    ran = job(baseline=measured, candidate=measured, wheel="")
    assert not ran.succeeded
    assert "give the path or URL of a wheel" in ran.log


def test_no_script_has_an_expression() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"]


def test_the_pages_example_fits() -> None:
    text = (ROOT / "docs" / "action.md").read_text()
    steps = YAML(typ="safe").load(text.split("```yaml\n")[1].split("```")[0])
    (used,) = [step for step in steps if "uses" in step]
    assert used["with"].keys() <= ACTION["inputs"].keys()
    assert set(re.findall(rf"steps\.{used['id']}\.outputs\.(\w+)", text)) <= set(ACTION["outputs"])
    for name in (*ACTION["inputs"], *ACTION["outputs"]):
        assert f"`{name}`" in text
