// Figures as wide as the page, in a palette that the dark page allows; tables sorted by a click.
const BRIGHTER = { "#0072B2": "#4CA9E8", "#999933": "#C2C25A", "#8C8C8C": "#ABABAB", "#D55E00": "#F08C4A" };

function widened(specification) {
  const parts = ["facet", "repeat", "concat", "hconcat", "vconcat"];
  const encoding = specification.encoding || {};
  const faceted = ["row", "column", "facet"].some((name) => name in encoding);
  const single = !parts.some((name) => name in specification) && !faceted;
  // With a height by rows, Vega-Lite cannot fit the width alone.
  const sized = typeof specification.width === "number" && typeof specification.height === "number";
  if (single && sized) {
    specification.width = "container";
    specification.autosize = { type: "fit-x", contains: "padding" };
  }
  return specification;
}

function drawAll() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  specifications.forEach((specification, index) => {
    let text = JSON.stringify(specification);
    if (dark)
      for (const [usual, brighter] of Object.entries(BRIGHTER))
        text = text.replaceAll(new RegExp(usual, "gi"), brighter);
    vegaEmbed(`#figure-${index}`, widened(JSON.parse(text)), { renderer: "svg", actions: false });
  });
}

const UNITS = { Hz: 1, kHz: 1e3, MHz: 1e6, ns: 1, "µs": 1e3, us: 1e3, ms: 1e6, s: 1e9, min: 6e10,
                B: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1048576, GiB: 1073741824 };

function amount(text) {
  if (text.trim() === "as fast") return 1;
  const found = /^([+\-−±]?)([\d,]+(?:\.\d+)?(?:e[+-]?\d+)?)\s*([a-zA-Zµ]+|×|%)?/.exec(text.trim());
  if (!found) return null;
  const sign = found[1] === "-" || found[1] === "−" ? -1 : 1;
  const value = sign * parseFloat(found[2].replaceAll(",", "")) * (UNITS[found[3]] || 1);
  return / faster/.test(text) ? 1 / value : value;
}

function sortBy(table, column, heading) {
  const down = heading.getAttribute("aria-sort") === "ascending";
  const body = table.tBodies[0];
  const keyed = [...body.rows].map((row) => {
    const text = row.cells[column] ? row.cells[column].textContent : "";
    return { row, text, value: amount(text) };
  });
  const numeric = keyed.some((one) => one.value !== null);
  keyed.sort((a, b) => {
    if (!numeric) return a.text.localeCompare(b.text) * (down ? -1 : 1);
    if (a.value === null || b.value === null) return (a.value === null) - (b.value === null);
    return (a.value - b.value) * (down ? -1 : 1);
  });
  keyed.forEach((one) => body.append(one.row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", down ? "descending" : "ascending");
}

for (const table of document.querySelectorAll("table"))
  [...(table.tHead ? table.tHead.rows[0].cells : [])].forEach((heading, column) => {
    if (!heading.textContent.trim()) return;
    const button = document.createElement("button");
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => sortBy(table, column, heading));
  });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
drawAll();
