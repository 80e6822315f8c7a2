
// --- the temperature that the scores are divided by

function redraw() {
  drawHeads();
  draw();
}

const EXACT = "Scores are divided by it.";
const INEXACT = "These weights are no softmax, nor made of softmaxes on this page: they are only sharpened or flattened.";
const USELESS = "Not available: this kind has no scores.";

// Says what the temperature does to what is on show.
function drawTemperature() {
  const those = onShow().filter(isAttention), slider = element("temperature");
  slider.disabled = those.length === 0;
  slider.title = slider.disabled ? USELESS : those.every(exactParts) ? EXACT : INEXACT;
  element("temperature-note").hidden = slider.title === EXACT || (temperature === 1 && !slider.disabled);
  element("temperature-note").textContent = slider.title;
  const missing = Math.max(...onShow().map(each => each.missing ?? 0));
  element("missing-note").hidden = missing === 0;
  element("missing-note").textContent = `The numbers of a row do not add up to the change of log p that they explain: ` +
    `up to ${percent(missing)} of their sum is missing.`;
}

element("temperature").addEventListener("input", event => {
  temperature = 2 ** Number(event.target.value);
  element("temperature-value").textContent = temperature.toFixed(2);
  event.target.setAttribute("aria-valuetext", temperature.toFixed(2));
  if (view) redraw();
});

// --- another head, or the same of another model, beside the first

const keyOf = each => `${each.model}/${each.kind}/${each.layer}/${each.head}`;

function chooseBeside() {
  const chooser = element("beside"), before = chooser.value;
  const others = sentence.views.filter(each => each !== view && each.source === view.source && each.target === view.target);
  chooser.replaceChildren(new Option("nothing", ""),
                          ...others.map(each => new Option(viewName(each), keyOf(each))));
  beside = others.find(each => keyOf(each) === before) ?? null;
  chooser.value = beside ? before : "";
  chooser.parentElement.hidden = others.length === 0;
}

element("beside").addEventListener("change", () => { chooseBeside(); draw(); });

// --- lines from each token that looks to those that it looks at

const LINE = 22, COLUMN = 150, GAP = 170;  // pixels
const LEAST = 0.02;                        // of the largest weight: fainter ones are not drawn

const CELL = 22, LABELS = 150;  // pixels
const labelOf = token => shortened(token, LABELS - 6);

// Two columns of tokens and the lines between them; `ink` is the colour of all.
function linksOf(each, ink) {
  const top = beside ? LINE : 0;  // for the name
  const height = top + LINE * Math.max(each.target.length, each.source.length) + 8;
  const picture = svg("svg", { width: 2 * COLUMN + GAP, height, role: "img",
                               "aria-label": `Lines of ${viewName(each)}` });
  const y = index => top + LINE * index + 18, largest = ceiling() / 10000;
  const write = (x, y, text, more) => svg("text", { x, y, "font-size": 14, fill: ink, ...more }, picture, text);
  if (beside) write(COLUMN + GAP / 2, 14, viewName(each), { "text-anchor": "middle" });
  each.target.forEach((token, row) => {
    write(COLUMN - 6, y(row), labelOf(token), { "text-anchor": "end", "data-row": row });
    each.source.forEach((_, column) => {
      const share = weight(each, row, column) / largest;
      if (share < LEAST) return;
      svg("line", { x1: COLUMN, y1: y(row) - 4, x2: COLUMN + GAP, y2: y(column) - 4, stroke: ink, "stroke-width": 2,
                    "stroke-opacity": share.toFixed(2), "data-row": row, "data-column": column }, picture);
    });
  });
  each.source.forEach((token, column) => write(COLUMN + GAP + 6, y(column), labelOf(token), { "data-column": column }));
  return picture;
}

function drawLinks() {
  const wanted = element("links-on").checked;
  element("links-section").hidden = !wanted;
  const ink = getComputedStyle(document.body).color;
  element("links").replaceChildren(...(wanted ? onShow() : []).map(each => linksOf(each, ink)));
}

