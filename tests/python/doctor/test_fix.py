# SPDX-License-Identifier: Apache-2.0
"""``--fix`` and ``--undo`` on laid-out machines: what is written, kept and restored."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from support.doctor_trees import contents, findings, lay_out
from wirecost.observe.doctor.machine import CPU, machine
from wirecost.observe.doctor.machine_files import System
from wirecost.observe.doctor.repair import fix, undo
from wirecost.observe.doctor.state import read_state, state_file
from wirecost.system.errors import UserError
from wirecost.system.private import write_private

INTEL, AMD = "intel_metal_untuned", "amd_metal_untuned"
GOVERNOR = f"{CPU}/cpu3/cpufreq/scaling_governor"
FREQUENCY = f"{CPU}/cpu3/cpufreq"


def everything(root: Path) -> dict[str, str | None]:
    """Return the values in force. A kernel drops the speed with its governor; a tree does not."""
    paths = (path for path in root.rglob("*") if path.is_file())
    names = (str(path.relative_to(root)) for path in paths if path.name != "scaling_setspeed")
    return {name: System(root).choice(name) for name in names}


@pytest.mark.parametrize("name", [INTEL, AMD, "amd_vm_untuned"])
def test_what_is_fixed_is_good_and_undone_exactly(name: str, tmp_path: Path) -> None:
    root, state = tmp_path / "root", tmp_path / "state" / "doctor.json"
    system = lay_out(root, contents(name))
    before = everything(root)
    fixable = {n for n, f in findings(system).items() if f.fixable}
    outcome = fix(machine(system), state)
    assert outcome.done
    assert not outcome.refused
    still = {n for n, f in findings(system).items() if f.fixable}
    # Only a kernel routes interrupts as asked; a tree of files does not.
    assert still <= {"irq_affinity"}
    assert fixable > still
    restored = undo(system, state)
    assert restored is not None
    assert not restored.refused
    assert everything(root) == before
    assert not state.exists()
    assert undo(system, state) is None


def test_the_frequency_is_set_where_there_is_a_userspace_governor(tmp_path: Path) -> None:
    system = lay_out(tmp_path / "amd", contents(AMD))
    fix(machine(system), tmp_path / "state.json")
    assert system.text(GOVERNOR) == "userspace"
    assert system.text(f"{FREQUENCY}/scaling_setspeed") == "3600000"
    assert system.text(f"{CPU}/cpufreq/boost") == "0"
    assert system.text(f"{CPU}/cpu0/cpufreq/scaling_governor") == "schedutil"


def test_the_bounds_are_joined_where_there_is_none(tmp_path: Path) -> None:
    system = lay_out(tmp_path / "intel", contents(INTEL))
    fix(machine(system), tmp_path / "state.json")
    assert system.text(GOVERNOR) == "performance"
    assert system.text(f"{FREQUENCY}/scaling_min_freq") == "4500000"
    assert system.text(f"{CPU}/intel_pstate/no_turbo") == "1"


def test_a_second_fix_keeps_the_first_values(tmp_path: Path) -> None:
    system, state = lay_out(tmp_path / "root", contents(AMD)), tmp_path / "state.json"
    fix(machine(system), state)
    system.write(GOVERNOR, "ondemand")
    fix(machine(system), state)
    undo(system, state)
    assert system.text(GOVERNOR) == "schedutil"


def test_former_values_are_on_disk_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, state = lay_out(tmp_path / "root", contents(AMD)), tmp_path / "state.json"
    unrecorded = []
    write = System.write

    def watched(self: System, path: str, value: str) -> None:
        stored = read_state(state)
        former = {setting.path: setting.value for setting in stored.former} if stored else {}
        if former.get(path, "<unsupported>") != self.choice(path):
            unrecorded.append(path)
        write(self, path, value)

    monkeypatch.setattr(System, "write", watched)
    assert fix(machine(system), state).done
    # The speed has no value before the governor is there.
    assert {path.rpartition("/")[2] for path in unrecorded} <= {"scaling_setspeed"}


def test_nothing_is_changed_when_former_values_cannot_be_kept(tmp_path: Path) -> None:
    system = lay_out(tmp_path / "root", contents(AMD))
    before = everything(tmp_path / "root")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UserError, match="WIRECOST_STATE"):
        fix(machine(system), tmp_path / "gone" / "doctor.json")
    assert everything(tmp_path / "root") == before


def test_refusals_are_reported_and_do_not_stop_the_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, state = lay_out(tmp_path / "root", contents(AMD)), tmp_path / "state.json"
    write = System.write

    def stubborn(self: System, path: str, value: str) -> None:
        if path.endswith("boost"):
            raise PermissionError(errno.EACCES, "Permission denied")
        if path.startswith("proc/irq"):
            raise OSError(errno.EIO, "Input/output error")
        write(self, path, value)

    monkeypatch.setattr(System, "write", stubborn)
    outcome = fix(machine(system), state)
    assert outcome.refused == [f"/{CPU}/cpufreq/boost: Permission denied"]
    assert [line.partition(":")[0] for line in outcome.skipped] == [
        "/proc/irq/126/smp_affinity_list"
    ]
    assert system.text(GOVERNOR) == "userspace"


def test_what_cannot_be_restored_is_kept_for_another_attempt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, state = lay_out(tmp_path / "root", contents(AMD)), tmp_path / "state.json"
    fix(machine(system), state)
    with monkeypatch.context() as patched:

        def refuse(*_: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        patched.setattr(System, "write", refuse)
        outcome = undo(system, state)
    assert outcome is not None
    assert not outcome.done
    assert f"/{GOVERNOR}: Permission denied" in outcome.refused
    undo(system, state)
    assert system.text(GOVERNOR) == "schedutil"
    assert not state.exists()


def test_a_value_that_depends_on_a_later_one_is_restored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver intel_pstate, back in active mode, starts with a governor of its own."""
    system, state = lay_out(tmp_path / "root", contents(INTEL)), tmp_path / "state.json"
    write = System.write

    def kernel(self: System, path: str, value: str) -> None:
        write(self, path, value)
        if path.endswith("intel_pstate/status"):
            write(self, GOVERNOR, "performance" if value == "active" else "schedutil")

    monkeypatch.setattr(System, "write", kernel)
    fix(machine(system), state)
    undo(system, state)
    assert system.text(f"{CPU}/intel_pstate/status") == "active"
    assert system.text(GOVERNOR) == "powersave"


