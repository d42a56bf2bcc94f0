# SPDX-License-Identifier: Apache-2.0
"""Generated text of a schema whose texts try to be code means the same as a harmless schema's."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from support import hostile_schemas, lexers
from support.hostile_schemas import descriptor_set, file_stem, harmless, hostile, ros_package
from support.programs import JAVA, JAVAC
from wirecost.schema.compile.compiler import Columns, compile_schema, write
from wirecost.schema.compile.emit import Request, Texts
from wirecost.schema.compile.frontends import descriptor_set as reader
from wirecost.schema.compile.frontends.descriptor_defaults import default_value
from wirecost.schema.compile.schema import Kind

SEEDS = range(6)
EVERYTHING = Request(
    ("protobuf", "ros1", "cdr"),
    preserve_unknown=True,
    protobuf_api=True,
    api_namespace="facade",
    native=True,
    maven=True,
    json=True,
)
LANGUAGES = ("cpp", "python", "java")


def generated(path: Path, columns: Sequence[str] = ()) -> Texts:
    return compile_schema([str(path)], LANGUAGES, EVERYTHING, columns=Columns(tuple(columns)))


def described(folder: Path, package: str, stem: str, texts: hostile_schemas.Texts) -> Path:
    path = folder / f"{package}.fds"
    path.write_bytes(descriptor_set(package, stem, texts).SerializeToString())
    return path


def meaning(path: str, text: str) -> object:
    """Return the text without comments, texts and their lengths."""
    if path.endswith((".py", ".pyi")):
        return lexers.python(text, path)
    suffix = path.rpartition(".")[2]
    if suffix in ("hpp", "cpp", "h", "cc", "java", "proto"):
        language = suffix if suffix in ("java", "proto") else "cpp"
        tokens = lexers.without_values(getattr(lexers, language)(text))
        if language == "cpp":
            assert tokens == lexers.without_values(lexers.cpp(text, trigraphs=True))
        joined = " ".join(tokens)
        joined = re.sub(r'"" , \d+ \)', '"" )', joined)
        return re.sub(r"new byte \[ \] \{[-\d ,]+\}", "bytes", joined)
    return text


def assert_same_meaning(evil: Texts, good: Texts) -> None:
    assert list(evil) == list(good)
    for path in evil:
        assert meaning(str(path), evil[path]) == meaning(str(path), good[path]), path
        if path.suffix in (".py", ".pyi"):
            compile(evil[path].encode(), str(path), "exec")


@pytest.mark.parametrize("seed", SEEDS)
def test_descriptor_sets(seed: int, tmp_path: Path):
    stem, plain = file_stem(seed)
    evil = described(tmp_path, "evil", stem, hostile(seed))
    (tmp_path / "good").mkdir()
    good = described(tmp_path / "good", "evil", plain, harmless)
    columns = ["evil.Main"]
    assert_same_meaning(generated(evil, columns), generated(good, columns))


@pytest.mark.parametrize("seed", SEEDS)
def test_ros_messages(seed: int, tmp_path: Path):
    evil = ros_package(tmp_path / "evil", "some_msgs", hostile(seed))
    good = ros_package(tmp_path / "good", "some_msgs", harmless)
    columns = ["some_msgs.Hostile"]
    assert_same_meaning(generated(evil, columns), generated(good, columns))


def test_the_comparison_sees_what_differs(tmp_path: Path):
    path = described(tmp_path, "evil", "name", harmless)
    texts = generated(path)
    for suffix, more in ((".hpp", "int x;"), (".py", "x = 1"), (".java", "class X {}")):
        changed = {p: f"{t}\n{more}\n" if p.suffix == suffix else t for p, t in texts.items()}
        with pytest.raises(AssertionError):
            assert_same_meaning(changed, texts)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compile some hostile schemas in all languages, each in its package."""
    folder = tmp_path_factory.mktemp("hostile")
    for seed in SEEDS[:4]:
        path = described(folder, f"evil{seed}", file_stem(seed)[0], hostile(seed))
        write(generated(path, [f"evil{seed}.Main"]), folder / "out")
    return folder / "out"


