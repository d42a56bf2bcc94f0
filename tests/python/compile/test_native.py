# SPDX-License-Identifier: Apache-2.0
"""The native classes do what the pure ones do, and no Python code can break them."""

from __future__ import annotations

import copy
import gc
import math
import pickle
import sys
import sysconfig
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support.compiled import filled, google_class, holder_of, module_of, random_message
from support.native import folder, native_class, native_error, native_module
from support.programs import execute
from support.vectors import vectors

EVERY_TYPE = ("conformance.proto2.EveryType", "conformance.proto3.EveryType")
MESSAGES = (*EVERY_TYPE, "rsb.protocol.Notification")
WIRES = ("protobuf", "ros1", "cdr")
NOTIFICATION, CHAIN = "rsb.protocol.Notification", "conformance.Chain"


def outcome(cls: Any, wire: str, data: bytes) -> str:
    """Return the decoded message, as dataclasses show it, or that there is none."""
    try:
        return repr(getattr(cls, f"decode_{wire}")(data))
    except ValueError as error:
        assert type(error).__name__ == "WireError"
        assert 0 <= error.position <= len(data)  # type: ignore[attr-defined]
        return "refused"


def same_outcome(native: Any, pure: Any, wire: str, data: bytes) -> bool:
    """Both decode the same or nothing."""
    return outcome(native, wire, data) == outcome(pure, wire, data)


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("wire", WIRES)
def test_random_messages_are_the_pure_ones(name: str, wire: str):
    package = name.rpartition(".")[0]
    for seed in range(30):
        reference = random_message(name, seed)
        pure, native = (
            filled(reference, module_of(package)),
            filled(reference, native_module(package)),
        )
        assert repr(native) == repr(pure)
        data = getattr(pure, f"encode_{wire}")()
        assert getattr(native, f"encode_{wire}")() == data
        assert getattr(native, f"encoded_size_{wire}")() == len(data)
        assert outcome(type(native), wire, data) == outcome(type(pure), wire, data) != "refused"


def test_golden_vectors():
    for name, wire, before, after in vectors("vectors"):
        message = getattr(native_class(name), f"decode_{wire}")(bytes.fromhex(before))
        assert getattr(message, f"encode_{wire}")().hex() == after, (name, wire, before)


def test_what_is_no_message_is_refused():
    for name, wire, content, *_ in vectors("refused"):
        data = bytes.fromhex(content)
        assert same_outcome(native_class(name), holder_of(name), wire, data), content
    for name, wire, content, *_ in vectors("refused"):
        if wire == "cdr":
            continue
        with pytest.raises(native_error(name)) as it:
            getattr(native_class(name), f"decode_{wire}")(bytes.fromhex(content))
        assert it.value.position is not None  # type: ignore[attr-defined]
        assert it.value.reason in str(it.value)  # type: ignore[attr-defined]


PURE_ALONE = {f"encode_{wire}_{form}" for wire in ("ros1", "cdr") for form in ("parts", "into")}


@pytest.mark.parametrize("name", [*MESSAGES, CHAIN])
def test_classes_have_the_same_names(name: str):
    package = name.rpartition(".")[0]
    pure_module, native = module_of(package), native_module(package)
    compared = 0
    for attribute, pure in vars(pure_module).items():
        if attribute.startswith("_") or not isinstance(pure, type):
            continue
        counterpart = getattr(native, attribute)
        own = {n for n in vars(pure) if not n.startswith("__") or n == "__match_args__"}
        if package == "conformance":
            own.add("unknown_fields")
        missing = {n for n in own - PURE_ALONE if not hasattr(counterpart, n)}
        assert not missing, (attribute, missing)
        if hasattr(pure, "__match_args__"):
            fields = tuple(n for n in pure.__match_args__)
            assert tuple(n for n in counterpart.__match_args__ if n in fields) == fields
            # What messages lack has defaults; these are compared as they are shown.
            is_known = package != "conformance"
            assert not is_known or repr(counterpart()) == repr(pure())
            assert counterpart.__doc__ == pure.__doc__
            assert counterpart.__module__ == native.__name__
        compared += 1
    assert compared


