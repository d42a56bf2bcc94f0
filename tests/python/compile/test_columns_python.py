# SPDX-License-Identifier: Apache-2.0
"""The generated Python of the columns wire: rows, arrays, bytes, and what is none of them."""

from __future__ import annotations

import importlib
import mmap
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.columns_random import (
    MESSAGES,
    REFLECTION,
    SAMPLES,
    arrays,
    columns_module,
    columns_of,
    compile_columns,
    lists,
    same_within,
)
from support.compiled import SCHEMAS
from support.programs import execute
from wirecost.schema.compile.compiler import Columns, compile_schema, write
from wirecost.schema.compile.emit import Request

REQUIRED = {"a_required_number": 7, "a_required_place": {}}
"""What every element of the proto2 sample needs."""
REDUCTIONS = ("exact", "auto", "float32", "error:0.01")
SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
Reflections = columns_of(REFLECTION)


def runtime(columns: Any) -> Any:
    """Return the package ``_columns`` beside generated classes."""
    return importlib.import_module(f"{columns.__module__.partition('.')[0]}._columns")


def encoded(rows: list[Any]) -> list[bytes]:
    return [row.encode_protobuf() for row in rows]


@pytest.mark.parametrize("name", MESSAGES)
@given(data=st.data())
@SETTINGS
def test_rows_survive_columns(name: str, data: st.DataObject):
    columns = columns_of(name)
    rows = data.draw(lists(columns.NODE))
    reduction = data.draw(st.sampled_from(REDUCTIONS))
    position = data.draw(st.sampled_from([0, 1, 63, 100]))
    back = columns.read(columns.from_rows(rows, reduction, position)).to_rows()
    if reduction in ("exact", "auto"):
        assert encoded(back) == encoded(rows)
    else:
        same_within(back, rows, 0.01 if reduction.startswith("error") else 0)


@pytest.mark.parametrize("name", MESSAGES)
@given(data=st.data())
@SETTINGS
def test_arrays_become_the_same_bytes_as_rows(name: str, data: st.DataObject):
    columns = columns_of(name)
    stored = columns.from_rows(data.draw(lists(columns.NODE)), "exact")
    read = columns.read(stored)
    values, present = arrays(read, runtime(columns).Ragged)
    for reduction in ("exact", "auto"):
        expected = columns.from_rows(read.to_rows(), reduction, 5)
        built = columns.build(len(read), values, present=present, reductions=reduction, position=5)
        assert built == expected


@pytest.mark.parametrize("name", MESSAGES)
@given(data=st.data())
@SETTINGS
def test_bytes_that_are_changed_are_refused_or_read(name: str, data: st.DataObject):
    columns = columns_of(name)
    error = runtime(columns).columns.WireError
    rows = data.draw(lists(columns.NODE))
    stored = bytearray(columns.from_rows(rows, data.draw(st.sampled_from(REDUCTIONS))))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(stored) - 1))
        match data.draw(st.sampled_from(["set", "cut", "drop", "double"])):
            case "set":
                stored[at] = data.draw(st.integers(0, 255))
            case "cut":
                del stored[max(1, at) :]
            case "drop":
                del stored[at : at + 1 : 1]
                stored = stored or bytearray(1)
            case "double":
                stored[at:at] = stored[at : at + 40]
    try:
        touch(columns.read(bytes(stored), limit=1 << 16), 1 << 24)
    except error as fault:
        assert fault.reason


def touch(read: Any, memory: int) -> None:
    """Look at everything."""
    for _, column in read.columns():
        assert column.present is None or len(column.present) == len(column)
        if hasattr(column, "filled"):
            assert len(column.filled()) == len(column.values) == len(column.masked) == len(column)
        elif hasattr(column, "values"):
            assert len(column.offsets) == len(column) + 1
            assert len(column.values) == column.offsets[-1]
        elif hasattr(column, "bytes_"):
            assert len(list(column)) == len(column)
            assert len(column.bytes_) == column.offsets[-1]
        else:
            assert len(column.offsets) == len(column) + 1
    read.to_rows(memory)


