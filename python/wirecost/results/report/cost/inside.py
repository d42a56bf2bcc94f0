# SPDX-License-Identifier: Apache-2.0
"""Where a topic's bytes and time go: fields, numbers within its data, ways to pack them."""

from __future__ import annotations

from collections.abc import Iterator

from wirecost.results.records.cost import (
    FieldCost,
    InnerColumn,
    Packing,
    SystemCost,
    TopicInside,
    is_live,
)
from wirecost.results.report.cost.answer import ABOUT, rate_of_bytes, share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.foreign import shell_line

WASTE = "What its clouds carry in vain"


def inside_answer(cost: SystemCost) -> Answer:
    """Return the answer for one topic: what it costs, and what its data could be packed to."""
    assert cost.inside is not None
    topic = next(topic_cost for topic_cost in cost.topics if topic_cost.topic == cost.inside.topic)
    rate = rate_of_bytes(topic.bytes_per_s)
    text = f"{topic.topic}: {rate} and {ABOUT} {share(topic.share)} of a core"
    first = max(cost.inside.fields, key=lambda one: one.bytes, default=None)
    size = sum(field.bytes for field in cost.inside.fields)
    if first is not None and size:
        text += f"; {100 * first.bytes / size:.0f} % of its bytes are `{first.path}`"
    if cost.inside.packings:
        best = min(cost.inside.packings, key=lambda one: one.share)
        text += f". Smallest without loss: {best.what}, {100 * best.share:.0f} % of the bytes"
    tables = list(inside_tables(cost.inside))
    first_table = tables[1] if cost.inside.columns else tables[0]
    steps = [
        f"{packing.what}: {100 * packing.share:.0f} % of the bytes, "
        f"−{rate_of_bytes((1 - packing.share) * topic.bytes_per_s)}"
        for packing in sorted(cost.inside.packings, key=lambda packing: packing.share)
        if packing.share < 1
    ]
    if topic.type.endswith("/PointCloud2") and cost.files and not is_live(cost.files):
        files = shell_line(*cost.files)
        bench = f"wirecost bench codecs {files} --topic {shell_line(topic.topic)}"
        steps = [*steps[:2], f"Compare codecs of point clouds, with and without loss:\n{bench}"]
    waste = cost.inside.waste
    sections = [Section(tables), *([Section(title=WASTE, lines=waste)] if waste else [])]
    return Answer(f"{text}.", first_table, [*waste[:2], *steps][:3], sections=sections)


def inside_tables(inside: TopicInside) -> Iterator[Table]:
    """Yield tables of fields, of the numbers in the data, and of packings."""
    size = sum(field.bytes for field in inside.fields) or 1.0
    fields = [
        Column[FieldCost]("field", lambda one: one.path),
        Column[FieldCost]("bytes", lambda one: units.size(round(one.bytes))),
        Column[FieldCost]("share", lambda one: units.percent(one.bytes / size)),
        Column[FieldCost](f"{ABOUT} encode", lambda one: units.time(one.encode_ns)),
        Column[FieldCost](f"{ABOUT} decode", lambda one: units.time(one.decode_ns)),
    ]
    yield Table.of("Fields of a message", inside.fields, fields)
    if not inside.columns:
        return
    columns = [
        Column[InnerColumn]("in data", lambda one: one.name),
        Column[InnerColumn]("type", lambda one: one.type),
        Column[InnerColumn]("NaN", lambda one: units.percent(one.nan_share)),
        Column[InnerColumn]("zero", lambda one: units.percent(one.zero_share)),
        Column[InnerColumn]("step", lambda one: f"{one.resolution:g}" if one.resolution else "–"),
        Column[InnerColumn]("fixed bits", lambda one: str(one.constant_bits)),
        Column[InnerColumn]("bits needed", lambda one: str(one.bits)),
        Column[InnerColumn]("least", lambda one: f"{one.low:.4g}", optional=2),
        Column[InnerColumn]("most", lambda one: f"{one.high:.4g}", optional=1),
    ]
    notes = ["step: the coarsest decimal step that all are multiples of; fixed bits never change."]
    yield Table.of("Numbers in its data, in a sample", inside.columns, columns, notes)
    packings = [
        Column[Packing]("packed", lambda one: one.what),
        Column[Packing]("of the bytes", lambda one: units.percent(one.share)),
    ]
    yield Table.of("What packing leaves, without loss", inside.packings, packings)