def test_defaults_keep_their_value_in_cpp(out: Path, tmp_path: Path):
    if shutil.which("g++") is None:
        pytest.skip("no g++: apt install g++")
    root = out / "cpp"
    ours = [p for p in sorted(root.rglob("*.hpp")) if "wirecost" not in p.parts]
    api = sorted(root.rglob("*.pb.cc"))
    lines = [f'#include "{p.relative_to(root)}"' for p in (*ours, *api)]
    for seed in SEEDS[:4]:
        for name, kind in (("text", Kind.STRING), ("data", Kind.BYTES)):
            value = default_value(declared(seed, name), kind)
            data = value.encode() if isinstance(value, str) else value
            assert isinstance(data, bytes)
            units = "".join(f'\\x{byte:02x}" "' for byte in data)
            expected = f'std::string_view("{units}", {len(data)})'
            lines.append(f"static_assert(wire::evil{seed}::Main::{name}_default == {expected});")
    source = tmp_path / "all.cpp"
    source.write_text("\n".join(lines) + "\n")
    assert len(api) >= 4
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]
    command += ["-Wcomment", "-Wbidi-chars=any", "-Wtrigraphs", f"-I{root}"]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_defaults_keep_their_value_in_java(out: Path, tmp_path: Path):
    if shutil.which("javac") is None:
        pytest.skip("no javac: apt install openjdk-17-jdk-headless")
    checks = []
    for seed in SEEDS[:4]:
        text = declared(seed, "text").encode("utf-16-be").hex()
        checks.append(
            f'same("{text}", wire.evil{seed}.Main.TEXT_DEFAULT.getBytes('
            "java.nio.charset.StandardCharsets.UTF_16BE));"
        )
        data = default_value(declared(seed, "data"), Kind.BYTES)
        assert isinstance(data, bytes)
        checks.append(f'same("{data.hex()}", constant(wire.evil{seed}.Main.class));')
    program = f"""public class Check {{
    static void same(String hex, byte[] value) {{
        if (!java.util.HexFormat.of().formatHex(value).equals(hex)) throw new AssertionError(hex);
    }}
    static byte[] constant(Class<?> main) throws Exception {{
        java.lang.reflect.Field field = main.getDeclaredField("DATA_DEFAULT");
        field.setAccessible(true);
        return (byte[]) field.get(null);
    }}
    public static void main(String[] words) throws Exception {{
        {" ".join(checks)}
        System.out.println("same");
    }}
}}
"""
    main = tmp_path / "Check.java"
    main.write_text(program)
    sources = [str(p) for p in sorted((out / "java").rglob("*.java"))]
    # In an ASCII locale too: javac reads sources as that says.
    command = [*JAVAC, "-encoding", "US-ASCII", "-Xlint:all"]
    command += ["-Werror", "-d", str(tmp_path / "classes"), str(main), *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    run = [*JAVA, str(tmp_path / "classes"), "Check"]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "same\n"), done.stderr


def declared(seed: int, name: str) -> str:
    """Return a default as the descriptor set holds it."""
    descriptors = descriptor_set("evil", file_stem(seed)[0], hostile(seed))
    (value,) = [
        f.default_value for f in descriptors.file[1].message_type[0].field if f.name == name
    ]
    return value


def test_values_of_descriptors():
    assert reader.load is not None
    assert default_value(r"\001\n\"\\\xff\q", Kind.BYTES) == b'\x01\n"\\\xffq'
    assert default_value("1e300", Kind.FLOAT32) == float("inf")
    assert str(default_value("-1e-300", Kind.FLOAT32)) == "-0.0"
    assert default_value("0.1", Kind.FLOAT32) == 0.1
    for text, kind in (("2147483648", Kind.INT32), ("-1", Kind.UINT64), ("1" * 9999, Kind.INT64)):
        with pytest.raises(ValueError, match=text[:10]):
            default_value(text, kind)