def test_rows_are_bounded_in_proportion_to_the_columns():
    """64 MiB and 256 bytes for each of 21; a row of nine fields, there or not, counts 160."""
    error = runtime(Reflections).columns.WireError
    for count, fits in ((419_464, True), (419_465, False)):
        stored = Reflections.build(count, {"signal_strength": 0.5}, reductions="auto")
        assert len(stored) == 21
        read = Reflections.read(stored)
        if fits:
            assert len(read.to_rows()) == count
        else:
            with pytest.raises(error, match="67114400 bytes, allowed are 67114240"):
                read.to_rows()


def test_few_bytes_take_little_memory():
    count = 1 << 26
    stored = Reflections.build(count, {"time_of_flight": 1.0}, reductions="auto")
    assert len(stored) < 40
    error = runtime(Reflections).columns.WireError
    tracemalloc.start()
    read = Reflections.read(stored)
    assert read.time_of_flight.values[count - 1] == 1
    assert read.signal_strength.present is not None
    assert not read.signal_strength.present.any()
    with pytest.raises(error, match=r"the rows take about .* bytes, allowed are"):
        read.to_rows()
    with pytest.raises(error, match=r"more than 1000 elements.* limit"):
        Reflections.read(stored, limit=1000)
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


@pytest.mark.parametrize("count", [0, 1, 63, 1 << 24])
def test_any_number_of_elements(count: int):
    times = np.arange(count, dtype=np.float64) * 0.1
    prepared = Reflections.prepare(count, {"time_of_flight": times}, reductions="exact")
    buffer = np.empty(prepared.size(7) + 7, np.uint8)
    assert prepared.write(buffer, 7) == len(buffer)
    read = Reflections.read(buffer, 7)
    assert len(read) == len(read.time_of_flight) == count
    assert (read.time_of_flight.values == times).all()
    assert read.time_of_flight.form == ("plain" if count else "absent")


def test_plain_columns_are_not_copied(tmp_path: Path):
    values = {"time_of_flight": np.arange(100.0) / 3, "object_id.value": np.arange(100)}
    for offset in (0, 1, 64):
        content = Reflections.build(100, values, reductions="exact", position=64)
        whole = np.zeros(offset + len(content) + 3, np.uint8)
        whole[offset : offset + len(content)] = np.frombuffer(content, np.uint8)
        read = Reflections.read(whole, offset, len(content))
        for column in (read.time_of_flight, read.object_id.value):
            assert np.shares_memory(column.values, whole)
            assert not column.values.flags.writeable
        assert (read.time_of_flight.values == values["time_of_flight"]).all()
        assert (read.object_id.value.values == values["object_id.value"]).all()
    (tmp_path / "file").write_bytes(content)
    with (tmp_path / "file").open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        read = Reflections.read(mapped)
        assert np.shares_memory(read.time_of_flight.values, np.frombuffer(mapped, np.uint8))


@pytest.mark.parametrize("position", [0, 3, 60, 1000])
def test_payloads_are_aligned_in_the_whole_message(position: int):
    columns = columns_of(SAMPLES[0])
    values = {"real": np.arange(5.0), "place.x": np.arange(5.0), "a_string": list("abcde")}
    values |= REQUIRED
    values["a_required_place.y"] = np.ma.MaskedArray(np.arange(5.0), mask=[0, 1, 0, 0, 0])
    stored = columns.build(5, values, reductions="exact", position=position)
    whole = np.frombuffer(bytes(position) + stored, np.uint8)
    read = columns.read(whole, position)
    start = whole.ctypes.data
    places = [c.values.ctypes.data - start for c in (read.real, read.place.x)]
    places.append(read.a_string.offsets.ctypes.data - start)
    places.append(np.frombuffer(read.a_string.bytes_, np.uint8).ctypes.data - start)
    places.append(read.a_required_place.y.values.ctypes.data - start)
    assert [place % 64 for place in places] == [0] * 5
    assert (read.a_required_place.y.present == [True, False, True, True, True]).all()


