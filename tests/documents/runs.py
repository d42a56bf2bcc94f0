# SPDX-License-Identifier: Apache-2.0
"""The runs that documents show, and what is kept of each in ``docs/results``."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from wirecost.results.report.shared.table import Table

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "docs" / "results"

_PROTOBUF = "protobuf,protobuf-arena,protobuf-reuse"
_CHOICES = (
    f"{_PROTOBUF},protobuf-view,flatbuffers-table,flatbuffers-table-verified,flatbuffers-struct,"
    "columns,arrays"
)
_ALLOCATORS = "glibc,glibc-tuned,jemalloc,mimalloc,tlsf,wirecost"

_STUDY = ("bench", "--from", "benchmarks")
_FRAMEWORKS = {
    "torch": "torch", "tensorflow": "tensorflow-cpu", "mxnet": "mxnet", "paddle": "paddlepaddle",
}  # fmt: skip
"""Plugins whose framework has an environment of its own, made by ``make test-frameworks``."""


def _figure1(*middlewares: str) -> list[str]:
    """Wrapyfi's Figure 1 with those; a middleware takes some 8 minutes."""
    pythons = [
        word
        for plugin, folder in _FRAMEWORKS.items()
        for word in ("--python", f"{plugin}=build/frameworks/{folder}/bin/python")
    ]
    return [*_STUDY, "wrapyfi", "--middlewares", ",".join(middlewares), *pythons]


RUNS = {
    "osi": ["bench", "osi", "--reflections", "829440,100000"],
    "osi-all-read": ["bench", "osi", "--reflections", "829440,100000", "--read", "all"],
    "osi-distinct": ["bench", "osi", "--contenders", _CHOICES, "--content", "distinct"],
    "osi-growth": ["bench", "osi", "--contenders", _CHOICES,
                   "--reflections", "1000,10000,100000,829440,5000000"],
    "osi-table1": ["bench", "osi", "--table1"],
    "osi-published": ["bench", "osi", "--variant", "published", "--contenders",
                      "protobuf,flatbuffers-table", "--allocators", _ALLOCATORS],
    "notification": [*_STUDY, "notification", "--content", "ticket"],
    "notification-allocators": [*_STUDY, "notification", "--lang", "cpp", "--content", "ticket",
                                "--sizes", "64", "--modes", "new,recycled",
                                "--allocators", _ALLOCATORS],
    "tensor": [*_STUDY, "wrapyfi", "--plugins", "numpy,pandas-numpy,pyarrow,xarray",
               "--dtype", "float64", "--trials", "200", "--processes", "10",
               "--middlewares", "iceoryx2,zeromq,zenoh,raw-iceoryx2,raw-zeromq,raw-zenoh,shm"],
    "tensor-1khz": ["bench", "tensor", "--plugins", "numpy", "--rate", "1000", "--trials", "2000",
                    "--middlewares", "iceoryx2,raw-iceoryx2,zeromq,raw-zeromq,zenoh,raw-zenoh"],
    "wrapyfi": _figure1("zeromq", "ros1", "yarp"),
    "wrapyfi-ros2": _figure1("zeromq", "ros2"),
    "cloud": [*_STUDY, "cloud"],
    "heap": [*_STUDY, "heap"],
    "probe": [*_STUDY, "probe"],
    "classes": [*_STUDY, "classes"],
    "transport": ["bench", "transport", "--client", "python,native", "--settings", "matched",
                  "--sizes", "100,1M", "--network", "loopback,lossy", "--seconds", "1",
                  "--processes", "2"],
    "transport-acknowledgements": ["bench", "transport", "--middlewares", "dds",
                                   "--settings", "matched", "--sizes", "50k,58k,62k,70k",
                                   "--rate", "2500", "--seconds", "1"],
    "transport-repair": ["bench", "transport", "--middlewares", "dds,cyclone", "--client", "native",
                         "--settings", "ros2,matched", "--network", "lossy", "--sizes", "100",
                         "--rate", "200", "--seconds", "4"],
}  # fmt: skip
"""The command of each."""
WITH_ROS2 = {"wrapyfi-ros2"}
"""Runs by the Python that ``setup/ros2-wheels`` makes. Its packages of messages have the names of
ROS 1's, so that no run has both."""


TUPLES = ("optional", "texts")
OF_PAGES = ("bars", "texts", "cut")
"""Parts of a table that are not kept: bars never, the others where there are none."""


@dataclass(frozen=True)
class Kept:
    """Kept parts of a run that documents show. ``docs/results/NAME.csv`` has its summary rows."""

    about: dict[str, str]
    """Where, when and how it was made."""
    lead: str | None
    tables: list[Table]

    def table(self, what: str) -> Table:
        """Return the table with that title, or whose title so begins. Raises KeyError."""
        matching = [t for t in self.tables if t.title == what or t.title.startswith(f"{what} · ")]
        if len(matching) != 1:
            titles = "; ".join(table.title for table in self.tables)
            raise KeyError(f"{what} is the title of {len(matching)} tables; there are {titles}")
        return matching[0]

    def write(self, name: str) -> None:
        RESULTS.mkdir(exist_ok=True)
        content = asdict(self)
        for table in content["tables"]:
            for part in [part for part in OF_PAGES if not table[part] or part == "bars"]:
                del table[part]
        text = json.dumps(content, indent=1, ensure_ascii=False)
        (RESULTS / f"{name}.json").write_text(f"{text}\n")


def read(name: str) -> Kept:
    """Read what is kept of a run. Raises OSError if nothing is."""
    content = json.loads((RESULTS / f"{name}.json").read_text())
    tables = [
        Table(**{part: tuple(v) if part in TUPLES else v for part, v in table.items()})
        for table in content["tables"]
    ]
    return Kept(content["about"], content["lead"], tables)
