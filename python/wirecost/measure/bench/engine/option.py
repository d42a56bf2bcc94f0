# SPDX-License-Identifier: Apache-2.0
"""Options of a scenario's command, each declared with the setting that it sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypeVar, get_type_hints

from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.processes import PROCESSES
from wirecost.system.chosen import check_choice

Check = Callable[[str, Any], None]
"""Function of an option's name and a value. Raises UserError."""
S = TypeVar("S", bound="ScenarioSettings")
METAVARS = {int: "N", tuple[int, ...]: "N,N,…"}


@dataclass(frozen=True)
class Option:
    """Option of a setting.

    ``name``: that of the option, or several, where it is not the setting's; ``metavar``: where it
    is not that of ``METAVARS``; ``known``: names of which the setting has some, or a function that
    finds them; ``parse``: makes the value, or a list of values, of the option's name and text, for
    which ``known`` is a help only; ``check``: checks a value, or each of several; ``shown``: the
    default as a user writes it; ``is_argument``: it has no name, and its place says what it is;
    ``takes``: for a path of a recording, what a line names that refuses one; empty where each
    format is read.
    """

    help: str
    name: str = ""
    metavar: str | None = None
    known: Iterable[str] | Callable[[], Iterable[str]] | None = None
    parse: Callable[[str, str], Any] | None = None
    check: Check | None = None
    shown: str = ""
    is_argument: bool = False
    takes: str | None = None

    @property
    def choices(self) -> Iterable[str] | None:
        """Names of which the setting has some; None if it may have others."""
        if self.parse is not None:
            return None
        return self.known() if callable(self.known) else self.known


def setting(default: Any, text: str, name: str = "", **details: Any) -> Any:
    """Return the default of a dataclass's field that an ``Option`` sets; ``text``: its help."""
    return field(default=default, metadata={"option": Option(text, name, **details)})


def argument(metavar: str, text: str, **details: Any) -> Any:
    """Return the empty default of a field whose value is named by place: one path, or several."""
    default = () if metavar.endswith("…") else None
    return setting(default, text, metavar=metavar, is_argument=True, **details)


def nested(settings_type: type[ScenarioSettings]) -> Any:
    """Return the default of a field with further settings, whose options the command has, too."""
    return field(default=settings_type())


def words(_: str, text: str) -> list[str]:
    """Return the words of a text with commas, each once."""
    return list(dict.fromkeys(text.split(",")))


def within(least: float, most: float) -> Check:
    """Return the check of a number between two limits."""
    return partial(limits.between, least=least, most=most)


@dataclass(frozen=True)
class OptionSetting:
    """Field of a scenario's settings that an option sets."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def label(self) -> str:
        """Name of the option, as the user writes it."""
        return (self.option.name.split() or [""])[-1] or f"--{self.name.replace('_', '-')}"


def settings_of(settings_type: type[ScenarioSettings]) -> list[OptionSetting]:
    """Return the fields that have an option, in their order, those of nested settings as well."""
    types = get_type_hints(settings_type)
    declared = []
    for field_ in fields(settings_type):
        kind = types[field_.name]
        if "option" in field_.metadata:
            option = field_.metadata["option"]
            declared.append(OptionSetting(field_.name, kind, field_.default, option))
        elif _is_nested(kind):
            declared += settings_of(kind)
    return declared


def settings_with(settings_type: type[S], values: Mapping[str, Any]) -> S:
    """Return settings with the values of their options, by the fields' names."""
    types = get_type_hints(settings_type)
    values_of = {
        name: settings_with(kind, values) if _is_nested(kind) else values[name]
        for name, kind in types.items()
        if _is_nested(kind) or name in values
    }
    return settings_type(**values_of)


def _is_nested(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, ScenarioSettings)


@dataclass(frozen=True)
class ScenarioSettings:
    """Settings of a scenario: base of dataclasses whose fields are a ``setting``."""

    def check(self) -> None:
        """Check all options; what several of them must fit is added by a scenario's own ``check``.

        Raises UserError on what cannot be run.
        """
        types = get_type_hints(type(self))
        for field_ in fields(self):
            value, option = getattr(self, field_.name), field_.metadata.get("option")
            if isinstance(value, ScenarioSettings):
                value.check()
            elif option is not None:
                label = OptionSetting(field_.name, types[field_.name], None, option).label
                for item in value if isinstance(value, tuple) else (value,):
                    if item is not None and option.check is not None:
                        option.check(label, item)
                    if item and (choices := option.choices) is not None:
                        check_choice(label, item, choices)


def samples(default: int, text: str) -> Any:
    """Return the setting of a number of samples, one at least."""
    return setting(default, text, check=limits.at_least_one)


def processes(default: int = PROCESSES) -> Any:
    """Return the setting of the number of processes."""
    return samples(default, "Fresh processes of each contender, one per round.")


def seed(text: str) -> Any:
    """Return the setting of a seed."""
    return setting(1, text, metavar="", check=lambda _, number: limits.seed(number))