def test_each_form():
    columns = columns_of(SAMPLES[0])
    many = np.arange(1000)
    values = {
        "real": many * 0.001,
        "small_real": np.float32(3.5),
        "an_int64": many // 100 + 1_700_000_000_000,
        "a_uint32": many + 7,
        "a_uint64": (many + 70_000) ** 2,
        "a_bool": many > 500,
        "a_color": np.where(many > 500, 300, -5),
        "a_string": "same",
        "with_default_number": np.ma.MaskedArray(many, mask=many > 3),
    }
    stored = columns.build(
        1000,
        values | REQUIRED,
        reductions={**dict.fromkeys(values, "auto"), "real": "error:0.01"},
    )
    read = columns.read(stored)
    forms = {path: column.form for path, column in read.columns() if path in values}
    assert forms == {
        "real": "scaled runs",
        "small_real": "constant",
        "an_int64": "scaled runs",
        "a_uint32": "scaled",
        "a_uint64": "scaled",
        "a_bool": "runs",
        "a_color": "runs",
        "a_string": "constant",
        "with_default_number": "scaled runs",
    }
    for name in ("an_int64", "a_uint32", "a_uint64", "a_bool", "a_color"):
        assert (getattr(read, name).values == values[name]).all(), name
    assert np.abs(read.real.values - values["real"]).max() <= 0.01
    assert set(read.a_string) == {"same"}
    assert read.a_string[999] == "same"
    assert bytes(read.a_string.bytes_) == b"same" * 1000
    assert read.with_default_number.filled()[[0, 3, 4, 999]].tolist() == [0, 3, -7, -7]
    assert read.with_default_number.masked.sum() == 6
    assert read.a_sint32.form == "absent"
    assert read.place.present is not None
    assert not read.place.present.any()


def test_nested_lists():
    columns = columns_of(SAMPLES[0])
    ragged = runtime(columns).Ragged
    stored = columns.build(
        2,
        {
            "places": ragged([0, 2, 3], {"x": [1.0, 2.0, None]}),
            "strings": [["a", "b"], []],
            "doubles": [[1.5], np.arange(2)],
            **REQUIRED,
        },
    )
    read = columns.read(stored)
    assert read.places.offsets.tolist() == [0, 2, 3]
    assert read.places.x.filled().tolist() == [1, 2, 0]
    assert read.strings[0] == ["a", "b"]
    assert read.doubles[1].tolist() == [0, 1]
    assert [len(row.places) for row in read.to_rows()] == [2, 1]


FAULTY = [
    ({"nothing": [1.0]}, "has no field 'nothing'; there are real"),
    ({"real": [1.0, 2.0]}, r"real takes 1 values, not an array of shape \(2,\)"),
    ({"real": ["a"]}, "real takes float64, not <U1"),
    ({"an_int32": [1.5]}, "an_int32 takes int32, not float64"),
    ({"an_int32": [1 << 31]}, "an_int32 takes int32, which 2147483648 does not fit"),
    ({"a_uint64": [-1]}, "a_uint64 takes uint64, which -1 does not fit"),
    ({"small_real": [1e39]}, "small_real takes float32, which 1e[+]39 does not fit"),
    ({"a_bool": [2]}, "a_bool takes bool, not int64"),
    ({"a_string": [1]}, "a_string takes string, not int"),
    ({"a_string": [b"\xff"]}, "a_string cannot be written"),
    ({"a_required_number": [None]}, "a_required_number cannot be absent"),
    ({"place": [1.0]}, "place takes a mapping of fields, not list"),
    ({"place.x": [1.0], "place": {"x": [1.0]}}, "twice"),
    ({"places": [[]]}, "places takes Ragged"),
    ({"doubles": [1.0]}, "doubles takes a sequence of values an element"),
    ({"chosen_number": [1], "chosen_string": ["a"]}, "more than one member of the oneof choice"),
]


@pytest.mark.parametrize(("values", "reason"), FAULTY)
def test_what_cannot_be_built_is_said(values: dict[str, Any], reason: str):
    columns = columns_of(SAMPLES[0])
    with pytest.raises(runtime(columns).columns.WireError, match=reason):
        columns.build(1, {**REQUIRED, **values})


