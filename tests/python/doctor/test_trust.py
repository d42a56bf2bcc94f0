# SPDX-License-Identifier: Apache-2.0
"""Files that ``--fix`` and ``--undo`` write as root, despite any state file, link or variable."""

from __future__ import annotations

import errno
import json
import os
import sys
from pathlib import Path

import pytest

from support.doctor_trees import MACHINES, contents, findings, lay_out
from support.programs import execute
from support.second_user import SECOND_USER, needs_root, open_folder, python_as_second_user
from wirecost.observe.doctor.checks import all_checks, allowed
from wirecost.observe.doctor.machine import CPU
from wirecost.observe.doctor.machine_files import System
from wirecost.observe.doctor.repair import NO_VALUE, undo
from wirecost.observe.doctor.state import Former, State, read_state, take_over, write_state
from wirecost.system.errors import UserError
from wirecost.system.private import write_private

BOOT = "the boot"
GOVERNOR = f"{CPU}/cpu3/cpufreq/scaling_governor"
RANDOMIZE = "proc/sys/kernel/randomize_va_space"
ESCAPES = [
    "proc/self/root/{}",
    "proc/1/root/{}",
    "proc/thread-self/root/{}",
    "proc/self/cwd/../{}",
    "proc/./self/root/{}",
    "proc//self/root/{}",
    "proc/sys/../../{}",
    "sys/../{}",
    "{}",
    "/{}",
    "sys/devices/system/cpu/cpu3/cpufreq/../../../../../../{}",
]


