// SPDX-License-Identifier: Apache-2.0
// Figures as wide as the page, in a palette that the dark page allows; tables sorted by a click.
const BRIGHTER = { "#0072B2": "#4CA9E8", "#999933": "#C2C25A", "#8C8C8C": "#ABABAB", "#D55E00": "#F08C4A" };

const BESIDE = 90; // pixels of a panel's axis and of what is written beside it

const WIDEST_TITLE = 620; // pixels; what is longer is cut

const NARROW = 600; // pixels of a page that is a phone's

const HIGHEST = 300; // pixels of a figure that a phone shows below a sentence

const pen = document.createElement("canvas").getContext("2d");

function textWidth(text, font) {
  pen.font = `${font} system-ui, sans-serif`;
  return pen.measureText(text).width;
}

// A title in lines that fit; a long name, such as a function's, is broken anywhere.
function lines(text, room, font) {
  const found = [""];
  for (const word of text.split(" ")) {
    const longer = `${found.at(-1)} ${word}`.trim();
    if (found.at(-1) && textWidth(longer, font) > room) found.push(word);
    else found[found.length - 1] = longer;
    while (textWidth(found.at(-1), font) > room) {
      const line = found.pop();
      let length = line.length - 1;
      while (length > 1 && textWidth(line.slice(0, length), font) > room) length -= 1;
      found.push(line.slice(0, length), line.slice(length));
    }
  }
  return found;
}

// How many entries of a legend stand side by side.
function entries(channel, room) {
  const names = (channel.scale && channel.scale.domain) || [];
  const longest = Math.max(30, ...names.map((name) => textWidth(String(name), "12px")));
  return Math.max(1, Math.min(channel.legend.columns || 9, Math.floor(room / (longest + 40))));
}

// Titles and legends as wide as there is room.
function narrowed(part, room) {
  if (Array.isArray(part)) part.forEach((one) => narrowed(one, room));
  else if (part && typeof part === "object") {
    const inner = part.hconcat ? room / part.hconcat.length : room;
    for (const [name, value] of Object.entries(part))
      if (!["data", "datasets", "values"].includes(name)) narrowed(value, inner);
    if (part.legend && part.legend.orient === "bottom")
      part.legend.columns = entries(part, room);
    const isView = part.mark || part.layer || part.spec || part.hconcat || part.vconcat;
    const most = Math.min(room - 10, WIDEST_TITLE);
    if (typeof part.title === "string" && isView)
      part.title = lines(part.title, most, "bold 14px");
    else if (part.title && typeof part.title.text === "string")
      part.title.text = lines(part.title.text, most, `${part.title.fontSize || 14}px`);
  }
}

// Rows of panels, as many in a row as fit: the figures' library draws nothing of a "concat".
function inRows(specification, room) {
  const { concat, hconcat, columns, ...rest } = specification;
  const panels = concat || hconcat;
  if (!panels) return specification;
  const widest = Math.max(0, ...panels.map((panel) => panel.width).filter(Number.isFinite));
  const fitting = Math.max(1, Math.floor(room / (widest + BESIDE)));
  const count = Math.min(columns || panels.length, fitting);
  const rows = [];
  for (let first = 0; first < panels.length; first += count)
    rows.push({ hconcat: panels.slice(first, first + count), spacing: rest.spacing });
  return { ...rest, vconcat: count === 1 ? panels : rows };
}

// Whether a figure's height follows from what stands below each other in it.
function hasRows(view) {
  const own = view.encoding && view.encoding.y;
  const isRow = own && (own.type === "nominal" || own.axis === null);
  return isRow || (view.layer || []).some(hasRows);
}

// Panels below each other are as wide as the page; of those of one chart, as many as fit.
function fitted(specification, room) {
  const shown = inRows(specification, room);
  narrowed(shown, room);
  if (room < NARROW) {
    shown.config.legend.layout = { bottom: { direction: "vertical", anchor: "start" } };
    shown.config.axis.labelLimit = Math.min(240, 0.4 * room);
    if (typeof shown.width === "number") shown.width = Math.min(shown.width, 0.6 * room - 30);
    if (shown.height > HIGHEST && !hasRows(shown)) shown.height = HIGHEST;
    shown.config.text.limit = 0.3 * room;
  }
  for (const panel of shown.vconcat || [])
    if (typeof panel.width === "number") panel.width = Math.max(160, room - BESIDE);
  if (shown.spec && typeof shown.spec.width === "number") {
    const beside = room < NARROW ? 150 : 45;
    const most = Math.max(1, Math.floor(room / (shown.spec.width + beside)));
    shown.columns = Math.min(shown.columns || most, most);
  }
  return shown;
}

const TRIES = 3;

// A figure that is too wide has narrower panels, then fewer entries of a legend side by side.
function narrower(part, by, legends) {
  if (Array.isArray(part)) part.forEach((one) => narrower(one, by, legends));
  else if (part && typeof part === "object") {
    const each = part.hconcat ? by / part.hconcat.length : by;
    for (const [name, value] of Object.entries(part))
      if (!["data", "datasets", "values"].includes(name)) narrower(value, each, legends);
    if (typeof part.width === "number" && (part.mark || part.layer))
      part.width = Math.max(100, part.width - by);
    if (legends && part.legend && part.legend.columns > 1) part.legend.columns -= 1;
  }
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

// Labels beside the last marks and ticks end where the figure does.
function movedInside(place) {
  const end = place.getBoundingClientRect().right;
  for (const label of place.querySelectorAll(".role-mark text, .role-axis-label text")) {
    const beyond = label.getBoundingClientRect().right - end;
    if (beyond > 0) label.setAttribute("dx", -Math.ceil(beyond));
  }
}

// Panels of a facet have a width of their own, as many of them stand side by side.
function grows(specification) {
  return typeof specification.width === "number" || Boolean(specification.vconcat);
}

async function drawn(place, specification, tries = TRIES) {
  const room = place.clientWidth;
  await vegaEmbed(place, specification, { renderer: "svg", actions: false });
  const beyond = Number(place.querySelector("svg").getAttribute("width")) - room;
  const isWider = beyond < -10 && tries === TRIES && grows(specification);
  if ((beyond > 1 && tries) || isWider) {
    narrower(specification, Math.ceil(beyond), tries < TRIES);
    await drawn(place, specification, tries - 1);
  } else movedInside(place);
}

function drawAll() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  specifications.forEach((specification, index) => {
    let text = JSON.stringify({ ...specification, config: configuration });
    if (dark)
      for (const [usual, brighter] of Object.entries(BRIGHTER))
        text = text.replaceAll(new RegExp(usual, "gi"), brighter);
    const place = document.getElementById(`figure-${index}`);
    drawn(place, fitted(widened(JSON.parse(text)), place.clientWidth));
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