def test_what_else_cannot_be():
    error = runtime(Reflections).columns.WireError
    with pytest.raises(error, match="'doppler' is not a reduction; give exact"):
        Reflections.build(1, {}, reductions="doppler")
    with pytest.raises(error, match=r"no column 'object_id.value' that can be stored float32"):
        Reflections.build(1, {}, reductions={"object_id.value": "float32"})
    with pytest.raises(error, match="present has 'doppler_shift'"):
        Reflections.build(1, {}, present={"doppler_shift": [True]})
    with pytest.raises(error, match=r"present.*is no array of 2 bools"):
        Reflections.build(2, {"doppler_shift": 1.0}, present={"doppler_shift": [True]})
    with pytest.raises(error, match="do not lie in a buffer of 3"):
        Reflections.prepare(9, {}).write(bytearray(3))
    with pytest.raises(error, match="the buffer is read-only"):
        Reflections.prepare(9, {}).write(bytes(30))
    with pytest.raises(error, match="does not lie in one piece"):
        Reflections.read(np.zeros(30, np.uint8)[::2])
    with pytest.raises(error, match="str is no buffer"):
        Reflections.read("text")
    with pytest.raises(error, match="object cannot be encoded"):
        Reflections.from_rows([object()])


def test_columns_stand_beside_their_list():
    osi = importlib.import_module(f"{Reflections.__module__.removesuffix('_columns')}")
    view = osi.LidarSensorView(reflection=[osi.LidarSensorView_Reflection(time_of_flight=2.5)] * 3)
    prepared = Reflections.prepare(3, {"time_of_flight": [2.5] * 3}, reductions="exact")
    lidar = Reflections.attach(view.encode_protobuf(), prepared)
    assert osi.LidarSensorView.decode_protobuf(lidar) == view
    (field,) = Reflections.find(lidar)
    assert (field.path, field.offset + field.size) == ("reflection", len(lidar))
    assert (
        Reflections.read(lidar, field.offset, field.size).time_of_flight.values.ctypes.data % 8 == 0
    )
    whole = osi.SensorView().encode_protobuf()
    whole += b"".join([b"\xd2\x3e", bytes([len(lidar) & 127 | 128, len(lidar) >> 7]), lidar]) * 2
    assert len(osi.SensorView.decode_protobuf(whole).lidar_sensor_view) == 2
    fields = Reflections.find(np.frombuffer(whole, np.uint8), "osi3.SensorView")
    assert [t.path for t in fields] == [f"lidar_sensor_view[{i}].reflection" for i in range(2)]
    for field in fields:
        assert Reflections.read(whole, field.offset, field.size).to_rows() == view.reflection
    assert Reflections.find(view.encode_protobuf()) == []
    error = runtime(Reflections).columns.WireError
    with pytest.raises(error, match="Moving holds no columns; messages that do: osi3"):
        Reflections.find(b"", "Moving")
    for cut in range(1, len(whole)):
        try:
            assert len(Reflections.find(whole[:cut], "osi3.SensorView")) < 2
        except error as fault:
            assert fault.reason


def test_what_is_required_must_be_there():
    columns = columns_of(SAMPLES[0])
    read = columns.read(bytes.fromhex("808080800e02"))
    assert not read.a_required_place.present.any()
    with pytest.raises(ValueError, match="a_required_number is required, but no element has it"):
        read.to_rows()
    rows = columns.read(columns.build(2, REQUIRED)).to_rows()
    assert [row.a_required_number for row in rows] == [7, 7]
    with pytest.raises(ValueError, match="a_required_number is required; give its values"):
        columns.build(2, {})


def test_declared_reductions_are_the_default():
    module = compile_columns(["osi3"], (REFLECTION,), ("*=auto", "time_of_flight=error:0.001"))(
        "osi3.osi_sensorview_columns"
    )
    columns = module.LidarSensorViewReflectionColumns
    times = np.linspace(0, 1, 200)
    read = columns.read(columns.build(200, {"time_of_flight": times, "doppler_shift": 1.0}))
    assert (read.time_of_flight.form, read.doppler_shift.form) == ("scaled", "constant")
    read = columns.read(columns.from_rows(read.to_rows()))
    assert (read.time_of_flight.form, read.doppler_shift.form) == ("scaled", "constant")
    assert np.abs(read.time_of_flight.values - times).max() <= 0.002


