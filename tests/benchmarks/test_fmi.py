# SPDX-License-Identifier: Apache-2.0
"""The FMU of the study: what checkers and FMPy find, and every fault of shared memory."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import fmpy
import pytest
from fmpy.fmi1 import FMICallException
from fmpy.validation import validate_fmu
from lxml import etree

from wirecost.system.children import ProgramFailedError
from wirecost_scenarios.fmi.archive import pack, unpack
from wirecost_scenarios.fmi.fmpy_importer import TERMINAL, FmpySlave, connect_terminal
from wirecost_scenarios.fmi.importer import CImporter

SIZE = 1 << 16
SHARED = Path("/dev/shm")
SOON_S = 1.0
WRITER = """
import sys
from pathlib import Path
from wirecost.system import scenarios
scenarios.packages()
from wirecost_scenarios.fmi.fmpy_importer import TERMINAL, FmpySlave

fmu = FmpySlave(Path(sys.argv[1]), 3)
for name, value in zip(("message_size", "buffers", "in_memfd"), sys.argv[2:], strict=True):
    fmu.set(name, int(value))
fmu.start()
fmu.step()
print(*(fmu.get(f"memory_out.{member}") for member in TERMINAL), sep="\\t", flush=True)
for _ in sys.stdin:
    fmu.step()
    print(fmu.get("memory_out.sequence"), flush=True)
