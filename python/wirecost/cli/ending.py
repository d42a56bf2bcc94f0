# SPDX-License-Identifier: Apache-2.0
"""The end of every command that answers: printed, and written as JSON, page, Markdown, figure.

A command's function returns its ``Answer``; ``answering`` declares the options once.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wirecost.cli.console import say_notes
from wirecost.cli.options import option
from wirecost.cli.output_files import STANDARD_OUTPUT, check_writable, write_text
from wirecost.results.records.choices import HERE
from wirecost.results.report.choices import FIGURE_FORMATS
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import EndedError, UserError
from wirecost.system.extras import DRAWING, require

if TYPE_CHECKING:
    from wirecost.system.terminal import Console

PAGES, MARKDOWN = ("", ".html", ".htm"), ".md"
SUFFIXES = (".html", MARKDOWN, *(f".{form}" for form in FIGURE_FORMATS))
OUTPUT = "output"
"""Parameter of a command's function that wants to know where its answer goes."""
Every = Annotated[bool, option("Print every table, row and column.", "--all")]
ReportFile = Annotated[
    Path | None,
    option(
        "Also write the answer to an .html or .md file, or its figure to .svg, .png or .pdf.",
        "--report",
        metavar="FILE",
    ),
]
JsonFile = Annotated[
    Path | None,
    option("Also write the result as JSON; - writes to stdout.", "--json", metavar="FILE"),
]
MarkdownFile = Annotated[
    Path | None,
    option("Write a comment for a pull request; - writes to stdout.", "--markdown", metavar="FILE"),
]


@dataclass(frozen=True)
class Output:
    """Destinations of an answer."""

    json_file: Path | None = None
    report: Path | None = None
    show_all: bool = False
    markdown: Path | None = None
    others: Mapping[str, Path | None] = field(default_factory=dict)
    """Files that the command writes itself, by their options."""

    @property
    def files(self) -> dict[str, Path]:
        """The files by their options."""
        files = {"--json": self.json_file, "--report": self.report, "--markdown": self.markdown}
        files |= self.others
        return {name: path for name, path in files.items() if path is not None}

    @property
    def uses_stdout(self) -> bool:
        """Whether standard output is a file's, so that people read standard error."""
        return STANDARD_OUTPUT in self.files.values()

    @property
    def console(self) -> Console:
        from wirecost.system.terminal import Console

        return Console(stderr=self.uses_stdout)

    def check(self, new_folder: Path | None = None) -> None:
        """Raise UserError where a file could not be written, before any work.

        ``new_folder``: a folder that the work makes, in which they may be.
        """
        on_stdout = [name for name, path in self.files.items() if path == STANDARD_OUTPUT]
        if len(on_stdout) > 1:
            raise UserError(f"{' - and '.join(on_stdout)} -: name a file for one of them")
        report = self.report
        if report is not None and report.suffix.lower() not in (*PAGES, *SUFFIXES):
            raise UserError(f"--report {report}: name a file that ends in {', '.join(SUFFIXES)}")
        if report is not None and report.suffix.lower().lstrip(".") in FIGURE_FORMATS:
            require(DRAWING)
        for name, path in self.files.items():
            check_writable(name, path, new_folder)

    def end(self, answer: Answer) -> None:
        """Print the answer and write its files; the exit status is the answer's.

        Raises UserError, typer.Exit.
        """
        from wirecost.results.report.shared.screen import print_answer, print_whole

        say_notes(answer.warnings)
        (print_whole if self.show_all else print_answer)(self.console, answer)
        self.write(answer)
        if answer.failure:
            raise EndedError(answer.failure, answer.status)
        if answer.status:
            raise typer.Exit(answer.status)

    def write(self, answer: Answer) -> None:
        """Write the files. Raises UserError."""
        from wirecost.results.report.shared.terminal import say_whole

        for path in answer.written:
            say_whole(self.console, path)
        if self.report is not None:
            _write_report(answer, self.report)
            if self.report != STANDARD_OUTPUT:
                say_whole(self.console, str(self.report))
        if self.json_file is not None:
            from wirecost.results.records import json_document

            write_text("--json", self.json_file, json_document.text(answer.document) + "\n")
        if self.markdown is not None:
            from wirecost.results.report.shared import markdown

            write_text("--markdown", self.markdown, markdown.answer(answer, markdown.COMMENT))


def _write_report(answer: Answer, path: Path) -> None:
    """Write the page, or what else its suffix asks for. Raises UserError."""
    suffix = path.suffix.lower()
    if suffix == MARKDOWN:
        from wirecost.results.report.shared import markdown

        write_text("--report", path, markdown.answer(answer))
    elif suffix in PAGES or path == STANDARD_OUTPUT:
        from wirecost.results.report.shared.page import page

        write_text("--report", path, page(answer))
    else:
        from wirecost.results.report.shared.figure_files import draw_report

        figures = answer.figures(True)
        if not figures:
            raise UserError(f"--report {path}: nothing in it can be drawn; name a page, FILE.html")
        draw_report(figures[0], path)


def answering(
    *,
    report: bool = True,
    markdown: bool = False,
    ends: bool = True,
    others: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a command of a function that returns an answer: with its options, and its end.

    ``report``: False where ``--report`` is something else; ``markdown``: with ``--markdown``;
    ``ends``: False where the function ends its ``output`` itself, watching for signals meanwhile;
    ``others``: parameters of files that the command writes itself, by their options.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        declared = inspect.signature(function, eval_str=True).parameters
        own = [parameter for name, parameter in declared.items() if name != OUTPUT]
        added = {"show_all": (Every, False), "report": (ReportFile, None)}
        if not report:
            del added["report"]
        added["json_file"] = (JsonFile, None)
        if markdown:
            added["markdown"] = (MarkdownFile, None)

        @functools.wraps(function)
        def command(*arguments: Any, **options: Any) -> None:
            bound = signature.bind(*arguments, **options)
            bound.apply_defaults()
            values = bound.arguments
            files = {name: values[parameter] for name, parameter in others.items()}
            output = Output(**{name: values.pop(name) for name in added}, others=files)
            output.check(values["out"] or HERE if "out" in declared else None)
            if OUTPUT in declared:
                values[OUTPUT] = output
            answer = function(**values)
            if ends:
                output.end(answer)

        signature = inspect.Signature(
            [
                *own,
                *(
                    Parameter(name, Parameter.KEYWORD_ONLY, annotation=annotation, default=default)
                    for name, (annotation, default) in added.items()
                ),
            ]
        )
        del command.__wrapped__
        command.__annotations__ = {}
        command.__signature__ = signature  # type: ignore[attr-defined]
        return command

    return decorate