MSG = """\
int8 small
uint16 medium
bool[] flags
uint8[] raw
int16[3] fixed
float32[<=2] few
string name
Point place
"""


def test_ros_types(tmp_path: Path):
    folder = tmp_path / "lab_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "Sample.msg").write_text(MSG)
    (folder / "Point.msg").write_text("float64 x\n")
    module = compile_columns([str(folder / "Sample.msg")], ("lab_msgs.Sample",))
    columns = module("lab_msgs.sample_columns").SampleColumns
    values = {
        "place.x": [0.5, 0.25],
        "small": [-3, 5],
        "medium": [500, 600],
        "flags": [[True], []],
        "raw": [b"ab", b""],
        "fixed": [[1, 2, 3], [4, 5, -6]],
        "few": [[0.5], [1, 2]],
        "name": ["a", "bc"],
    }
    stored = columns.build(2, values, reductions="auto")
    rows = columns.read(stored).to_rows()
    assert [row.small for row in rows] == [-3, 5]
    assert [row.place.x for row in rows] == [0.5, 0.25]
    assert [row.raw for row in rows] == [b"ab", b""]
    assert [list(row.fixed) for row in rows] == values["fixed"]
    assert columns.from_rows(rows, "auto") == stored
    (row,) = columns.read(columns.build(1, {})).to_rows()
    assert list(row.fixed) == [0, 0, 0]
    assert row.encode_protobuf() == type(row)().encode_protobuf()
    assert len(columns.read(columns.build(10, {"small": 1})).to_rows(10 * 16 * 16)) == 10
    with pytest.raises(ValueError, match="the rows take about 2560 bytes, allowed are 2559"):
        columns.read(columns.build(10, {"small": 1})).to_rows(10 * 16 * 16 - 1)
    with pytest.raises(ValueError, match="fixed has 2 elements or bytes; it takes 3"):
        columns.build(1, {"fixed": [[1, 2]]})
    with pytest.raises(ValueError, match="few has 3 elements or bytes; it takes 2"):
        columns.build(1, {"few": [[1, 2, 3]]})


def google_columns(name: str, folder: Path) -> Any:
    """Google's class of the generated ``.proto``."""
    source = "columns_proto2" if "2" in name else "columns_proto3"
    inputs = [str(SCHEMAS / f"{source}.proto")]
    texts = compile_schema(inputs, [], Request(("protobuf",)), columns=Columns((name,)))
    write(texts, folder)
    (proto,) = (folder / "proto").rglob("columns.proto")
    command = ["protoc", f"--descriptor_set_out={folder / 'set'}", f"-I{proto.parent}", str(proto)]
    subprocess.run(command, check=True)
    descriptors = descriptor_pb2.FileDescriptorSet.FromString((folder / "set").read_bytes())
    pool = descriptor_pool.DescriptorPool()
    pool.Add(descriptors.file[0])
    full_name = f"{descriptors.file[0].package}.SampleColumns"
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(full_name))


@pytest.mark.parametrize("name", SAMPLES)
def test_google_reads_the_same(name: str, tmp_path: Path):
    google, columns = google_columns(name, tmp_path), columns_of(name)

    @given(lists(columns.NODE))
    @SETTINGS
    def check(rows: list[Any]) -> None:
        stored = columns.from_rows(rows, "exact")
        read, parsed = columns.read(stored), google.FromString(stored)
        assert parsed.element_count == len(read)
        same_columns(read, parsed)

    check()


def same_columns(read: Any, theirs: Any) -> None:
    for name, child in read.children():
        held = getattr(theirs, name)
        if hasattr(child, "children"):
            same_columns(child, held)
        elif hasattr(child, "texts"):
            assert held.value == bytes(child.texts.bytes_)
        elif hasattr(child, "bytes_"):
            assert held == bytes(child.bytes_)
        elif child.form in ("absent", "default"):
            assert not len(held)
        else:
            raw = held if isinstance(held, bytes) else np.array(held, child.values.dtype).tobytes()
            assert raw == child.values.tobytes(), name


