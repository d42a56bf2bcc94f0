# SPDX-License-Identifier: Apache-2.0
"""Any text of a schema: a comment stays a comment, a literal has the text's value."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import lexers
from support.compiled import ROOT
from support.hostile_schemas import PIECES
from wirecost.schema.compile.emit.escape import cpp, java, proto, python
from wirecost.schema.compile.emit.escape.characters import lines
from wirecost.schema.compile.schema import (
    Constant,
    Enum,
    EnumValue,
    Field,
    File,
    FreeText,
    Kind,
    Message,
)

EMIT = ROOT / "python" / "wirecost" / "schema" / "compile" / "emit"
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=8).map("".join),
    st.text(st.characters(), max_size=40),
).map(FreeText)
"""With surrogates: they stand for bytes of a name that are no UTF-8."""
BEHIND = "int x;\n"
SEEN = ["int", "x", ";"]


@given(TEXTS, st.sampled_from(["//", "    //"]), st.booleans())
def test_comments_of_cpp(text: FreeText, start: str, trigraphs: bool):
    for printed in (cpp.comment(text, start), f"{cpp.line_comment(text)}\n"):
        assert lexers.cpp(printed + BEHIND, trigraphs) == SEEN
        assert all(map(str.isprintable, printed.split("\n")))


@given(TEXTS)
def test_comments_of_java(text: FreeText):
    docs = (java.javadoc(text), java.javadoc(text, "Present.", "{@code x}"))
    for printed in (f"{java.line_comment(text)}\n", *docs):
        assert lexers.java(printed + BEHIND) == SEEN
        assert printed.isascii() and all(map(str.isprintable, printed.split("\n")))
    for printed in docs:
        assert "@" not in printed.replace("{@code x}", "")


@given(TEXTS)
def test_comments_of_proto(text: FreeText):
    for printed in ("\n".join([*proto.comment(text), ""]), f"{proto.line_comment(text)}\n"):
        assert lexers.proto(printed + BEHIND) == SEEN
        assert all(map(str.isprintable, printed.split("\n")))


@given(TEXTS)
def test_comments_of_python(text: FreeText):
    for printed in (python.comment(text), f"{python.line_comment(text)}\n"):
        # As the first line of a file, where a comment may name the encoding of it.
        assert ast.dump(ast.parse(f"{printed}x = 'ä'\n".encode())) == ast.dump(ast.parse("x = 'ä'"))
    printed = python.comment(text, "    #")
    bare, commented = "class A:\n    x = 1\n", f"class A:\n{printed}    x = 1\n"
    assert lexers.python(commented) == lexers.python(bare)


@given(TEXTS)
def test_docstrings_of_python_say_the_text(text: FreeText):
    tree = ast.parse(f"class A:\n    {python.docstring(text, '    ')}\n    x = 1\n".encode())
    (statement,) = tree.body
    assert isinstance(statement, ast.ClassDef) and len(statement.body) == 2
    said = ast.get_docstring(statement, clean=False) or ""
    stripped = "\n".join(line.strip() for line in said.splitlines()).rstrip()
    assert stripped == "\n".join(line.strip() for line in lines(text)).rstrip()


@given(TEXTS)
def test_literals_have_the_value(text: FreeText):
    data = text.encode("utf-8", "surrogatepass")
    for value in (text, data):
        tokens = lexers.cpp(f"auto s = {cpp.literal(value)};", trigraphs=True)
        assert tokens[-6:] == ["(", lexers.Literal(data), ",", str(len(data)), ")", ";"]
    assert lexers.java(f"s = {java.literal(text)};")[2:] == [
        lexers.Literal(text.encode("utf-16-be", "surrogatepass")),
        ";",
    ]
    for value in (text, data):
        printed = python.literal(value)
        assert ast.literal_eval(printed) == value
        assert printed.isprintable()


@pytest.mark.parametrize("size", [0, 1, 256, 257, 1000])
def test_bytes_of_java(size: int):
    value = bytes(i * 7 % 256 for i in range(size))
    printed = java.bytes_literal(value)
    if size <= 256:
        numbers = [int(n) for n in re.findall(r"-?\d+", printed)]
        assert bytes(n & 0xFF for n in numbers) == value
    else:
        (literal, *behind) = lexers.java(printed)
        assert isinstance(literal, lexers.Literal)
        assert literal.value.decode("utf-16-be").encode("latin-1") == value
        assert "".join(map(str, behind)).endswith("StandardCharsets.ISO_8859_1)")


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), -0.0, 5e-324, True])
def test_other_values_of_python(value: float):
    assert repr(eval(python.literal(value))) == repr(value)


@pytest.mark.parametrize("text", ["-" * 300_000, "a " * 300_000, "\\" * 300_000, "??/" * 100_000])
def test_long_texts_take_no_longer_each_character(text: str):
    """Quadratic time would be hours."""
    for print_ in (cpp.comment, java.javadoc, python.comment, python.docstring, proto.comment):
        assert len("".join(print_(text))) < 6 * len(text)


PRINTERS: dict[str, Callable[[FreeText], str]] = {
    "str": str,
    "f-string": lambda text: f"// {text}",
    "format": "// {}".format,
    "percent": lambda text: "// %s" % text,  # noqa: UP031 - it is what is tried
    "before": lambda text: text + "\n",
    "behind": lambda text: "// " + text,
    "template": lambda text: jinja2.Template("// {{ text }}").render(text=text),
    "tilde": lambda text: jinja2.Template("{{ '// ' ~ text }}").render(text=text),
}


@pytest.mark.parametrize("printer", PRINTERS)
def test_text_cannot_be_printed_as_it_is(printer: str):
    with pytest.raises(TypeError, match=r"emit\.escape"):
        PRINTERS[printer](FreeText("harmless"))


def test_all_texts_of_a_schema_are_such():
    item = Field("f", 1, Kind.STRING, default="d", comment="c")
    constant = Constant("C", Kind.STRING, "v", "c")
    message = Message("M", (item,), constants=(constant,), comment="c")
    enum = Enum("E", (EnumValue("V", 0, "c"),), comment="c")
    file = File("f.proto", "", (message,), (enum,), comment="c")
    for declaration in (item, constant, message, enum, enum.values[0], file):
        assert isinstance(declaration.comment, FreeText)
    assert isinstance(item.default, FreeText) and isinstance(constant.value, FreeText)
    assert Field("f", 1, Kind.BYTES, default=b"d").default == b"d"


@pytest.mark.parametrize(
    "path", sorted(EMIT.rglob("*.py")) + sorted(EMIT.rglob("*.j2")), ids=lambda p: str(p.name)
)
def test_only_the_escaping_functions_look_into_texts(path: object):
    """Methods of str make plain text of it: only ``emit.escape`` may call them."""
    assert hasattr(path, "read_text")
    if (EMIT / "escape") in getattr(path, "parents", ()):
        return
    text = path.read_text()
    assert not re.findall(r"(?:comment|default|constant\.value|c\.value)\.\w+\(", text)
    assert not re.findall(r"join\([^)]*(?:comment|default)\b", text)
    assert not re.findall(r"""(?:"/\*\*|"//|"#|'//|'#) ?\{""", text)
