# SPDX-License-Identifier: Apache-2.0
"""Tasks that are run: those that the store lacks, and those that failed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from campaign.test_store import RECORD
from wirecost.measure.campaign.definition import Definition, read
from wirecost.measure.campaign.measuring import Measured, alone
from wirecost.measure.campaign.running import CampaignOutcome, here, run
from wirecost.measure.campaign.tasks import Task, tasks
from wirecost.results.store.store import DONE, FAILED, Store
from wirecost.system.errors import UserError

TEXT = """\
name = "a"
repetitions = 2
[[bench]]
scenario = "osi"
machines = ["here", "arm"]
[bench.matrix]
fmi = [2, 3]
"""


class Machine:
    """Stands in for measuring: notes what it was asked for."""

    def __init__(self, failing: str = "none") -> None:
        self.asked: list[str] = []
        self.failing = failing

    def measure(self, task: Task) -> Measured:
        self.asked.append(task.key)
        failed = self.failing in task.arguments
        record = replace(
            RECORD, task=task.key, machine=task.machine, outcome=FAILED if failed else DONE,
            failure="so it is" if failed else "",
        )  # fmt: skip
        return Measured(record)


@pytest.fixture
def definition(tmp_path: Path) -> Definition:
    (tmp_path / "campaign.toml").write_text(TEXT)
    return read(tmp_path / "campaign.toml")


def ran(
    definition: Definition, machine: Machine, name: str = "here", resume: bool = False
) -> CampaignOutcome:
    planned = tasks(definition, lambda *_: None)
    store = Store(definition.path.with_name("store"))
    results = here(store, machine.measure)
    return run(definition, planned, store, {name}, resume, results, lambda *_: None)


def test_only_what_is_lacking_is_run_again(definition: Definition) -> None:
    first = Machine(failing="3")
    outcome = ran(definition, first)
    assert (outcome.done, outcome.failed, outcome.elsewhere) == (2, 2, 4)
    assert [reason.split(": ")[1] for reason in outcome.reasons] == ["so it is"] * 2
    with pytest.raises(UserError, match=r"has 4 of 4 tasks .*give --resume"):
        ran(definition, Machine())
    second = Machine()
    outcome = ran(definition, second, resume=True)
    assert (outcome.done, outcome.there) == (2, 2)
    assert set(second.asked) < set(first.asked)
    assert (third := Machine()).asked == []
    assert ran(definition, third, resume=True).there == 4
    assert ran(definition, Machine(), "arm").done == 4
    store = Store(definition.path.with_name("store"))
    assert sorted(store.records()["outcome"].to_list()) == [DONE] * 8


def test_what_ends_it_leaves_what_was_measured(definition: Definition) -> None:
    class Interrupted(Machine):
        def measure(self, task: Task) -> Measured:
            if len(self.asked) == 2:
                raise KeyboardInterrupt
            return super().measure(task)

    with pytest.raises(KeyboardInterrupt):
        ran(definition, Interrupted())
    rest = Machine()
    assert ran(definition, rest, resume=True).there == 2
    assert len(rest.asked) == 2


def test_a_machine_that_the_campaign_has_not(definition: Definition) -> None:
    with pytest.raises(UserError, match="no task is for machine mips; there are arm, here"):
        ran(definition, Machine(), "mips")


def test_one_campaign_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WIRECOST_STATE", str(tmp_path / "state"))
    with (
        alone(),
        pytest.raises(UserError, match="another campaign measures on this host; wait"),
        alone(),
    ):
        pass
    with alone():
        pass
