# SPDX-License-Identifier: Apache-2.0
"""Options of a scenario's command, each declared with the setting that it sets."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, get_type_hints

from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.processes import PROCESSES

Check = Callable[[str, Any], None]
"""Function of an option's name and a value. Raises UserError."""
METAVARS = {int: "N", tuple[int, ...]: "N,N,…"}


@dataclass(frozen=True)
class Option:
    """Option of a setting.

    ``name``: that of the option, where it is not the setting's; ``metavar``: where it is not that
    of ``METAVARS``; ``known``: names of which the setting has some; ``parse``: makes numbers of the
    option's name and text; ``check``: checks a value, or each of several.
    """

    help: str
    name: str = ""
    metavar: str | None = None
    known: Collection[str] | None = None
    parse: Callable[[str, str], list[Any]] | None = None
    check: Check | None = None


def setting(default: Any, text: str, name: str = "", **details: Any) -> Any:
    """Return the default of a dataclass's field that an ``Option`` sets; ``text``: its help."""
    return field(default=default, metadata={"option": Option(text, name, **details)})


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
        return self.option.name or f"--{self.name}"


def settings_of(settings_type: type[ScenarioSettings]) -> list[OptionSetting]:
    """Return the fields that have an option, in their order."""
    types = get_type_hints(settings_type)
    return [
        OptionSetting(field.name, types[field.name], field.default, field.metadata["option"])
        for field in fields(settings_type)
        if "option" in field.metadata
    ]


@dataclass(frozen=True)
class ScenarioSettings:
    """Settings of a scenario: base of dataclasses whose fields are a ``setting``."""

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        for declared in settings_of(type(self)):
            value, check = getattr(self, declared.name), declared.option.check
            for item in value if isinstance(value, tuple) else (value,):
                if check is not None:
                    check(declared.label, item)


def samples(default: int, text: str) -> Any:
    """Return the setting of a number of samples, one at least."""
    return setting(default, text, check=limits.at_least_one)


def processes(default: int = PROCESSES) -> Any:
    """Return the setting of the number of processes."""
    return samples(default, "Fresh processes of each contender, one per round.")


def seed(text: str) -> Any:
    """Return the setting of a seed."""
    return setting(1, text, metavar="", check=lambda _, number: limits.seed(number))
