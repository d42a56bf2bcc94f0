# SPDX-License-Identifier: Apache-2.0
"""The machine that is examined, and the CPUs on which something is to be measured."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.machine_files import System, whole
from wirecost.system.errors import UserError

WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')
"""A boot parameter; quotes keep spaces."""
CPU = "sys/devices/system/cpu"
CAPABILITIES = {"IPC_LOCK": 14, "SYS_ADMIN": 21, "SYS_NICE": 23, "PERFMON": 38}


@dataclass(frozen=True)
class Machine:
    """A system with the CPUs to measure on; ``origin``: why these."""

    system: System
    cpus: tuple[int, ...]
    origin: str

    @cached_property
    def online(self) -> tuple[int, ...]:
        return online(self.system)

    @cached_property
    def with_siblings(self) -> tuple[int, ...]:
        """The CPUs and the hyper-threads that share a core with them."""
        return tuple(sorted({s for cpu in self.cpus for s in siblings(self.system, cpu)}))

    @cached_property
    def housekeeping(self) -> tuple[int, ...]:
        """The CPUs left to the system; none if all are measured on."""
        return tuple(cpu for cpu in self.online if cpu not in self.with_siblings)

    @cached_property
    def parameters(self) -> dict[str, str]:
        """The kernel's boot parameters, the last of a name; a word without ``=`` is empty."""
        words = WORD.findall(self.system.text("proc/cmdline") or "")
        # Words behind "--" are for the first process.
        own = words[: words.index("--")] if "--" in words else words
        return {name: value for name, _, value in (word.partition("=") for word in own)}

    @cached_property
    def flags(self) -> frozenset[str]:
        return frozenset((self.processor("flags") or self.processor("Features") or "").split())

    @property
    def virtual(self) -> bool:
        return "hypervisor" in self.flags or self.system.exists("sys/hypervisor/type")

    @cached_property
    def config(self) -> dict[str, str] | None:
        """The kernel's build configuration, None where it is not to be found."""
        release = self.system.text("proc/sys/kernel/osrelease") or ""
        text = self.system.unzipped("proc/config.gz")
        if text is None and release and "/" not in release:
            text = self.system.text(f"boot/config-{release}")
        if text is None:
            return None
        lines = (line.partition("=") for line in text.splitlines() if line.startswith("CONFIG_"))
        return {name: value for name, _, value in lines}

    def lacks(self, option: str) -> bool:
        """Return whether the kernel is known to be built without the option."""
        return self.config is not None and self.config.get(option) != "y"

    def processor(self, key: str) -> str | None:
        """Return a field of the first processor in /proc/cpuinfo."""
        for line in (self.system.text("proc/cpuinfo") or "").splitlines():
            name, colon, value = line.partition(":")
            if colon and name.strip() == key:
                return value.strip()
        return None

    def capable(self, name: str) -> bool:
        """Return whether this process has the capability (capabilities(7), without ``CAP_``)."""
        try:
            effective = int(self._status("CapEff") or "0", 16)
        except ValueError:
            return False
        return bool(effective >> CAPABILITIES[name] & 1)

    def limit(self, name: str) -> int | None:
        """Return the soft limit of this process; a negative number is no limit, None is unknown."""
        for line in (self.system.text("proc/self/limits") or "").splitlines():
            if line.startswith(name):
                soft = line.removeprefix(name).split()[:1]
                return -1 if soft == ["unlimited"] else whole("".join(soft))
        return None

    def uptime_s(self) -> float | None:
        seconds = whole((self.system.text("proc/uptime") or "").partition(".")[0])
        return float(seconds) if seconds else None

    def _status(self, key: str) -> str | None:
        for line in (self.system.text("proc/self/status") or "").splitlines():
            if line.startswith(f"{key}:"):
                return line.partition(":")[2].strip()
        return None


def machine(system: System, cpus: str | None = None) -> Machine:
    """Examine the given CPUs, else the isolated ones, else the last core's.

    Raises UserError when ``cpus`` is no list or names a CPU that is not online.
    """
    present = online(system)
    if cpus is not None:
        try:
            chosen = cpulist.parse(cpus, present)
        except ValueError:
            chosen = ()
        if not chosen:
            raise UserError(f"--cpus {cpus}: not a list of CPUs; write it like 2,8 or 2-5")
        absent = [cpu for cpu in chosen if cpu not in present]
        if absent:
            listed = cpulist.render(present)
            raise UserError(f"--cpus {cpus}: CPU {absent[0]} is not online; there are {listed}")
        return Machine(system, chosen, "chosen")
    isolated = cpulist.lenient(system.text(f"{CPU}/isolated"), present)
    if isolated := tuple(cpu for cpu in isolated if cpu in present):
        return Machine(system, isolated, "isolated")
    last = siblings(system, present[-1])
    return Machine(system, last, "the last core; name others with --cpus")


def online(system: System) -> tuple[int, ...]:
    """Return all CPUs that run; CPU 0 where the kernel does not report them."""
    return cpulist.lenient(system.text(f"{CPU}/online")) or (0,)


def siblings(system: System, cpu: int) -> tuple[int, ...]:
    """Return the hyper-threads of a CPU's core, itself among them."""
    listed = cpulist.lenient(system.text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list"))
    return listed if cpu in listed else (cpu,)