def test_a_new_boot_has_nothing_to_undo(tmp_path: Path) -> None:
    system, state = lay_out(tmp_path / "root", contents(AMD)), tmp_path / "state.json"
    fix(machine(system), state)
    system.write("proc/sys/kernel/random/boot_id", "another")
    assert undo(system, state) is None
    assert system.text(GOVERNOR) == "userspace"
    assert not state.exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"schema": 2, "boot": "", "former": []}',
        '{"schema": 1, "boot": 1, "former": []}',
        '{"schema": 1, "boot": "", "former": [{"path": "etc/passwd", "value": "x"}]}',
        '{"schema": 1, "boot": "", "former": [{"path": "proc/../etc/passwd", "value": "x"}]}',
        '{"schema": 1, "boot": "", "former": [{"path": "proc/a\\u0000", "value": "x"}]}',
        "[" * 100_000,
        "\xff",
    ],
)
def test_damaged_states_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "doctor.json"
    write_private(path, text.encode("latin-1"))
    with pytest.raises(UserError, match="damaged"):
        undo(System(tmp_path), path)


def test_files_that_are_not_writable_need_privileges(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = lay_out(tmp_path, contents(AMD))
    monkeypatch.setattr(System, "writable", lambda _, path: "boost" not in path)
    by_name = findings(system)
    assert by_name["turbo"].privileged == [f"{CPU}/cpufreq/boost"]
    assert by_name["thp"].privileged == []


def test_the_state_lies_in_a_private_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WIRECOST_STATE", str(tmp_path / "state"))
    assert state_file() == tmp_path / "state" / "doctor.json"
    system = lay_out(tmp_path / "root", contents(AMD))
    fix(machine(system), state_file())
    document = json.loads(state_file().read_text())
    assert {"path": GOVERNOR, "value": "schedutil"} in document["former"]
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700
    assert state_file().stat().st_mode & 0o777 == 0o600