def test_declared_defaults_and_nested_names():
    cls = native_class(EVERY_TYPE[0])
    assert cls.WITH_DEFAULT_NUMBER_DEFAULT == -7
    assert cls.Nested.SECOND == 4
    assert cls.Inner(id=3) == native_module("conformance.proto2").EveryType_Inner(3)
    assert cls().a_required_inner is not cls().a_required_inner
    assert cls().inners is not cls().inners


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("wire", WIRES)
def test_beginnings_of_messages_have_the_same_outcome(name: str, wire: str):
    for seed in range(3):
        pure = filled(random_message(name, seed), module_of(name.rpartition(".")[0]))
        data = getattr(pure, f"encode_{wire}")()
        refused = 0
        for end in range(min(len(data), 400)):
            assert same_outcome(native_class(name), type(pure), wire, data[:end]), end
            refused += outcome(type(pure), wire, data[:end]) == "refused"
        assert refused > 0


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(MESSAGES), st.sampled_from(WIRES), st.binary(max_size=300))
def test_any_bytes_have_the_same_outcome(name: str, wire: str, data: bytes):
    assert same_outcome(native_class(name), holder_of(name), wire, data)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from(MESSAGES), st.sampled_from(WIRES), st.integers(0, 9), st.data())
def test_damaged_bytes_have_the_same_outcome(name: str, wire: str, seed: int, draw: Any):
    pure = filled(random_message(name, seed, 1), module_of(name.rpartition(".")[0]))
    data = bytearray(getattr(pure, f"encode_{wire}")())
    for _ in range(draw.draw(st.integers(1, 3))):
        at = draw.draw(st.integers(0, len(data)))
        data[at : at + draw.draw(st.integers(0, 3))] = draw.draw(st.binary(max_size=4))
    assert same_outcome(native_class(name), type(pure), wire, bytes(data))


ANYTHING = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 65), 1 << 65)
    | st.floats()
    | st.text(max_size=3)
    | st.binary(max_size=3)
)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(EVERY_TYPE), st.sampled_from(WIRES), st.data(), ANYTHING)
def test_any_value_has_the_same_outcome(name: str, wire: str, draw: Any, value: Any):
    pure = filled(random_message(name, 3, 1), module_of(name.rpartition(".")[0]))
    native = filled(random_message(name, 3, 1), native_module(name.rpartition(".")[0]))
    field = draw.draw(st.sampled_from(pure.__match_args__))
    if not isinstance(getattr(pure, field), (list, dict)):
        results = []
        for message in (pure, native):
            setattr(message, field, value)
            results.append(_encoded(message, wire))
        assert _agree(*results), (field, value, results)


def _encoded(message: Any, wire: str) -> bytes | None:
    try:
        data: bytes = getattr(message, f"encode_{wire}")()
    except ValueError as error:
        assert type(error).__name__ == "WireError"
        assert error.position is None  # type: ignore[attr-defined]
        return None
    return data


def _agree(pure: bytes | None, native: bytes | None) -> bool:
    """Return whether both agree; native classes look at types more often and may refuse."""
    return native in (pure, None)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"an_int32": 1 << 31}, "an_int32: 2147483648 is out of range"),
        ({"an_int64": 1 << 90}, "out of range"),
        ({"a_uint64": -1}, "out of range"),
        ({"a_string": 5}, "a_string: 'int' is not a str"),
        ({"a_string": "\ud800"}, "surrogates"),
        ({"a_bytes": "x"}, "a_bytes: 'str' is not bytes"),
        ({"a_double": "x"}, "a_double: 'str' is not a float"),
        ({"a_float": 1e39}, "out of range"),
        ({"an_inner": 5}, "an_inner: 'int' is not .*EveryType_Inner"),
        ({"int32s": ["x"]}, "int32s: 'str' is not an int"),
        ({"inners": [None]}, "inners: 'NoneType' is not"),
        ({"by_int32": []}, "by_int32: 'list' is not a dict"),
        ({"chosen_number": 1, "chosen_string": "x"}, "more than one member of the oneof choice"),
    ],
)
@pytest.mark.parametrize("wire", WIRES)
def test_values_that_cannot_be_encoded(values: dict[str, Any], complaint: str, wire: str):
    message = native_class(EVERY_TYPE[1])(**values)
    with pytest.raises(native_error(EVERY_TYPE[1]), match=complaint) as it:
        getattr(message, f"encode_{wire}")()
    assert str(it.value).startswith("EveryType cannot")
    assert it.value.position is None  # type: ignore[attr-defined]
    assert it.value.__cause__ is not None