def document(*former: tuple[str, str]) -> bytes:
    entries = [{"path": path, "value": value} for path, value in former]
    return json.dumps({"schema": 1, "boot": BOOT, "former": entries}).encode()


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("value", ["madvise", "0", "root::0:0::/:/bin/sh"])
def test_a_state_that_names_another_file_writes_nothing(
    path: str, value: str, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.write_text("as it was")
    boot = System().text("proc/sys/kernel/random/boot_id") or ""
    state = tmp_path / "state" / "doctor.json"
    state.parent.mkdir(mode=0o700)
    named = path.format(str(target).removeprefix("/"))
    write_private(state, document((named, value)).replace(BOOT.encode(), boot.encode()))
    with pytest.raises(UserError, match="damaged"):
        undo(System(), state)
    assert target.read_text() == "as it was"


@pytest.mark.parametrize(
    "value", ["", "3", "0\n", "-0", "٠", "x" * 10_000, "0; reboot", "../../etc/passwd"]
)
def test_values_that_no_check_sets_are_refused(value: str, tmp_path: Path) -> None:
    state = tmp_path / "doctor.json"
    write_private(state, document((RANDOMIZE, value)))
    with pytest.raises(UserError, match="damaged"):
        read_state(state)


def test_links_that_lead_elsewhere_are_refused(tmp_path: Path) -> None:
    """Even those that somebody managed to place among the kernel's files."""
    root, target = tmp_path / "root", tmp_path / "target"
    target.write_text("as it was")
    system = lay_out(root, {"proc/sys/kernel/random/boot_id": BOOT, "etc/0": "1"})
    (root / RANDOMIZE).symlink_to(target)
    (root / "proc/sys/vm").symlink_to(root / "etc")
    (root / "etc/swappiness").write_text("60")
    state = tmp_path / "doctor.json"
    write_state(state, State(BOOT, [Former(RANDOMIZE, "2"), Former("proc/sys/vm/swappiness", "1")]))
    outcome = undo(system, state)
    assert outcome is not None
    assert not outcome.done
    assert len(outcome.refused) == 2
    assert target.read_text() == "as it was"
    assert (root / "etc/swappiness").read_text() == "60"


def test_the_kernels_own_links_between_settings_are_followed(tmp_path: Path) -> None:
    """On real machines ``cpu3/cpufreq`` is a link to ``cpufreq/policy3``."""
    root = tmp_path / "root"
    system = lay_out(
        root,
        {
            "proc/sys/kernel/random/boot_id": BOOT,
            f"{CPU}/cpufreq/policy3/scaling_governor": "performance",
        },
    )
    (root / CPU / "cpu3").mkdir()
    (root / CPU / "cpu3" / "cpufreq").symlink_to("../cpufreq/policy3")
    state = tmp_path / "doctor.json"
    write_state(state, State(BOOT, [Former(GOVERNOR, "powersave")]))
    outcome = undo(system, state)
    assert outcome is not None
    assert outcome.refused == []
    assert system.text(GOVERNOR) == "powersave"


def test_only_files_of_the_kernel_are_written(tmp_path: Path) -> None:
    file = tmp_path / "target"
    file.write_text("as it was")
    with pytest.raises(PermissionError, match="not a file of the kernel"):
        System().write(str(file).removeprefix("/"), "2")
    assert file.read_text() == "as it was"
    for path in (f"proc/self/root{file}", f"proc/self/cwd/{file.name}", f"/{file}"):
        with pytest.raises(OSError) as refused:
            System().write(path, "2")
        assert refused.value.errno in {errno.ELOOP, errno.ENOTDIR, errno.EPERM}
    assert file.read_text() == "as it was"


@needs_root
def test_the_kernels_files_are_written() -> None:
    """With the value that they have; in a container they may be read-only."""
    path = "proc/sys/vm/swappiness"
    system = System()
    value = system.text(path)
    assert value is not None
    try:
        system.write(path, value)
    except OSError as error:
        assert error.errno == errno.EROFS
    assert system.text(path) == value


def test_every_fix_of_every_recorded_machine_is_a_setting(tmp_path: Path) -> None:
    seen = set()
    for recorded in sorted(MACHINES.glob("*.txt")):
        system = lay_out(tmp_path / recorded.stem, contents(recorded.stem))
        for finding in findings(system).values():
            for change in finding.fix:
                assert allowed(change.path, change.value), change
                former = system.choice(change.path)
                if former not in {None, NO_VALUE}:
                    assert allowed(change.path, former or ""), (change.path, former)
                seen.add(finding.name)
    settings = {check.name for check in all_checks() if check.settings}
    assert seen <= settings
    assert seen


def test_a_check_that_fixes_names_its_settings() -> None:
    for check in all_checks():
        assert ("fix" in vars(check)) == bool(check.settings), check.name


@pytest.mark.parametrize("harm", ["mode", "link", "hard link", "folder mode", "above", "fifo"])
def test_a_state_that_others_could_have_written_is_refused(harm: str, tmp_path: Path) -> None:
    state = tmp_path / "above" / "state" / "doctor.json"
    write_state(state, State(BOOT, []))
    if harm == "mode":
        state.chmod(0o666)
    elif harm == "link":
        state.rename(tmp_path / "elsewhere")
        state.symlink_to(tmp_path / "elsewhere")
    elif harm == "hard link":
        (tmp_path / "elsewhere").hardlink_to(state)
    elif harm == "folder mode":
        state.parent.chmod(0o777)
    elif harm == "above":
        state.parent.parent.chmod(0o777)
    else:
        state.unlink()
        os.mkfifo(state)
    with pytest.raises(UserError, match=r"^[^\n]*doctor.json: [^\n]*$"):
        read_state(state)


@needs_root
def test_what_another_user_put_at_the_place_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "doctor.json"
    write_state(state, State(BOOT, []))
    os.chown(state, SECOND_USER, -1)
    with pytest.raises(UserError, match=f"belongs to user {SECOND_USER}"):
        read_state(state)
    os.chown(state, 0, -1)
    os.chown(tmp_path, SECOND_USER, -1)
    with pytest.raises(UserError, match="belongs to another user"):
        read_state(state)
    os.chown(tmp_path, 0, -1)
    assert read_state(state) == State(BOOT, [])


def test_what_an_older_wirecost_kept_is_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "xdg"))
    older, state = tmp_path / "xdg" / "wirecost" / "doctor.json", tmp_path / "new" / "doctor.json"
    older.parent.mkdir(parents=True)
    older.write_bytes(document((RANDOMIZE, "2")))
    older.chmod(0o644)
    take_over(state)
    assert read_state(state) == State(BOOT, [Former(RANDOMIZE, "2")])
    assert not older.exists()
    # The state that is there already counts: it is newer.
    older.write_bytes(document((RANDOMIZE, "1")))
    take_over(state)
    assert read_state(state) == State(BOOT, [Former(RANDOMIZE, "2")])


@needs_root
def test_root_believes_no_users_state() -> None:
    """sudo keeps HOME on some systems: what lies there is the user's."""
    place_it = (
        "import pathlib, sys\npath = pathlib.Path(sys.argv[1])\n"
        "path.parent.mkdir(parents=True)\npath.write_text(sys.argv[2])"
    )
    with open_folder() as folder:
        home, target = folder / "home", folder / "target"
        target.write_text("as it was")
        home.mkdir()
        os.chown(home, SECOND_USER, -1)
        state = home / ".local" / "state" / "wirecost" / "doctor.json"
        text = document((f"proc/self/root{target}", "x")).decode()
        assert python_as_second_user(place_it, state, text).returncode == 0
        environment = os.environ | {"HOME": str(home), "WIRECOST_STATE": str(folder / "state")}
        environment.pop("XDG_STATE_HOME", None)
        for option in ("--undo", "--fix"):
            done = execute(
                [sys.executable, "-m", "wirecost", "doctor", option], env=environment, timeout=120
            )
            assert done.returncode == 2
            assert done.stderr.startswith(f"wirecost: {state}: ")
            assert "another user" in done.stderr
            assert done.stderr.count("\n") == 1
        assert target.read_text() == "as it was"
