# SPDX-License-Identifier: Apache-2.0
"""Result folders, probe logs and campaigns' stores as objects that a notebook shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import altair as alt
import polars as pl
from jinja2 import Environment
from markupsafe import Markup

from wirecost.results.analysis.probe_sections import executions
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.records.recorded_machine import prices_beside
from wirecost.results.records.result_folders import latest
from wirecost.results.report.campaign.content import campaign_answer
from wirecost.results.report.campaign.content import content as store_content
from wirecost.results.report.probe.answer import probe_answer
from wirecost.results.report.probe.judged import judged
from wirecost.results.report.results.answer import results_answer
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.figure import themed
from wirecost.results.report.shared.table import Table
from wirecost.results.store.store import Store
from wirecost.system.errors import UserError
from wirecost.system.extras import DRAWING, is_installed

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
        raise UserError(f"no table's title starts with {title!r}; there are {titles}")

    def _repr_html_(self) -> str:
        return markup(self.title, self.lead, self.tables, self.figures[:1])


def results(folder: str | Path | None = None) -> View:
    """Show a result folder; without a name the latest in ``results``. Raises UserError."""
    result_folder = read_results(Path(folder) if folder is not None else latest())
    return _view(results_answer(result_folder, summarize(result_folder)), result_folder.samples)


def probe(files: str | Path | Iterable[str | Path]) -> View:
    """Probe logs, folders of them, or LTTng traces. Raises UserError."""
    paths = [Path(file) for file in ([files] if isinstance(files, str | Path) else files)]
    logs = read_recorded(paths)
    prices = prices_beside(paths)
    judged_logs = judged(logs, prices.ns if prices else {}, None)
    return _view(probe_answer(logs, judged_logs), pl.concat(map(executions, event_tables(logs))))


def store(place: str) -> View:
    """Show a campaign's store, a folder or a URL of fsspec's. Raises UserError."""
    opened = Store(place)
    records = opened.records()
    if records.is_empty():
        raise UserError(f"{place}: no store, or an empty one; name one that a campaign has filled")
    content = store_content(records, opened.scan("samples"), opened.scan("rows"), None, None)
    return _view(campaign_answer(content, place, None), records)


def _view(answer: Answer, samples: pl.DataFrame) -> View:
    tables = [table for section in answer.sections if not section.is_apart
              for table in section.tables]  # fmt: skip
    charts = [figure.chart for figure in answer.figures(False)]
    return View(answer.heading, answer.sentence, tables, samples, charts)


def markup(
    title: str, lead: str, tables: Sequence[Table], figures: Sequence[alt.TopLevelMixin]
) -> str:
    """One element that needs neither scripts nor a network; drawn by the extra ``figures``."""
    drawn = [Markup(_svg(figure)) for figure in figures] if is_installed(DRAWING) else []
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE)
    return template.render(title=title, lead=lead, tables=tables, figures=drawn)


def _svg(figure: alt.TopLevelMixin) -> str:
    import vl_convert as vlc  # noqa: PLC0415 - of an extra

    svg: str = vlc.vegalite_to_svg(themed(figure, "currentColor"))
    return svg