class Whole(int):
    """An int by another name."""


STEPS = (0, 1, 255, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 62, 1 << 63)
WHOLE_NUMBERS = (*STEPS, *(-number for number in STEPS), 1 << 64, True, Whole(3))
MOST_FLOAT = 3.4028234663852886e38
REALS = (
    *(0.0, -0.0, 0.1, 5e-324, math.inf, -math.inf, math.nan, 3, 1 << 53, Whole(4)),
    *(MOST_FLOAT, -MOST_FLOAT, 3.402823567797336e38),
)
TOO_LARGE = (3.4028235677973366e38, -1e39, 1e308)
TEXTS = ("", "plain", "\x7f", "ö", "\0", "𝄞", "x" * 5000)


@pytest.mark.parametrize("wire", WIRES)
def test_plain_values_are_taken_as_all_others_are(wire: str):
    pure, native = (of(EVERY_TYPE[1]) for of in (holder_of, native_class))

    def encoded(cls: Any, field: str, value: Any) -> bytes | None:
        try:
            data: bytes = getattr(cls(**{field: value}), f"encode_{wire}")()
        except ValueError:
            return None
        return data

    kinds = ("int32", "int64", "uint32", "uint64", "sint32", "fixed64", "sfixed32")
    whole = (*(f"{kind}s" for kind in kinds), "colors")
    names: dict[str, tuple[Any, ...]] = dict.fromkeys(whole, WHOLE_NUMBERS)
    names |= {"doubles": REALS, "floats": REALS, "strings": TEXTS}
    singles: dict[str, tuple[Any, ...]] = {
        "an_int32": WHOLE_NUMBERS,
        "a_uint64": WHOLE_NUMBERS,
        "a_color": WHOLE_NUMBERS,
    }
    singles |= {"a_float": REALS + TOO_LARGE, "a_double": REALS + TOO_LARGE, "a_string": TEXTS}
    lists = {name: [[value, value] for value in values] for name, values in names.items()}
    for field, values in (*lists.items(), *singles.items()):
        for value in values:
            assert encoded(native, field, value) == encoded(pure, field, value), (field, value)


def test_wrong_arguments_are_refused():
    cls = native_class(NOTIFICATION)
    for call in (
        lambda: cls(nothing=1),
        lambda: cls(None, event_id=None),
        lambda: cls(*range(8)),
        cls.decode_ros1,
        lambda: cls.decode_ros1(b"", b""),
        lambda: cls.decode_ros1(bytes=b""),
        lambda: type("Derived", (cls,), {}),
        lambda: hash(cls()),
    ):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(native_error(NOTIFICATION), match="str is not bytes"):
        cls.decode_ros1("text")
    with pytest.raises(AttributeError):
        cls().nothing = 1
    keywords = {"".join(["sco", "pe"]): b"x"}  # a name that is not interned
    assert cls(**keywords).scope == b"x"


def test_any_buffer_is_decoded_and_let_go():
    cls = native_class(NOTIFICATION)
    data = cls(scope=b"scope", data=bytes(100)).encode_ros1()
    changing = bytearray(data)
    scattered = memoryview(bytes(b for byte in data for b in (byte, 0)))[::2]
    for buffer in (changing, memoryview(changing), scattered):
        message = cls.decode_ros1(buffer)
        assert message == cls.decode_ros1(data=data)
    changing.extend(b"more")  # fails while anybody looks at it
    changing[:] = bytes(len(changing))
    assert message.scope == b"scope"


def test_parts_outlive_the_whole():
    module = native_module("rsb.protocol")
    for _ in range(20):
        message = module.Notification.decode_ros1(
            module.Notification(
                meta_data=module.EventMetaData(
                    user_infos=[module.EventMetaData.UserInfo(b"a" * 99)]
                )
            ).encode_ros1()
        )
        part, element = message.event_id, message.meta_data.user_infos[0]
        infos = message.meta_data.user_infos
        infos.extend(module.EventMetaData.UserInfo(b"b" * 99) for _ in range(1000))
        message.event_id = module.EventId(b"other")
        message.meta_data = None
        del message
        gc.collect()
        part.sender_id += b"x"
        assert (part.sender_id, element.key, infos[-1].key) == (b"x", b"a" * 99, b"b" * 99)


