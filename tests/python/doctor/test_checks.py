# SPDX-License-Identifier: Apache-2.0
"""Every check on recorded machines: tuned and untuned, Intel and AMD, bare and virtual."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from support.doctor_trees import MACHINES, contents, findings, lay_out
from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.checks import all_checks
from wirecost.observe.doctor.environment import environment
from wirecost.observe.doctor.examine import examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.machine_files import System
from wirecost.system.errors import UserError

EXPECTED = {
    "amd_metal_tuned": """
kernel_config: ok: full dynticks, RCU offload
isolcpus: ok: 6-7
nohz_full: ok: 6-7
rcu_nocbs: ok: 6-7
rcu_nocb_poll: ok: yes
sibling: ok: none
intel_pstate: n/a
turbo: ok: off
frequency: ok: performance 2.50 GHz
irq_affinity: ok: yes
interrupts: ok: 0.00169/s on CPU 7: Local timer interrupts, Rescheduling interrupts
softirqs: ok: 0.00129/s on CPU 7: TIMER, SCHED
thp: ok: never
aslr: ok: full
swap: ok: none
memlock: ok: unlimited
rtprio: ok: 99
perf_event_paranoid: ok: -1
hypervisor: ok: no
cgroup_quota: ok: none
load: ok: 0.00 on 8 CPUs
timer_resolution: ok: 1 ns
clock_source: ok: tsc
""",
    "amd_metal_untuned": """
kernel_config: fail: without CONFIG_NO_HZ_FULL
isolcpus: fail: none
nohz_full: fail: none
rcu_nocbs: fail: none
rcu_nocb_poll: warn: no
sibling: fail: 3, not isolated
intel_pstate: n/a
turbo: fail: on
frequency: fail: schedutil 1.40–3.60 GHz
irq_affinity: warn: 1 of 2 interrupts allowed
interrupts: warn: 196/s on CPU 3: Local timer interrupts, nvme0q1
softirqs: warn: 194/s on CPU 3: SCHED, TIMER
thp: warn: always
aslr: warn: off
swap: warn: 0 of 975 MiB used, swappiness 60
memlock: warn: 8 MiB
rtprio: warn: 0
perf_event_paranoid: warn: 3
hypervisor: ok: no
cgroup_quota: ok: none
load: fail: 5.20 on 4 CPUs
timer_resolution: ok: high resolution
clock_source: ok: tsc
""",
    "amd_vm_untuned": """
kernel_config: fail: without CONFIG_NO_HZ_FULL
isolcpus: fail: none
nohz_full: fail: none
rcu_nocbs: fail: none
rcu_nocb_poll: warn: no
sibling: ok: none
intel_pstate: n/a
turbo: n/a
frequency: n/a
irq_affinity: warn: 1 of 3 interrupts allowed
interrupts: warn: 316/s on CPU 1: Local timer interrupts, virtio1-req.0
softirqs: warn: 273/s on CPU 1: NET_RX, BLOCK
thp: ok: madvise
aslr: ok: full
swap: ok: none
memlock: warn: 8 MiB
rtprio: warn: 0
perf_event_paranoid: warn: 2
hypervisor: warn: yes, 67.7 s stolen
cgroup_quota: ok: none
load: fail: 3.82 on 2 CPUs
timer_resolution: ok: high resolution
clock_source: ok: tsc
""",
    "intel_metal_tuned": """
kernel_config: ok: full dynticks, RCU offload
isolcpus: ok: 2,8
nohz_full: ok: 2,8
rcu_nocbs: ok: 2,8
rcu_nocb_poll: ok: yes
sibling: ok: 8, isolated
intel_pstate: n/a
turbo: ok: off
frequency: ok: userspace 3.70 GHz
irq_affinity: ok: yes
interrupts: ok: 0.0123/s on CPU 8: Local timer interrupts, Rescheduling interrupts
softirqs: ok: 0.00945/s on CPU 8: TIMER, SCHED
thp: ok: madvise
aslr: ok: full
swap: ok: none
memlock: ok: unlimited
rtprio: ok: 98
perf_event_paranoid: ok: 1
hypervisor: ok: no
cgroup_quota: ok: none
load: ok: 0.08 on 12 CPUs
timer_resolution: ok: high resolution
clock_source: ok: tsc
""",
    "intel_metal_untuned": """
