# SPDX-License-Identifier: Apache-2.0
"""Result folders, probe logs and campaigns' stores as objects that a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import altair as alt
import polars as pl
import vl_convert as vlc
from jinja2 import Environment
from markupsafe import Markup

from wirecost.results.analysis.causes import explain
from wirecost.results.analysis.probe_sections import executions, summary
from wirecost.results.analysis.ros_names import places_of
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.measured import latest
from wirecost.results.records.reading import read_results
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.records.recorded_machine import prices_beside
from wirecost.results.report.campaign.content import content as store_content
from wirecost.results.report.probe.nodes import node_table
from wirecost.results.report.probe.page import probe_figures
from wirecost.results.report.probe.tables import counter_table, losses, time_table
from wirecost.results.report.scenarios import content_of, figures_of
from wirecost.results.report.shared.causes import cause_table
from wirecost.results.report.shared.figure import themed
from wirecost.results.report.shared.table import Table
from wirecost.results.store.store import Store
from wirecost.system.errors import UserError

TEMPLATE = """\
<div class="wirecost"><h3>{{ title }}</h3>
{% if lead %}<p>{{ lead }}</p>{% endif %}
{% for drawn in figures %}<div>{{ drawn }}</div>{% endfor %}
{% for table in tables %}
<table><caption style="text-align:left;font-weight:600">{{ table.title }}</caption>
<thead><tr>{% for name in table.headings %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>
{% for row in table.rows %}
<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}
</tbody></table>
<p><small>{{ table.notes | join(" · ") }}</small></p>
{% endfor %}
</div>
"""
"""HTML of a view, with figures as SVG, so that a saved notebook shows them everywhere."""


@dataclass(frozen=True)
class View:
    """Measurements as a notebook shows them: title, lead, tables and the first figure.

    ``samples``: one row a sample, execution or task; times in nanoseconds. ``tables`` have text
    cells as reports print them. ``figures``: Altair charts, which show themselves.
    """

    title: str
    lead: str
    tables: Sequence[Table]
    samples: pl.DataFrame
    figures: Sequence[alt.TopLevelMixin] = field(default=())

    def table(self, title: str) -> pl.DataFrame:
        """Return the table whose title begins so, as a frame of text. Raises UserError."""
        for candidate in self.tables:
            if candidate.title.startswith(title):
                return pl.DataFrame(candidate.rows, schema=candidate.headings, orient="row")
        titles = "; ".join(table.title for table in self.tables)
        raise UserError(f"no table begins with {title!r}; there are {titles}")

    def _repr_html_(self) -> str:
        return markup(self.title, self.lead, self.tables, self.figures[:1])


def results(folder: str | Path | None = None) -> View:
    """Show a result folder; without a name the latest in ``results``. Raises UserError."""
    result_folder = read_results(Path(folder) if folder is not None else latest())
    rows = summarize(result_folder)
    content = content_of(result_folder, rows)
    figures = [figure.chart for figure in figures_of(result_folder, rows)]
    return View(content.title, content.lead or "", content.tables, result_folder.samples, figures)


def probe(files: str | Path | Iterable[str | Path]) -> View:
    """Probe logs, folders of them, or LTTng traces. Raises UserError."""
    paths = [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]
    logs = read_recorded(paths)
    prices = prices_beside(paths)
    kinds = [executions(events) for events in event_tables(logs)]
    sections = [section for executed in kinds for section in summary(executed, None)]
    explained = [
        explanation for each in kinds for explanation in explain(each, prices.ns if prices else {})
    ]
    executed = pl.concat(kinds)
    places = places_of(section.section for section in sections)
    first = node_table(sections, places, losses(logs)) if places else time_table(sections, logs)
    tables = (first, counter_table(sections, logs), cause_table(explained))
    drawn = probe_figures(executed, logs, None)
    return View(
        f"Probes of {', '.join(dict.fromkeys(log.program or 'a program' for log in logs))}",
        "",
        [table for table in tables if table is not None],
        executed,
        [figure.chart for section in drawn for _, figure in section.figures],
    )


def store(place: str) -> View:
    """Show a campaign's store, a folder or a URL of fsspec's. Raises UserError."""
    opened = Store(place)
    records = opened.records()
    if records.is_empty():
        raise UserError(f"{place}: no store, or an empty one; name one that a campaign has filled")
    content = store_content(records, opened.scan("samples"), opened.scan("rows"), None, None)
    tables = [*content.machines, *([content.changes] if content.changes else [])]
    return View(f"Campaign {place}", content.lead, tables, records)


def markup(
    title: str, lead: str, tables: Sequence[Table], figures: Sequence[alt.TopLevelMixin]
) -> str:
    """One element that needs neither scripts nor a network."""
    drawn = [Markup(vlc.vegalite_to_svg(themed(figure, "currentColor"))) for figure in figures]
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE)
    return template.render(title=title, lead=lead, tables=tables, figures=drawn)
