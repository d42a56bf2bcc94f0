# SPDX-License-Identifier: Apache-2.0
"""Programs of others under the gate print and end as they do without it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import execute

COUNTERS = ("allocations", "frees", "lock-waits", "system-calls", "minor-faults")
BUDGET = '[thread."*"]\n' + "\n".join(f"{name} = 1e12" for name in COUNTERS)
JEMALLOC = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2"
PROGRAM = '#include <stdio.h>\nint main(void) { puts("built"); return 9; }\n'
SIGNALS = r"""
import faulthandler, signal, sys, threading, os
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.02)
signal.pause()
faulthandler.enable()
thread = threading.Thread(target=lambda: seen.append(sum(range(1000))))
thread.start(); thread.join()
child = os.fork()
if child == 0: os._exit(7)
print(seen, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.stderr.write("on stderr\n"); sys.exit(5)
"""
GO = """package main
import ("fmt"; "os"; "os/signal"; "sync"; "syscall"; "time")
func main() {
  seen := make(chan os.Signal, 1)
  signal.Notify(seen, syscall.SIGUSR1)
  syscall.Kill(os.Getpid(), syscall.SIGUSR1)
  <-seen
  var group sync.WaitGroup
  sums := make([]int, 8)
  for i := range sums {
    group.Add(1)
    go func() { defer group.Done(); time.Sleep(1e6); sums[i] = i * i }()
  }
  group.Wait()
  fmt.Println(sums)
  os.Exit(4)
}
"""
SEGFAULT = r"""
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static sigjmp_buf back;
static void handle(int number) { siglongjmp(back, number); }
static void* volatile nowhere;
int main(void) {
  static char stack[65536];
  const stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&other, 0);
  struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
  sigaction(SIGSEGV, &action, 0);
  for (int i = 0; i < 3; ++i)
    if (sigsetjmp(back, 1) == 0)
      *(volatile int*)nowhere = 1;
    else
      puts("caught");
  abort();
}
"""
SECCOMP = r"""
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  struct sock_filter rules[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {4, rules};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
  free(malloc(1 << 20));
  printf("%ld %d\n", syscall(SYS_getppid), errno);
  return 3;
}
"""
PROGRAMS = {
    "python": f"{sys.executable} -c {shlex.quote(SIGNALS)}",
    "bash": "bash -c 'trap \"echo usr1\" USR1; kill -USR1 $$; echo $((6 * 7)) | cat; exit 11'",
    "git": "git init -q repo && git -C repo status --short && git -C repo log",
    "segfault": "./segfault",
    "seccomp": "./seccomp",
    "static": "./static",
    "killed": "sh -c 'kill -KILL $$'",
    "perl": """perl -e '$SIG{ALRM} = sub { print "alarm\n" }; alarm 1; sleep 5; die "dead\n"'""",
    "tar": "tar cf t.tar data.json && tar tf t.tar && tar xf missing.tar",
    "gzip": "gzip -c data.json | gzip -d",
    "xz": "xz -c data.json | xz -d",
    "sed": "sed -n s/a/b/p data.json",
    "awk": "awk '{ print NF; exit 6 }' data.json",
    "find": "find . -maxdepth 1 -name '*.json' -exec cat {} +",
    "sort": "sort -r data.json",
    "make": "make -s -f Makefile all",
    "gcc": "gcc -o built program.c && ./built",
    "cmake": "cmake -E echo cmake && cmake -E false",
    "openssl": "openssl dgst -sha256 data.json",
    "curl": "curl -sS file:///missing",
    "sqlite3": "sqlite3 :memory: 'select 6 * 7; select oops;'",
    "jq": "jq .a data.json",
    "node": "node -e 'setTimeout(() => { console.log([1, 2]); process.exit(8) }, 5)'",
    "ruff": f"{Path(sys.executable).with_name('ruff')} check --isolated --quiet data.py",
    "go": "./go",
    "jemalloc": f"env LD_PRELOAD={JEMALLOC}:$LD_PRELOAD {sys.executable} -c 'print([0] * 99)'",
}
FEW = ("python", "bash", "tar", "segfault", "seccomp", "static")
LEAST = 20


def write_all(folder: Path) -> list[str]:
    """Write what the programs read and build what has to be built; return those that are here."""
    folder.mkdir()
    (folder / "data.json").write_text('{"a": [1, 2]}\n')
    (folder / "data.py").write_text("import os\n")
    (folder / "Makefile").write_text("all:\n\t@echo made\n\t@exit 2\n")
    sources = {"program": PROGRAM, "static": PROGRAM, "segfault": SEGFAULT, "seccomp": SECCOMP}
    for name, text in sources.items():
        (folder / f"{name}.c").write_text(text)
        options = ["-static"] if name == "static" else []
        subprocess.run(["gcc", *options, "-o", name, f"{name}.c"], cwd=folder, check=True)
    missing = {name for name, command in PROGRAMS.items() if not _is_here(command, folder)}
    return [name for name in PROGRAMS if name not in missing]


def _is_here(command: str, folder: Path) -> bool:
    program = command.split(maxsplit=1)[0]
    is_found = (folder / program).is_file() if program.startswith("./") else shutil.which(program)
    return bool(is_found) and (JEMALLOC not in command or Path(JEMALLOC).is_file())


def run_all(folder: Path, names: list[str], *gate: object) -> dict[str, list[str]]:
    """Run programs one after the other; return status, output and errors of each."""
    script = [
        f"( {PROGRAMS[name]} ) >{name}.out 2>{name}.err </dev/null; echo $? >{name}.status"
        for name in names
    ]
    (folder / "all.sh").write_text("\n".join(script))
    words = [*map(str, gate), "bash", "all.sh"]
    done = execute(words, cwd=folder, timeout=300, env=os.environ | {"WIRECOST_PROBE_SIZE": "256K"})
    assert done.returncode == 0, done
    suffixes = ("status", "out", "err")
    return {name: [(folder / f"{name}.{end}").read_text() for end in suffixes] for name in names}


@pytest.mark.parametrize("is_few", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_programs_go_on_as_they_would(is_few: bool, tmp_path: Path) -> None:
    """While each system call, allocation and fault is recorded."""
    plain, gated = tmp_path / "plain", tmp_path / "gated"
    here = write_all(plain)
    if not is_few and (go := shutil.which("go")):
        (plain / "go.go").write_text(GO)
        settings = os.environ | {"CGO_ENABLED": "0", "GO111MODULE": "off"}
        subprocess.run([go, "build", "-o", "go", "go.go"], cwd=plain, env=settings, check=True)
        here.append("go")
    names = [name for name in here if name in FEW or not is_few]
    assert len(names) >= (len(FEW) if is_few else LEAST)
    shutil.copytree(plain, gated)
    budget, answer = tmp_path / "budget.toml", tmp_path / "answer.json"
    budget.write_text(BUDGET)
    gate = [Path(sys.executable).with_name("wirecost"), "probe", "check", "--budget", budget]
    expected = run_all(plain, names)
    assert run_all(gated, names, *gate, "--json", answer, "--") == expected
    judged = {one["name"] for one in json.loads(answer.read_text())["budgets"]}
    # What cannot be recorded is not; what is killed, as segfault is, ends no execution.
    assert judged >= {"thread bash", "thread tar", "thread seccomp"}
    assert judged.isdisjoint({"thread static", "thread go"})
