class MalformedMessage(ValueError): ...  # noqa: N818

class IndependentReader:
    def canonical(self, message: str, address: int, size: int) -> bytes: ...

class ColumnNode:
    name: str
    type: str
    coding: str
    number: int
    end: int
    parent: int
    oneof: int
    repeated: bool
    optional: bool
    required: bool
    always: bool
    packed: bool
    group: bool
    wraps: bool
    reduce: str
    error: float

class ColumnsConverter:
    def add_schema(self, name: str, nodes: list[ColumnNode]) -> None: ...
    def add_container(
        self, name: str, edges: list[tuple[int, int]], columns_fields: list[tuple[int, int, int]]
    ) -> None: ...
    def close(self) -> None: ...
    def to_columns(
        self, container: int, message: bytes | memoryview, keep_rows: bool, before: int
    ) -> memoryview: ...
    def to_rows(self, container: int, message: bytes | memoryview) -> memoryview: ...
    @property
    def lists(self) -> int: ...
    @property
    def refused(self) -> int: ...

def independent_reader(wire: str, schema: bytes) -> IndependentReader: ...
def difference_beyond(one: bytes, other: bytes, tolerances: dict[str, float]) -> str: ...
def empty_step_ns() -> int: ...

PROBE_COUNT_LOOPS: int

def probe_enabled() -> bool: ...
def probe_prepare_thread() -> None: ...
def probe_section(name: str) -> int: ...
def probe_begin(id: int, loop: int) -> None: ...
def probe_end(id: int, value: int) -> None: ...
def probe_mark(id: int, part: int, loop: int, value: int) -> None: ...

class Noise:
    elapsed_ns: int
    lost_ns: int
    reads: int
    gaps: int
    step_ns: int
    histogram: list[int]
    longest: list[tuple[int, int]]
    voluntary_switches: int
    involuntary_switches: int
    minor_faults: int

def spin(duration_ns: int, threshold_ns: int, keep: int) -> Noise: ...
