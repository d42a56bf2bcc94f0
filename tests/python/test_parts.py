# SPDX-License-Identifier: Apache-2.0
"""Parts of a checkout are built when something first asks for them."""

from __future__ import annotations

import importlib.util
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.system import installation, parts
from wirecost.system.errors import UserError

ROOT = Path(__file__).parents[2]
INSTALL = """\
#!/bin/sh
echo "$1" >> {folder}/asked
{then}
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty installation of a checkout whose script notes the part that is asked for."""
    present = replace(installation.installation(), folder=tmp_path, checkout=tmp_path)
    monkeypatch.setattr(installation, "installation", lambda: present)
    (tmp_path / "setup").mkdir()
    return tmp_path


def script(folder: Path, then: str = "") -> None:
    path = folder / "setup" / "install"
    path.write_text(INSTALL.format(folder=folder, then=then))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_a_missing_file_is_built_once(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script(checkout, f"mkdir -p {checkout}/programs; touch {checkout}/programs/cloud")
    for _ in range(2):
        assert parts.installed("programs/cloud", parts.CLOUD) == checkout / "programs" / "cloud"
    assert (checkout / "asked").read_text() == "cloud\n"
    assert "Building what bench codecs needs, once" in capsys.readouterr().err


def test_a_build_that_fails_names_its_command(checkout: Path) -> None:
    script(checkout, "exit 2")
    with pytest.raises(UserError, match="setup/install cloud` failed"):
        parts.installed("programs/cloud", parts.CLOUD)


def test_a_wheel_builds_nothing(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(checkout)
    wheel = replace(installation.installation(), checkout=None)
    monkeypatch.setattr(installation, "installation", lambda: wheel)
    parts.build(parts.CLOUD)
    assert not (checkout / "asked").exists()
    assert parts.PartFinder().find_spec("wirecost._ctf") is None


IMPORTED = """\
import sys
from dataclasses import replace
from pathlib import Path
from wirecost.system import installation, parts
folder = Path(sys.argv[1])
present = replace(installation.installation(), folder=folder, checkout=folder)
installation.installation = lambda: present
finder = parts.PartFinder()
sys.meta_path.insert(0, finder)
assert finder.find_spec("wirecost._ctf") and not (folder / "asked").exists()
import wirecost._ctf
assert wirecost._ctf.Reader and Path(wirecost._ctf.__spec__.origin).parent == folder
"""


def test_a_module_is_found_before_it_is_built_and_built_when_it_is_imported(
    checkout: Path,
) -> None:
    """In a process that has not loaded the module yet."""
    built = importlib.util.find_spec("wirecost._ctf")
    assert built is not None
    script(checkout, f"cp {built.origin} {checkout}")
    execute([sys.executable, "-c", IMPORTED, str(checkout)], check=True)
    assert (checkout / "asked").read_text() == "probe\n"


def test_every_part_is_one_of_the_install_script() -> None:
    text = (ROOT / "setup" / "install").read_text()
    every = next(line for line in text.splitlines() if line.startswith("every="))
    names = {part.name for part in vars(parts).values() if isinstance(part, parts.Part)}
    known = set(every.removeprefix("every=(").removesuffix(")").split())
    assert names <= known
    for only_packages in known - names:
        assert (ROOT / "setup" / f"debian-{only_packages}.txt").is_file()


@pytest.mark.parametrize(
    ("path", "machine", "reported"),
    [
        ("fmus/manifest.json", "x86_64", "install libflatbuffers-dev libprotobuf-dev protobuf-"),
        ("lib/wirecost-functions", "x86_64", "apt-get install libzydis-dev` and build wirecost"),
        ("lib/wirecost-functions", "aarch64", "is for x86-64 and this machine is aarch64; mark"),
        ("lib/libwirecost-heap.so", "aarch64", r"^/w/lib/libwirecost-heap\.so: .* wirecost again"),
    ],
)
def test_a_file_that_a_build_left_out_has_a_remedy(
    path: str, machine: str, reported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    with pytest.raises(UserError, match=reported):
        raise parts.left_out(Path("/w") / path)


def test_the_packages_of_a_build_are_those_that_cmake_names() -> None:
    """Each is named where CMake leaves a part out for want of it."""
    cmake = "".join(path.read_text() for path in (ROOT / "cpp").rglob("CMakeLists.txt"))
    cmake += (ROOT / "CMakeLists.txt").read_text()
    for package in " ".join(parts.PACKAGES.values()).split():
        assert package in cmake