def test_it_runs_without_wirecost(tmp_path: Path):
    columns = Columns((REFLECTION,))
    texts = compile_schema(["osi3"], ["python"], Request(("protobuf",)), columns=columns)
    write(texts, tmp_path)
    program = (
        "import sys; sys.modules['wirecost'] = None\n"
        "import wire.osi3.osi_sensorview; assert 'numpy' not in sys.modules\n"
        "from wire.osi3.osi_sensorview_columns import LidarSensorViewReflectionColumns as C\n"
        "assert len(C.read(C.build(3, {'time_of_flight': [1, 2, 3]})).to_rows()) == 3\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "python")}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    (tmp_path / "python" / "user.py").write_text(
        "import numpy as np\n"
        "import numpy.typing as npt\n"
        "from wire.osi3.osi_sensorview import LidarSensorView_Reflection\n"
        "from wire.osi3.osi_sensorview_columns import LidarSensorViewReflectionColumns\n"
        "found = LidarSensorViewReflectionColumns.read(bytearray(9))\n"
        "x: npt.NDArray[np.float64] = found.normal_to_surface.x.values\n"
        "ids: npt.NDArray[np.uint64] = found.object_id.value.values\n"
        "rows: list[LidarSensorView_Reflection] = found.to_rows()\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "user.py"]
    done = execute(command, cwd=tmp_path / "python")
    assert done.returncode == 0, done.stdout


def test_names_of_fields_do_not_hide_those_of_the_class(tmp_path: Path):
    (tmp_path / "odd.proto").write_text(
        'syntax = "proto2"; package odd;\n'
        "message M { required double read = 1; required double present = 2;\n"
        "  required double present_ = 3; required bool class = 4; required double _private = 5;\n"
        "  required Inner columns = 6; message Inner { required int32 offsets = 1; } }\n"
    )
    module = compile_columns([str(tmp_path / "odd.proto")], ("odd.M",))("odd.odd_columns")
    columns = module.MColumns
    values = {
        name: [float(at)] for at, name in enumerate(("read", "present", "present_", "_private"), 1)
    }
    read = columns.read(columns.build(1, {**values, "class": True, "columns.offsets": [9]}))
    attributes = [
        read.read_,
        read.present_,
        read.present__,
        read.field_private,
        read.columns_.offsets_,
    ]
    assert [column.values[0] for column in attributes] == [1, 2, 3, 4, 9]
    assert read.class_.values[0]
    assert columns.from_rows(read.to_rows()) == columns.build(
        1, {**values, "class": True, "columns.offsets": [9]}
    )
    assert columns_module(REFLECTION).__doc__


def test_maps_and_unknown_fields(tmp_path: Path):
    (tmp_path / "maps.proto").write_text(
        'syntax = "proto2"; package maps;\n'
        "message M { map<string, Inner> named = 1; map<sint32, bool> flags = 2;\n"
        "  message Inner { optional int32 x = 1; map<int32, bytes> deep = 2; } }\n"
    )
    request = Request(("protobuf",), "mapped", preserve_unknown=True)
    inputs = [str(tmp_path / "maps.proto")]
    write(compile_schema(inputs, ["python"], request, columns=Columns(("maps.M",))), tmp_path)
    sys.path.insert(0, str(tmp_path / "python"))
    columns = importlib.import_module("mapped.maps.maps_columns").MColumns
    maps = importlib.import_module("mapped.maps.maps")
    inner = [maps.M_Inner(x=x, deep={x: b"x", -x: b""}) for x in range(1, 4)]
    rows = [
        maps.M(named={"b": inner[0], "a": inner[1]}, flags={1: True, -1: False}),
        maps.M(),
        maps.M(named={"": maps.M_Inner(), "a": inner[2]}),
    ]
    for reduction in ("exact", "auto"):
        read = columns.read(columns.from_rows(rows, reduction))
        assert read.to_rows() == rows
        assert list(read.named.key) == ["a", "b", "", "a"]
        assert read.named.value.deep.offsets.tolist() == [0, 2, 4, 4, 6]
    rows[1] = maps.M.decode_protobuf(b"\x48\x01")
    with pytest.raises(ValueError, match="M has unknown fields, which columns cannot hold"):
        columns.from_rows(rows)