"""

Start = Callable[..., FmpySlave]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pack(tmp_path_factory.mktemp("fmi"), 3)


@pytest.fixture
def slave(archive: Path) -> Iterator[Start]:
    """Yield a function that makes an FMU with these parameters, not started yet."""
    made: list[FmpySlave] = []

    def make(**parameters: int) -> FmpySlave:
        made.append(FmpySlave(archive, 3))
        for name, value in parameters.items():
            made[-1].set(name, value)
        return made[-1]

    yield make
    for one in made:
        one.close()


def pair(slave: Start, **parameters: int) -> tuple[FmpySlave, FmpySlave]:
    """Return writer and reader of a region, connected."""
    source, sink = slave(message_size=SIZE, **parameters), slave()
    connect_terminal(source, sink)
    source.start()
    sink.start()
    return source, sink


def carry(source: FmpySlave, sink: FmpySlave) -> None:
    sink.set("memory_in.sequence", source.get("memory_out.sequence"))


def failure(sink: FmpySlave) -> str:
    """Return what the FMU reports where its step fails."""
    with pytest.raises(FMICallException):
        sink.step()
    return sink.reports[-1]


@pytest.mark.parametrize(
    ("fmi", "kind"),
    [(2, "float64"), (2, "string"), (3, "float64"), (3, "binary"), (3, "message")],
)
def test_fmpy_finds_nothing_wrong_and_simulates(fmi: int, kind: str, tmp_path: Path) -> None:
    path = pack(tmp_path, fmi, kind, 0 if kind == "message" else 3)
    assert validate_fmu(str(path)) == []
    result = fmpy.simulate_fmu(str(path), stop_time=0.1, output=["written", "received"])
    assert result["received"].tolist() == [0] * len(result)
    if fmi == 3:
        extracted = unpack(path)
        schema = Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"
        terminals = etree.parse(Path(extracted.folder, "terminalsAndIcons/terminalsAndIcons.xml"))
        etree.XMLSchema(etree.parse(schema)).assertValid(terminals)
        members = terminals.xpath("//TerminalMemberVariable/@variableName")
        assert len(members) == 2 * len(TERMINAL)
        assert set(members) <= extracted.variables.keys()
        extracted.remove()


@pytest.mark.parametrize("buffers", [0, 2])
def test_an_importer_that_knows_binaries_only_still_gets_messages(
    buffers: int, slave: Start
) -> None:
    source, sink = slave(message_size=SIZE, buffers=buffers), slave()
    source.start()
    sink.start()
    for number in (1, 2, 3):
        source.step()
        sink.set("binary_in", source.get("binary_out"))
        sink.step()
        assert sink.get("received") == number
    assert sink.get("copied") == 3 * SIZE


@pytest.mark.parametrize("in_memfd", [0, 1])
@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_a_reader_that_is_late_is_never_given_other_data(
    buffers: int, in_memfd: int, slave: Start
) -> None:
    """N buffers hold the N newest messages; an older one is refused, by one line."""
    source, sink = pair(slave, buffers=buffers, in_memfd=in_memfd)
    source.step()
    carry(source, sink)
    for _ in range(buffers - 1):
        source.step()
    sink.step()
    assert sink.get("received") == 1
    source.step()
    assert "message 1 was overwritten" in failure(sink)
    assert sink.get("overwritten") == 1
    carry(source, sink)
    sink.step()
    assert sink.get("received") == source.get("written") == buffers + 1


def test_torn_messages_are_noticed(slave: Start) -> None:
    """A writer that never waits, in another thread: what is read is whole, or refused."""
    source, sink = pair(slave, buffers=1)
    source.step()
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            source.step()

    writer = threading.Thread(target=write)
    writer.start()
    refused = read = 0
    end = time.monotonic() + 20
    try:
        while (refused < 20 or read < 20) and time.monotonic() < end:
            carry(source, sink)
            try:
                sink.step()
                read += 1
            except FMICallException:
                assert "was overwritten" in sink.reports[-1]
                refused += 1
    finally:
        ended.set()
        writer.join()
    assert min(refused, read) > 0
    assert sink.get("overwritten") == refused


@pytest.fixture
def writer(archive: Path, request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """Start another process that writes a message for each line it gets."""
    words = [sys.executable, "-c", WRITER, str(archive), str(SIZE), "2", str(request.param)]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    yield process
    process.kill()
    process.communicate()


def attach(sink: FmpySlave, process: subprocess.Popen[str]) -> str:
    """Connect a reader to the process's region and return the region's name."""
    assert process.stdout is not None
    name, size, layout, sequence = process.stdout.readline().rstrip("\n").split("\t")
    for member, value in zip(TERMINAL, (name, int(size), layout, int(sequence)), strict=True):
        sink.set(f"memory_in.{member}", value)
    sink.start()
    sink.step()
    return name


@pytest.mark.parametrize("writer", [0, 1], indirect=True, ids=["shm", "memfd"])
def test_a_writer_that_crashes_is_noticed_and_its_memory_removed(
    writer: subprocess.Popen[str], slave: Start
) -> None:
    sink = slave()
    name = attach(sink, writer)
    assert writer.stdin is not None and writer.stdout is not None
    writer.stdin.write("\n")
    writer.stdin.flush()
    sink.set("memory_in.sequence", int(writer.stdout.readline()))
    sink.step()
    assert sink.get("received") == 2
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    begin = time.monotonic()
    assert "its writer has ended" in failure(sink)
    assert time.monotonic() - begin < SOON_S
    assert name.startswith("/proc/") or not (SHARED / name[1:]).exists()


@pytest.mark.parametrize("writer", [0], indirect=True)
def test_the_next_writer_removes_what_nobody_noticed(
    writer: subprocess.Popen[str], slave: Start
) -> None:
    assert writer.stdout is not None
    left = SHARED / writer.stdout.readline().split("\t")[0][1:]
    other = slave(message_size=SIZE, buffers=1)
    other.start()
    assert left.exists()  # its writer lives
    os.kill(writer.pid, signal.SIGKILL)
    writer.wait()
    assert left.exists()
    slave(message_size=SIZE, buffers=1).start()
    assert not left.exists()
    assert (SHARED / other.get("memory_out.name")[1:]).exists()


def test_a_reader_that_crashes_leaves_the_writer_alone(archive: Path, slave: Start) -> None:
    source = slave(message_size=SIZE, buffers=2)
    source.start()
    source.step()
    read = "\n".join(
        (
            "import os, sys",
            "from pathlib import Path",
            "from wirecost.system import scenarios",
            "scenarios.packages()",
            "from wirecost_scenarios.fmi.fmpy_importer import TERMINAL, FmpySlave",
            "sink = FmpySlave(Path(sys.argv[1]), 3)",
            "for member, value in zip(TERMINAL, sys.argv[2:]):",
            "    text = member in ('name', 'layout')",
            "    sink.set(f'memory_in.{member}', value if text else int(value))",
            "sink.start()",
            "sink.step()",
            "os.kill(os.getpid(), 9 if sink.get('received') == 1 else 15)",
        )
    )
    values = [str(source.get(f"memory_out.{member}")) for member in TERMINAL]
    done = subprocess.run([sys.executable, "-c", read, str(archive), *values], check=False)
    assert done.returncode == -signal.SIGKILL
    for _ in range(3):
        source.step()
    name = source.get("memory_out.name")
    assert (SHARED / name[1:]).exists()
    source.fmu.reset()
    assert not (SHARED / name[1:]).exists()


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("size", SIZE + 8, "has messages of 65536 bytes"),
        ("size", 2**63, "is no region"),
        ("layout", "float64[3]", "connect a terminal of the same layout"),
        ("name", "/none-of-this-name", "cannot be opened"),
        ("name", "/../etc/passwd", "is neither a name"),
        ("name", "/proc/self/fd/../maps", "is neither a name"),
        ("name", "/tmp/file", "is neither a name"),
        ("name", "", ""),
    ],
)
def test_a_wrong_terminal_is_refused(
    member: str, value: str | int, said: str, slave: Start
) -> None:
    source, sink = slave(message_size=SIZE, buffers=2), slave()
    connect_terminal(source, sink)
    sink.set(f"memory_in.{member}", value)
    source.start()
    source.step()
    carry(source, sink)
    if not said:  # it is not connected
        sink.start()
        sink.step()
        assert sink.get("received") == 0
        return
    with pytest.raises(FMICallException):
        sink.start()
        sink.step()
    assert said in sink.reports[-1]


@pytest.mark.parametrize("edit", ["short", "empty", "zeros", "buffers", "size", "layout"])
def test_a_region_of_others_is_refused(edit: str, slave: Start) -> None:
    source, sink = slave(message_size=SIZE, buffers=2), slave()
    source.start()
    source.step()
    connect_terminal(source, sink)
    name = f"/wirecost-test-{os.getpid()}-{edit}"
    content = bytearray((SHARED / source.get("memory_out.name")[1:]).read_bytes())
    if edit == "short":
        del content[5000:]
    elif edit == "empty":
        content.clear()
    elif edit == "zeros":
        content[:] = bytes(len(content))
    else:
        at = {"size": 8, "buffers": 16, "layout": 24}[edit]
        content[at : at + 8] = b"\xff" * 8
    try:
        (SHARED / name[1:]).write_bytes(content)
        sink.set("memory_in.name", name)
        with pytest.raises(FMICallException):
            sink.start()
            sink.step()
        assert name in sink.reports[-1]
    finally:
        with suppress(FileNotFoundError):
            (SHARED / name[1:]).unlink()


def test_a_memfd_that_could_shrink_is_refused(slave: Start) -> None:
    sink = slave()
    descriptor = os.memfd_create("wirecost-test", os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, 1 << 20)
    sink.set("memory_in.name", f"/proc/{os.getpid()}/fd/{descriptor}")
    sink.set("memory_in.size", SIZE)
    with pytest.raises(FMICallException):
        sink.start()
    os.close(descriptor)
    assert "seal it" in sink.reports[-1]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("message_size", -8, "multiple of 8"),
        ("message_size", 12, "multiple of 8"),
        ("buffers", 17, "give 0 to 16"),
    ],
)
def test_wrong_parameters_are_refused(name: str, value: int, said: str, slave: Start) -> None:
    fmu = slave()
    with pytest.raises(FMICallException):
        fmu.set(name, value)
    assert said in fmu.reports[-1]


def test_unknown_references_are_refused(slave: Start) -> None:
    fmu = slave().fmu
    for reference in (0, 99, 1 << 20, 2 << 20, 2**32 - 1):
        for kind in ("Float64", "Int32", "UInt64", "String", "Binary"):
            with pytest.raises(FMICallException):
                getattr(fmu, f"get{kind}")([reference])
    array = (ctypes.c_double * 3)()
    with pytest.raises(FMICallException):
        fmu.fmi3GetFloat64(fmu.component, (ctypes.c_uint32 * 1)(50), 1, array, 3)


def test_the_c_importer_says_what_is_wrong() -> None:
    for words, said in (
        (("messages", "--carrier", "osmp", "--bytes", "12"), "multiple of 8"),
        (("messages", "--fmi", "2", "--carrier", "binary"), "no such carrier"),
        (("values", "--type", "binary", "--fmi", "2", "--count", "1"), "no such values"),
    ):
        with pytest.raises(ProgramFailedError, match=said):
            CImporter(words)


def test_the_c_importer_leaves_no_memory() -> None:
    importer = CImporter(("messages", "--carrier", "memory-2"))
    region = SHARED / f"wirecost-fmi-{importer.pid}-1"
    assert region.exists()
    importer.close()
    assert not region.exists()


def test_fmus_that_step_at_once_need_two_buffers() -> None:
    words = ("messages", "--bytes", str(1 << 20), "--carrier")
    with pytest.raises(ProgramFailedError, match=r"was overwritten|has ended"):
        CImporter((*words, "memory-1-parallel-processes")).run(100)
    other = CImporter((*words, "memory-2-parallel-processes"))
    ns, copied = other.run(100)
    other.close()
    assert ns > 0
    assert copied == 0