kernel_config: fail: without CONFIG_NO_HZ_FULL
isolcpus: fail: none
nohz_full: fail: none
rcu_nocbs: fail: none
rcu_nocb_poll: warn: no
sibling: fail: 7, not isolated
intel_pstate: warn: active
turbo: fail: on
frequency: fail: powersave 0.80–4.50 GHz
irq_affinity: warn: 1 of 2 interrupts allowed
interrupts: warn: 99.6/s on CPU 7: Local timer interrupts, nvme0q1
softirqs: warn: 98.8/s on CPU 7: SCHED, TIMER
thp: warn: always
aslr: ok: full
swap: fail: 128 of 8191 MiB used, swappiness 60
memlock: warn: 8 MiB
rtprio: warn: 0
perf_event_paranoid: warn: 4
hypervisor: ok: no
cgroup_quota: ok: none
load: warn: 1.42 on 8 CPUs
timer_resolution: ok: high resolution
clock_source: fail: hpet
""",
    "intel_vm_tuned": """
kernel_config: ok: full dynticks, RCU offload
isolcpus: ok: 2-3
nohz_full: ok: 2-3
rcu_nocbs: ok: 2-3
rcu_nocb_poll: ok: yes
sibling: ok: none
intel_pstate: n/a
turbo: n/a
frequency: n/a
irq_affinity: ok: yes
interrupts: ok: 0.00337/s on CPU 3: Local timer interrupts, Rescheduling interrupts
softirqs: ok: 0.00258/s on CPU 3: TIMER, SCHED
thp: ok: madvise
aslr: ok: full
swap: ok: none
memlock: ok: unlimited
rtprio: ok: 99
perf_event_paranoid: ok: 1
hypervisor: warn: yes (KVM), 12.5 s stolen
cgroup_quota: ok: none
load: ok: 0.02 on 4 CPUs
timer_resolution: ok: high resolution
clock_source: ok: kvm-clock
""",
}


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, System]:
    """Every recorded machine, laid out once; a test leaves them as they are."""
    root = tmp_path_factory.mktemp("machines")
    return {name: lay_out(root / name, contents(name)) for name in EXPECTED}


def test_every_recorded_machine_is_looked_at() -> None:
    assert set(EXPECTED) == {path.stem for path in MACHINES.glob("*.txt")}


@pytest.mark.parametrize("name", EXPECTED)
def test_every_check_tells_what_a_machine_is_like(name: str, machines: dict[str, System]) -> None:
    reported = [
        f"{f.name}: {f.verdict}: {f.value}".rstrip(": ") for f in findings(machines[name]).values()
    ]
    assert reported == EXPECTED[name].split("\n")[1:-1]


def test_every_check_tells_good_from_bad_or_missing(machines: dict[str, System]) -> None:
    by_machine = [findings(system) for system in machines.values()]
    same = {
        check.name
        for check in all_checks()
        if len({by_name[check.name].verdict for by_name in by_machine}) == 1
    }
    assert same == {"cgroup_quota", "timer_resolution"}  # in tests of their own below


def test_advice_goes_with_what_is_not_good(machines: dict[str, System]) -> None:
    for system in machines.values():
        for finding in findings(system).values():
            assert bool(finding.advice) == (finding.verdict in {"warn", "fail"}), finding


def test_the_kernel_line_isolates_whole_cores(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    system = lay_out(tmp_path, contents("intel_metal_untuned"))
    assert examine(machine(system, "2")).kernel_words == snapshot


def test_a_machine_measured_on_all_over_keeps_no_cpu_for_the_system(tmp_path: Path) -> None:
    by_name = findings(lay_out(tmp_path, contents("intel_metal_untuned")), "all")
    assert by_name["isolcpus"].boot == []
    assert "fewer CPUs" in by_name["isolcpus"].advice
    assert not by_name["irq_affinity"].fixable


@pytest.mark.parametrize(
    ("files", "verdict", "value"),
    [
        ({"proc/self/cgroup": "0::/a/b", "sys/fs/cgroup/a/cpu.max": "150000 100000"}, "fail", 1.5),
        ({"proc/self/cgroup": "0::/../a", "sys/fs/cgroup/cpu.max": "50000 100000"}, "fail", 0.5),
        ({"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/cpu.max": "max 100000"}, "ok", None),
        ({"proc/self/cgroup": "0::/a", "sys/fs/cgroup/a/cpu.max": "10 0"}, "ok", None),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/docker/f00\n0::/",
                "sys/fs/cgroup/cpu,cpuacct/docker/f00/cpu.cfs_quota_us": "200000",
                "sys/fs/cgroup/cpu,cpuacct/docker/f00/cpu.cfs_period_us": "100000",
            },
            "fail",
            2.0,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/",
                "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
                "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
            },
            "ok",
            None,
        ),
    ],
)
def test_quotas_of_both_cgroup_versions(
    files: dict[str, str], verdict: str, value: float | None, tmp_path: Path
) -> None:
    finding = findings(lay_out(tmp_path, files))["cgroup_quota"]
    assert (finding.verdict, finding.value) == (
        verdict,
        "none" if value is None else f"{value:g} CPUs",
    )


@pytest.mark.parametrize(
    ("files", "value"),
    [
        ({"proc/timer_list": " clock 0:\n  .resolution: 4000000 nsecs\n"}, "4000000 ns"),
        ({"proc/config.gz": "# CONFIG_HIGH_RES_TIMERS is not set\n"}, "one tick"),
        (
            {"proc/config.gz": "CONFIG_HIGH_RES_TIMERS=y\n", "proc/cmdline": "highres=off"},
            "one tick",
        ),
    ],
)
def test_timers_that_wait_for_the_tick_fail(
    files: dict[str, str], value: str, tmp_path: Path
) -> None:
    finding = findings(lay_out(tmp_path, files))["timer_resolution"]
    assert (finding.verdict, finding.value) == ("fail", value)


@pytest.mark.parametrize("limit", ["memlock", "rtprio", "perf_event_paranoid"])
def test_capabilities_stand_above_limits(limit: str, tmp_path: Path) -> None:
    files = contents("amd_metal_untuned")
    files["proc/self/status"] = "Name:\tpython3\nCapEff:\t000001ffffffffff\n"
    finding = findings(lay_out(tmp_path, files))[limit]
    assert (finding.verdict, "not applied" in finding.value) == ("ok", True)


def test_what_a_kernel_without_full_dynticks_was_booted_with_does_not_count(tmp_path: Path) -> None:
    files = contents("amd_metal_untuned")
    files["proc/cmdline"] = "nohz_full=1,3"
    by_name = findings(lay_out(tmp_path, files))
    assert (by_name["nohz_full"].value, by_name["rcu_nocbs"].value) == ("none", "none")


@pytest.mark.parametrize(
    ("text", "cpus"),
    [
        ("0-3,8", (0, 1, 2, 3, 8)),
        ("0-15:2/4", (0, 1, 4, 5, 8, 9, 12, 13)),
        ("all", (0, 1, 2, 3)),
        ("2-N", (2, 3)),
        ("", ()),
    ],
)
def test_lists_of_cpus(text: str, cpus: tuple[int, ...]) -> None:
    assert cpulist.parse(text, range(4)) == cpus
    assert cpulist.parse(cpulist.render(cpus)) == cpus


@pytest.mark.parametrize(
    "text", ["x", "3-1", "0-99999999999", "-1", "1:2", "0-7:3/2", "0-7:x/y", "N"]
)
def test_lists_that_are_none(text: str) -> None:
    with pytest.raises(ValueError):
        cpulist.parse(text)


@pytest.mark.parametrize(
    ("cpus", "problem"), [("9", "CPU 9 is not online"), ("a", "not a list of CPUs")]
)
def test_cpus_that_are_not_there_are_named(cpus: str, problem: str, tmp_path: Path) -> None:
    system = lay_out(tmp_path, contents("amd_metal_untuned"))
    with pytest.raises(UserError, match=problem):
        machine(system, cpus)


def test_an_empty_machine_is_examined(tmp_path: Path) -> None:
    by_name = findings(System(tmp_path))
    assert {finding.verdict for finding in by_name.values()} == {"n/a"}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), name=st.sampled_from(sorted(EXPECTED)))
def test_no_content_of_kernel_files_breaks_a_check(
    data: st.DataObject, name: str, machines: dict[str, System]
) -> None:
    root = machines[name].root
    paths = sorted(str(path.relative_to(root)) for path in root.rglob("*") if path.is_file())
    text = st.text(alphabet="0123456789-,:./ \n\tCPUcpu[]Nall=").map(str.encode)
    content = st.one_of(text, st.binary())
    garbage = data.draw(st.dictionaries(st.sampled_from(paths), content, min_size=1, max_size=20))
    before = {path: (root / path).read_bytes() for path in garbage}
    try:
        for path, noise in garbage.items():
            (root / path).write_bytes(noise)
        assert len(examine(machine(machines[name])).findings) == len(all_checks())
    finally:
        for path, former in before.items():
            (root / path).write_bytes(former)


def test_result_folders_carry_every_verdict() -> None:
    reported = environment()["doctor"]
    assert set(reported) == {"verdict", "cpus"} | {check.name for check in all_checks()}
    assert reported["verdict"] in {"ok", "warn", "fail"}
    verdicts = {reported[check.name].partition(" ")[0] for check in all_checks()}
    assert verdicts <= {"ok", "warn", "fail", "n/a"}