// Only the lines of the lit token stay; -1 is no token.
function markLinks(row, column) {
  for (const line of element("links").querySelectorAll("line")) {
    const hit = (row < 0 || line.dataset.row === String(row)) &&
                (column < 0 || line.dataset.column === String(column));
    line.style.visibility = hit ? "" : "hidden";
  }
}

element("links-on").addEventListener("change", drawLinks);

// --- what is on show, to keep

const ofTemperature = each =>
  (temperature === 1 || !isAttention(each) ? "" : `, temperature ${temperature.toFixed(2)}`);

const captionOf = each => (hasHeads(each) ? `${kinds[each.kind].name}, ` : "") +
  (each.model ? `${each.model}, ` : "") + headName(each) + ofTemperature(each);

// The pixels that a matrix and its caption take; a letter may be 8.5 pixels wide.
const breadthOf = each =>
  Math.max(LABELS + CELL * each.source.length + 24, 8.5 * captionOf(each).length + 16);

// One matrix with its caption `left` pixels from the left, on paper that is white whatever the page's colours are.
function matrixGroup(each, left) {
  const group = svg("g", { fill: "#222222" }), largest = ceiling() / 10000, room = LABELS - 6;
  svg("text", { x: left + 8, y: 22, "font-size": 14 }, group, captionOf(each));
  drawSquares({ source: each.source, target: each.target, weight: (row, column) => weight(each, row, column),
                 colour: value => css(mixed(onLight, value / largest)), told: value => value.toFixed(4) },
               { left: left + LABELS, top: LABELS + 30, cell: CELL, size: 14, rooms: { above: room, beside: room },
                 square: { stroke: "#e4e4e4" } }, group);
  return group;
}

// The matrices on show and, where they are drawn, their lines.
function pictureText() {
  const views = onShow();
  const links = element("links-on").checked ? views.map(each => linksOf(each, "#222222")) : [];
  const step = Math.max(...views.map(breadthOf), links.length > 0 ? 2 * COLUMN + GAP : 0), width = step * views.length;
  const below = LABELS + 30 + CELL * view.target.length + 12;
  const height = below + Number(links[0]?.getAttribute("height") ?? 0);
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "font-family": "sans-serif" });
  svg("title", {}, picture, document.title);
  svg("rect", { width, height, fill: "#ffffff" }, picture);
  picture.append(...views.map((each, i) => matrixGroup(each, i * step)),
                 ...links.map((one, i) => filled(one, { x: i * step, y: below })));
  return `${new XMLSerializer().serializeToString(picture)}\n`;
}

// The columns of attention.csv and, since two kinds may be on show, the kind.
function tableText() {
  const quoted = text => `"${text.replace(/"/g, '""')}"`;
  const models = new Set(sentence.views.map(each => each.model)).size > 1;
  const lines = [`${models ? "model," : ""}sentence,kind,layer,head,target_position,target_token,` +
                 "source_position,source_token,weight"];
  for (const each of onShow()) {
    each.target.forEach((target, row) => each.source.forEach((source, column) => {
      lines.push([...(models ? [quoted(each.model)] : []), sentence.id, each.kind, each.layer,
                  each.head < 0 ? "mean" : each.head, row, quoted(target), column, quoted(source),
                  weight(each, row, column).toFixed(4)].join(","));
    }));
  }
  return lines.join("\n") + "\n";
}

function save(ending, type, text) {
  const name = [`sentence${sentence.id}`, view.kind, `layer${view.layer}`,
                view.head < 0 ? "mean" : `head${view.head}`].join("-") + ending;
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

element("save-svg").addEventListener("click", () => save(".svg", "image/svg+xml", pictureText()));
element("save-csv").addEventListener("click", () => save(".csv", "text/csv", tableText()));
