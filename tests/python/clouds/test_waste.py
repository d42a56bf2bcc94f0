# SPDX-License-Identifier: Apache-2.0
"""What clouds carry in vain becomes advice, and nothing else does."""

from __future__ import annotations

import re

import numpy as np
import pytest

from wirecost.data.clouds.scan import Points
from wirecost.data.clouds.waste import CloudWaste

FIELDS = [
    ("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("intensity", "<f4"), ("ring", "<u2"),
    ("label", "<i2"), ("noise", "<u4"), ("t", "<f8"),
]  # fmt: skip


def cloud(count: int = 1000) -> Points:
    random = np.random.default_rng(1)
    points = np.zeros(count, FIELDS)
    for name in "xyz":
        points[name] = random.normal(size=count)
    points["intensity"] = random.integers(0, 256, count)
    points["ring"] = random.integers(0, 1 << 16, count)
    points["label"] = random.integers(-100, 100, count)
    points["noise"] = random.integers(0, 1 << 32, count)
    points["t"] = random.normal(size=count)
    return points


def advice(*clouds: Points) -> list[str]:
    waste = CloudWaste()
    for points in clouds:
        waste.add(points)
    return list(waste.advice())


def test_unused_bits_are_advice() -> None:
    numbers = [re.findall(r"field (\w+) .* (\d+) of .* (\d+) bits.* (u?int8).* (\d+) %", text)
               for text in advice(cloud())]  # fmt: skip
    assert numbers == [
        [("intensity", "8", "32", "uint8", "9")],
        [("label", "8", "16", "int8", "3")],
    ]


def test_dropped_points_come_first_and_do_not_hide_unused_bits() -> None:
    points = cloud()
    points["x"][:120] = points["intensity"][:120] = np.nan
    first, second, *_ = advice(points)
    assert first.startswith("12 %") and "NaN" in first
    assert second.startswith("field intensity") and " 8 of " in second
    assert "rows" not in first
    assert "rows" in advice(points.reshape(10, 100))[0]


def test_a_field_is_constant_if_it_is_in_all_clouds() -> None:
    same, other = cloud(), cloud()
    same["noise"], other["noise"] = 7, 7
    assert any("noise is constant" in text for text in advice(same, other))
    same["t"] = other["t"] = 0
    assert any(text.startswith("fields ") and "noise" in text for text in advice(same, other))
    other["noise"][-1] = other["t"][-1] = 8
    assert not any("constant" in text for text in advice(same, other))
    assert any("noise uses 4" in text for text in advice(same, other))


@pytest.mark.parametrize(("least", "most", "kind"), [
    (0, 255, "uint8"), (0, 256, "uint16"), (-128, 127, "int8"), (-129, 0, "int16"),
    (0, (1 << 32) - 1, None),
])  # fmt: skip
def test_the_type_has_room_for_the_range(least: int, most: int, kind: str | None) -> None:
    points = cloud()
    points["t"] = 0.5 * np.arange(1000)
    points["noise"] = np.random.default_rng(1).integers(0, 1 << 32, 1000)
    points["intensity"] = np.linspace(0.1, 0.9, 1000)
    wide = np.zeros(1000, [*FIELDS, ("value", "<f8" if kind is None else "<i4")])
    for name in points.dtype.names or ():
        wide[name] = points[name]
    wide["value"][:2] = least, most
    advised = [text for text in advice(wide) if "field value" in text]
    assert [text.partition("store it as ")[2].partition(";")[0] for text in advised] == [
        kind or "uint32"
    ]


def test_few_points_and_other_fields_are_no_ground_for_advice() -> None:
    assert advice(cloud(1)) == advice(cloud(0)) == []
    other = np.zeros(5000, [("x", "<f4"), ("w", "<f4")])
    assert advice(cloud(), other) == advice(cloud())