def test_lists_and_parts_are_shared_as_python_shares_them():
    module = native_module("rsb.protocol")
    cause = module.EventId(b"a", 1)
    message = module.Notification(causes=[cause])
    cause.sequence_number = 2
    message.causes.append(module.EventId(b"b", 3))
    decoded = module.Notification.decode_protobuf(message.encode_protobuf())
    assert [c.sequence_number for c in decoded.causes] == [2, 3]


def test_cycles_are_collected():
    cls = native_class(CHAIN)

    class Witness:
        gone = 0

        def __del__(self) -> None:
            Witness.gone += 1

    chain = cls()
    chain.next = chain
    chain.unknown_fields = Witness()  # any object can be held, if not encoded
    assert repr(chain).startswith("Chain(next=...")
    with pytest.raises(native_error(CHAIN), match="without end"):
        chain.encode_protobuf()
    del chain
    gc.collect()
    assert Witness.gone == 1


def test_long_chains_end_well():
    cls = native_class(CHAIN)
    chain = cls()
    for _ in range(200_000):
        chain = cls(next=chain)
    with pytest.raises(native_error(CHAIN), match="without end"):
        chain.encode_protobuf()
    with pytest.raises(RecursionError):
        repr(chain)
    del chain
    short = cls(next=cls(next=cls()))
    assert cls.decode_protobuf(short.encode_protobuf()) == short


