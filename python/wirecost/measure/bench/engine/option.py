# SPDX-License-Identifier: Apache-2.0
"""Options of a scenario's command, each declared beside the setting that it sets."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any, get_args, get_type_hints

from wirecost.measure.bench.engine import limits

Check = Callable[[str, Any], None]
"""Function of an option's name and a value. Raises UserError."""


@dataclass(frozen=True)
class Option:
    """Option of a setting: ``samples: Annotated[int, Option("Samples.", metavar="N")] = 30``.

    ``name``: that of the option, where it is not the setting's; ``known``: names of which the
    setting has some; ``parse``: makes numbers of the option's name and text; ``check``: checks a
    value, or each of several.
    """

    help: str
    name: str = ""
    metavar: str | None = None
    known: Collection[str] | None = None
    parse: Callable[[str, str], list[Any]] | None = None
    check: Check | None = None


def within(least: float, most: float) -> Check:
    """Return the check of a number between two limits."""
    return partial(limits.between, least=least, most=most)


def seed_option(text: str) -> Option:
    """Return the option of a seed, by its help."""
    return Option(text, check=lambda _, number: limits.seed(number))


Processes = Annotated[
    int,
    Option(
        "Fresh processes of each contender, one per round.",
        metavar="N",
        check=limits.at_least_one,
    ),
]


@dataclass(frozen=True)
class Setting:
    """Field of a scenario's settings that an option sets."""

    name: str
    type: Any
    default: Any
    option: Option

    @property
    def label(self) -> str:
        """Name of the option, as the user writes it."""
        return self.option.name or f"--{self.name}"


def settings_of(settings_type: type) -> list[Setting]:
    """Return the fields that have an option, in their order."""
    hints = get_type_hints(settings_type, include_extras=True)
    return [
        Setting(field.name, kind, field.default, option)
        for field in fields(settings_type)
        for kind, *options in [get_args(hints[field.name])]
        for option in options
        if isinstance(option, Option)
    ]


class ScenarioSettings:
    """Settings of a scenario: base of a dataclass with an ``Option`` beside each field."""

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        for setting in settings_of(type(self)):
            value = getattr(self, setting.name)
            for item in value if isinstance(value, tuple) else (value,):
                if setting.option.check is not None:
                    setting.option.check(setting.label, item)
