// Figures as wide as the page, in a palette that the dark page allows; tables sorted by a click.
const BRIGHTER = { "#0072B2": "#4CA9E8", "#999933": "#C2C25A", "#8C8C8C": "#ABABAB", "#D55E00": "#F08C4A" };

const BESIDE = 90; // pixels of a panel's axis and of what is written beside it

const LETTER = 8.2; // pixels of a title's letter

function lines(text, room) {
  const found = [""];
  for (const word of text.split(" ")) {
    const longer = `${found.at(-1)} ${word}`.trim();
    if (found.at(-1) && longer.length * LETTER > room) found.push(word);
    else found[found.length - 1] = longer;
  }
  return found;
}

// How many entries of a legend stand side by side.
function entries(channel, room) {
  const names = (channel.scale && channel.scale.domain) || [];
  const longest = Math.max(12, ...names.map((name) => String(name).length));
  return Math.max(1, Math.min(channel.legend.columns || 9, Math.floor(room / (7 * longest + 34))));
}

// Titles, legends and names beside an axis on a narrow page.
function narrowed(part, room) {
  if (Array.isArray(part)) part.forEach((one) => narrowed(one, room));
  else if (part && typeof part === "object") {
    for (const [name, value] of Object.entries(part))
      if (!["data", "datasets", "values"].includes(name)) narrowed(value, room);
    if (part.legend && part.legend.orient === "bottom")
      part.legend.columns = entries(part, room);
    if (typeof part.title === "string" && (part.mark || part.layer || part.spec || part.concat ||
        part.vconcat))
      part.title = lines(part.title, room);
    else if (part.title && typeof part.title.text === "string")
      part.title.text = lines(part.title.text, room);
  }
}

// Panels below each other are as wide as the page; of those side by side, as many as fit.
function fitted(specification, room) {
  if (room < 600) {
    narrowed(specification, room);
    specification.config.axis.labelLimit = Math.min(240, 0.4 * room);
    if (typeof specification.width === "number")
      specification.width = Math.min(specification.width, 0.6 * room - 30);
  }
  for (const panel of specification.vconcat || [])
    if (typeof panel.width === "number") panel.width = Math.max(160, room - BESIDE);
  if (specification.hconcat) {
    specification.concat = specification.hconcat;
    specification.columns = specification.concat.length;
    delete specification.hconcat;
  }
  const panels = specification.concat || (specification.spec ? [specification.spec] : []);
  const widths = panels.map((panel) => panel.width).filter((width) => typeof width === "number");
  if (widths.length) {
    const beside = room < 600 ? 150 : 45;
    const most = Math.max(1, Math.floor(room / (Math.max(...widths) + beside)));
    specification.columns = Math.min(specification.columns || most, most);
  }
  return specification;
}

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
    let text = JSON.stringify({ ...specification, config: configuration });
    if (dark)
      for (const [usual, brighter] of Object.entries(BRIGHTER))
        text = text.replaceAll(new RegExp(usual, "gi"), brighter);
    const place = document.getElementById(`figure-${index}`);
    const shown = fitted(widened(JSON.parse(text)), place.clientWidth);
    vegaEmbed(place, shown, { renderer: "svg", actions: false });
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