class Meddler:
    """A number that changes what is being encoded when it is asked for its value."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        self._meddle = meddle

    def __index__(self) -> int:
        self._meddle()
        gc.collect()
        return 7

    def __float__(self) -> float:
        return float(self.__index__())


@pytest.mark.parametrize("wire", WIRES)
def test_code_that_runs_while_encoding_does_no_harm(wire: str):
    cls = native_class(EVERY_TYPE[1])

    def empty(message: Any) -> None:
        message.int32s.clear()
        message.inners.clear()
        message.by_string.clear()
        for name in ("int32s", "inners", "an_inner", "by_string", "a_string"):
            if hasattr(message, name):
                delattr(message, name)

    def within(message: Any) -> None:
        other = cls(a_string="another", inners=[cls.Inner(1, "x", [])])
        assert cls.decode_ros1(other.encode_ros1()) == other or other.encode_ros1()
        assert message.a_string == "string"

    for meddle in (empty, within):
        for field in ("an_int32", "int32s", "a_double", "an_inner"):
            message = cls(
                a_string="string",
                inners=[cls.Inner(1, "one", [cls.Inner(2)]) for _ in range(5)],
                by_string={"key": cls.Inner(3, "y" * 50)},
                int32s=list(range(9)),
            )
            meddler = Meddler(lambda message=message, meddle=meddle: meddle(message))
            if field == "int32s":
                message.int32s = [1, meddler, *range(50)]
            elif field == "an_inner":
                message.an_inner = cls.Inner(meddler)
            else:
                setattr(message, field, meddler)
            data = _encoded(message, wire)
            if meddle is within:
                assert data is not None
                assert getattr(cls, f"decode_{wire}")(data).a_string == "string"


def test_deleted_attributes_are_missed():
    message = native_class(NOTIFICATION)()
    del message.scope
    for use in (message.encode_ros1, message.encoded_size_protobuf):
        with pytest.raises(native_error(NOTIFICATION), match="scope: it was deleted"):
            use()
    with pytest.raises(AttributeError, match="scope"):
        repr(message)
    with pytest.raises(AttributeError, match="scope"):
        _ = message.scope
    assert native_class(NOTIFICATION).__new__(native_class(NOTIFICATION), scope=b"x").scope == b"x"


def test_messages_are_copied_and_pickled():
    for name in MESSAGES:
        message = filled(random_message(name, 5), native_module(name.rpartition(".")[0]))
        for duplicate in (
            pickle.loads(pickle.dumps(message)),
            copy.copy(message),
            copy.deepcopy(message),
        ):
            assert duplicate == message
            assert duplicate is not message
    chain = native_class(CHAIN)()
    chain.next = chain
    copied = copy.deepcopy(chain)
    assert copied.next is copied is not chain


def test_unknown_fields_are_kept_on_request():
    cls = native_class(CHAIN)
    unknown = bytes.fromhex("c03e01ca3e0161")
    message = cls.decode_protobuf(unknown + cls(next=cls()).encode_protobuf())
    assert message.unknown_fields == unknown
    assert message.encode_protobuf().endswith(unknown)
    assert cls.decode_protobuf(b"").unknown_fields == b""


def test_large_messages():
    module = native_module("rsb.protocol")
    for size in (0, 1, 1900, 2047, 2048, 2049, 70_000, 3_000_000):
        message = module.Notification(data=bytes(size), causes=[module.EventId(b"c", 1)] * 3)
        for wire in WIRES:
            data = getattr(message, f"encode_{wire}")()
            assert len(data) == getattr(message, f"encoded_size_{wire}")() > size
            decoded = getattr(module.Notification, f"decode_{wire}")(data)
            assert (decoded.data, decoded.causes) == (message.data, message.causes)


def test_nothing_leaks():
    name = EVERY_TYPE[1]
    cls = native_class(name)
    good = google_class(name)()
    good.CopyFrom(random_message(name, 7))
    data = good.SerializeToString()
    error = native_error(name)

    def work() -> None:
        message = cls.decode_protobuf(data)
        message.encode_ros1()
        cls(message.a_double, a_string="x")
        message.a_string = 5
        for bad in (message.encode_cdr, lambda: cls.decode_protobuf(data + b"\x0a")):
            with pytest.raises(error):
                bad()

    def growth(times: int) -> int:
        gc.collect()
        before = sys.getallocatedblocks()
        for _ in range(times):
            work()
        gc.collect()
        return sys.getallocatedblocks() - before

    growth(50)
    assert growth(500) < 100


def test_threads_share_the_classes():
    cls = native_class(NOTIFICATION)
    wrong: list[int] = []

    def work(seed: int) -> None:
        message = cls(scope=bytes([seed]) * 50, data=bytes(seed))
        for _ in range(2000):
            if cls.decode_protobuf(message.encode_protobuf()) != message:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_stubs_say_what_the_pure_classes_say(tmp_path: Path):
    """The type checker finds the same faults in code that uses either."""
    code = """
from {root}.rsb.protocol.notification import EventId, Notification
from {root} import WireError
message = Notification(event_id=EventId(b"", 1), scope=b"x")
if message.meta_data is not None:
    reveal_type(message.meta_data.user_infos)
reveal_type(message.method)
reveal_type(Notification.decode_ros1(b"").encode_cdr())
Notification(scope="text")
Notification(nothing=1)
message.causes = None
"""
    outputs = []
    for root in ("every", "every_native"):
        (tmp_path / "user.py").write_text(code.format(root=root))
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "user.py"]
        done = execute(command, cwd=tmp_path, env={"MYPYPATH": str(folder())})
        outputs.append(done.stdout.replace("every_native", "every"))
    assert outputs[0] == outputs[1]
    assert outputs[0].count("error:") == 3


def test_a_schema_without_a_package_compiles(tmp_path: Path) -> None:
    schema = tmp_path / "state.proto"
    schema.write_text('syntax = "proto3"; message State { double x = 1; repeated State of = 2; }')
    out = tmp_path / "out"
    command = [sys.executable, "-m", "wirecost", "compile", schema, "--native", "--out", out]
    execute([*map(str, command), "--lang", "cpp,python", "--wire", "protobuf"], check=True)
    place = out / "python" / "wire_native" / "native"
    nanobind = execute([sys.executable, "-m", "nanobind", "--include_dir"], check=True).stdout
    folders = [nanobind.strip(), sysconfig.get_paths()["include"], place, out / "cpp"]
    flags = ["-std=c++20", "-fsyntax-only", *(f"-I{folder}" for folder in folders)]
    for source in sorted(place.glob("*.cpp")):
        execute(["g++", *flags, str(source)], check=True)
