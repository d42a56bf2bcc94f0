# SPDX-License-Identifier: Apache-2.0
"""HTML of a view: escaped text, tables, and figures as SVG, so that a saved notebook shows them
everywhere."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import vl_convert as vlc
from jinja2 import Environment
from markupsafe import Markup

from wirecost.report.shared.figure import themed
from wirecost.report.shared.table import Table

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


def markup(
    title: str, lead: str, tables: Sequence[Table], figures: Sequence[alt.TopLevelMixin]
) -> str:
    """One element that needs neither scripts nor a network."""
    drawn = [Markup(vlc.vegalite_to_svg(themed(figure, "currentColor"))) for figure in figures]
    template = Environment(autoescape=True, trim_blocks=True).from_string(TEMPLATE)
    return template.render(title=title, lead=lead, tables=tables, figures=drawn)
