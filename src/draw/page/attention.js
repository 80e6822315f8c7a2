let sentences = [];  // to choose from
const choosers = {
  model: element("model"), kind: element("kind"), layer: element("layer"), head: element("head"),
  unit: element("unit"),
};
const kinds = {
  cross: { name: "cross-attention" },
  encoder: { name: "encoder self-attention", source: "Source, looked at", target: "Source, looking" },
  decoder: { name: "decoder self-attention", source: "Target so far, looked at", target: "Target, looking" },
  rollout: { name: "attention rollout" },
  saliency: { name: "saliency (gradient x input)" },
  integrated: { name: "integrated gradients" },
  erasure: { name: "erasure" },
};
const names = {
  model: model => model,
  kind: kind => kinds[kind].name,
  layer: layer => String(layer),
  head: head => (head < 0 ? "mean" : String(head)),
  unit: unit => unit,
};
let sentence = null;  // on show
let view = null;      // its matrix on show
let beside = null;    // another one with the same tokens, or none
let pinned = null;    // {side, index} that a click keeps lit
let spoken = 0;       // the row that is lit where nobody points
let temperature = 1;

const onShow = () => (beside ? [view, beside] : [view]);

// --- colours: the paper for nothing, the strongest for the largest weight of the matrices on show

const ceiling = () => largestOf(onShow());

const onLight = JSON.parse('{{{ink}}}').map(rgb);
const onDark = ["#14181f", "#15406f", "#2f86cf", "#93cbf2", "#f4faff"].map(rgb);
let shades = [];  // 256 of them

function mixShades() {
  shades = Array.from({ length: 256 }, (_, i) => mixed(dark.matches ? onDark : onLight, i / 255));
}

const shadeOf = value => shade(value * 10000 / ceiling());
const shade = share => shades[Math.round(255 * Math.min(share, 1))];

// Black or white, whichever stands out more (WCAG's relative luminance: never below 4.5 to 1).
function textOn(colour) {
  const [r, g, b] = colour.map(value => (value / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000000" : "#ffffff";
}

function drawLegend() {
  const largest = (ceiling() / 10000).toFixed(2);
  const steps = [0, 64, 128, 191, 255].map(i => css(shades[i]));
  const scale = element("legend").querySelector(".scale");
  scale.style.background = `linear-gradient(to right, ${steps})`;
  element("largest").textContent = largest;
  element("legend").setAttribute("aria-label", `Colours from weight 0 to ${largest}`);
  element("rule").textContent = dark.matches ? "Brighter is more." : "Darker is more.";
}

// --- choosing

function fillChooser(chooser, values, name) {
  const before = chooser.value;
  chooser.replaceChildren(...values.map(value => new Option(name(value), String(value))));
  if (values.map(String).includes(before)) chooser.value = before;
  chooser.parentElement.hidden = values.length < 2;
}

// For choose(), which fills the choosers anew: this value may belong to another layer than the one on show.
function want(chooser, value) {
  chooser.append(new Option("", String(value)));
  chooser.value = String(value);
}

// Lines of tokens are kept once, so that equal ones are the same object.
const sameTokensAs = one => other =>
  one.kind === other.kind && one.source === other.source && one.target === other.target;

// Models and kinds of this sentence, layers of that kind, heads of that layer, its units; a choice stays where it can.
async function choose() {
  element("tour-note").hidden = true;
  const wanted = sentences[element("sentence").selectedIndex];
  await unpack(wanted);
  if (wanted !== sentences[element("sentence").selectedIndex]) return;
  const order = Object.keys(kinds);
  let views = wanted.views;
  const opening = sentence ? null : clearest(views);
  for (const key of Object.keys(choosers)) {
    const values = [...new Set(views.map(each => each[key]))];
    if (key === "kind") values.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    fillChooser(choosers[key], values, names[key]);
    if (opening) choosers[key].value = String(opening[key]);
    views = views.filter(each => String(each[key]) === choosers[key].value);
  }
  const sameTokens = sentence === wanted && sameTokensAs(view)(views[0]);
  const sameHeads = sameTokens && view.model === views[0].model;
  sentence = wanted;
  view = views[0];
  chooseBeside();
  if (!sameTokens) {
    pinned = null;
    spoken = clearestRow(view);
    drawTokenLines();
  }
  if (!sameHeads) drawHeads();
  draw();
}

// --- what the page opens with

const isEdge = token => /^\u2581?(<.*>|__.*__)$/.test(token);
const column = (each, at) => each.target.map((token, row) => (isEdge(token) ? 0 : each.weights[row * each.source.length + at]));
const largestOfRow = (each, row) =>
  Math.max(...each.source.map((token, at) => (isEdge(token) ? 0 : each.weights[row * each.source.length + at])));

// Where each source word is looked at by a word of its own, the largest weights of the columns add up to most. The mean of a
// layer's heads aligns better than any of them.
function clearest(views) {
  const kind = Object.keys(kinds).find(one => views.some(each => each.kind === one));
  const first = views.find(each => each.kind === kind);
  const reach = each =>
    each.source.reduce((sum, token, at) => sum + (isEdge(token) ? 0 : Math.max(0, ...column(each, at))), 0);
  const comparable = views.filter(each => sameTokensAs(first)(each) && each.model === first.model);
  const means = comparable.filter(each => each.head < 0);
  return (means.length > 0 ? means : comparable)
    .reduce((best, each) => (reach(each) > reach(best) ? each : best));
}

// The word of three letters or more that looks at another one most.
function clearestRow(each) {
  const shares = each.target.map((token, row) =>
    (isEdge(token) ? -1 : largestOfRow(each, row) * (/\p{L}{3}/u.test(token) ? 1 : 0.1)));
  return Math.max(0, shares.indexOf(Math.max(...shares)));
}

function step(by) {
  const chooser = element("sentence"), count = sentences.length;
  chooser.selectedIndex = (chooser.selectedIndex + by + count) % count;
  choose();
}

function sentenceName(one) {
  const shown = one.views.find(each => each.kind !== "decoder") ?? one.views[0];
  const line = typeof shown.source === "number" ? one.lines[shown.source] : shown.source;
  const pieces = line.filter(piece => piece !== "</s>" && !piece.startsWith("<s>"));
  const marked = pieces.some(piece => piece.includes("\u2581"));
  const text = pieces.join(marked ? "" : " ").replace(/\u2581/g, " ").trim();
  const letters = window.Intl && Intl.Segmenter
    ? Array.from(new Intl.Segmenter().segment(text), part => part.segment) : [...text];
  return `${one.id}: ${letters.slice(0, 60).join("")}${letters.length > 60 ? "\u2026" : ""}`;
}

const hasHeads = each => ["cross", "encoder", "decoder"].includes(each.kind);

const headName = each => !hasHeads(each) ? kinds[each.kind].name :
  `layer ${each.layer}, ${each.head < 0 ? "mean of heads" : `head ${each.head}`}`;

const viewName = each => (each.model ? `${each.model}, ` : "") +
  (hasHeads(each) && each.kind !== view.kind ? `${kinds[each.kind].name}, ` : "") + headName(each);

// --- drawing

// Long names may be cut short: then the tooltip has them whole.
const label = text =>
  make("span", { dir: "auto", textContent: text, title: text.length > 14 ? text : "" });

// The line runs the way the first letter of its words does: <s> and <2he> are none of them.
function direction(tokens) {
  const words = tokens.filter(token => !isEdge(token));
  const letter = /\p{L}/u.exec(words.join(""));
  return letter && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter[0]) ? "rtl" : "ltr";
}

function drawTokens(side) {
  const line = element(side), count = view[side].length;
  line.dir = direction(view[side]);
  line.replaceChildren(...view[side].map((text, index) => {
    const token = make("div", {
      className: "token", tabIndex: index === 0 ? 0 : -1, role: "button", "aria-pressed": "false",
      "aria-label": `${text}, ${side} ${index + 1} of ${count}`,
    }, label(text), make("small", {}));
    token.addEventListener("pointerenter", () => pinned || light(side, index));
    token.addEventListener("focus", () => {
      rove(line.children, index);
      if (token.matches(":focus-visible")) unpin();
      if (!pinned) light(side, index);
    });
    token.addEventListener("click", () => pin(side, index));
    token.addEventListener("keydown", event => moveToken(event, side, index));
    return token;
  }));
}

// --- matrices: cells as large as the window has room for

const CELLS = { smallest: 24, numbered: 30, largest: 96, alone: 150 };  // pixels

const fontOf = cell => Math.max(14, Math.min(0.4 * cell, 32));

// A page around this one makes the frame as high as what is in it: its own window has an end.
const windowHeight = () => (window.frameElement ? parent : window).innerHeight;

// {height, width} of a cell: it is as high as fits, and then wider if there is room.
function cellSize(each) {
  const panels = element("panels"), glance = element("glance").offsetWidth, all = panels.clientWidth;
  const left = glance > 0 && all - glance > 640 ? all - glance - 34 : all;
  const wide = left / onShow().length - 40, top = element("scroll").getBoundingClientRect().top + scrollY;
  const tall = Math.max(windowHeight() - top - 16, Math.min(0.75 * windowHeight(), 480));
  const room = (tokens, cell) => Math.min(Math.max(0, ...tokens.map(widthOf)) / 13, 12) * fontOf(cell) + 16;
  const fits = cell => room(each.source, cell) + (cell + 1) * each.target.length <= tall &&
                       room(each.target, cell) + (cell + 1) * each.source.length <= wide;
  let height = document.body.classList.contains("lecture") ? CELLS.alone : CELLS.largest;
  while (height > CELLS.smallest && !fits(height)) --height;
  const share = Math.floor((wide - room(each.target, height)) / each.source.length) - 1;
  return { height, width: Math.max(height, Math.min(share, Math.floor(1.8 * height))) };
}

function drawMatrix(table, each) {
  const { height, width } = cellSize(each), numbered = height >= CELLS.numbered;
  table.style = `--cell: ${height}px; --wide: ${width}px; font-size: ${fontOf(height)}px`;
  const head = make("thead", {}), body = make("tbody", {});
  const headCell = text => make("th", {}, label(text));
  head.insertRow().append(make("th", {}), ...each.source.map(headCell));
  each.target.forEach((text, row) => {
    const line = body.insertRow();
    line.append(headCell(text));
    each.source.forEach((_, column) => {
      const cell = line.insertCell(), value = weight(each, row, column), colour = shadeOf(value);
      cell.style.backgroundColor = css(colour);
      if (numbered && value >= 0.005) {
        cell.textContent = (100 * value).toFixed(0);
        cell.style.color = textOn(colour);
      }
      cell.tabIndex = row + column === 0 ? 0 : -1;
    });
  });
  table.replaceChildren(head, body);
  const scroll = table.parentElement, corner = head.rows[0].cells[0];
  scroll.style.scrollPadding = `${corner.offsetHeight + 2}px 0 0 ${corner.offsetWidth + 2}px`;
}

function drawMatrices() {
  element("beside-section").hidden = !beside;
  element("matrix-name").textContent = beside ? viewName(view)
    : "Matrix: each row looks at the columns. Darker cells have larger weights.";
  drawMatrix(element("matrix"), view);
  element("matrix-beside").replaceChildren();
  if (!beside) return;
  element("beside-name").textContent = viewName(beside);
  drawMatrix(element("matrix-beside"), beside);
}

// All layers and heads of what is on show.
const headsBeside = () => sentence.views.filter(each =>
  each.kind === view.kind && each.model === view.model && each.unit === view.unit);

function drawHeads() {
  const views = headsBeside();
  element("glance").hidden = views.length < 2;
  if (views.length < 2) return;
  const layers = [...new Set(views.map(each => each.layer))];
  const heads = [...new Set(views.map(each => each.head))];
  const largest = largestOf(views);
  const columns = view.source.length, rows = view.target.length;
  const size = Math.max(56, Math.min(110, 900 / heads.length));  // of a thumbnail, in pixels
  const scale = Math.min(8, size / Math.max(columns, rows));
  const nodes = [make("span", {}), ...heads.map(head =>
    make("span", { className: "name" }, head < 0 ? "mean" : `head ${head}`))];
  for (const layer of layers) {
    nodes.push(make("span", {}, `layer ${layer}`));
    for (const head of heads) {
      const each = views.find(one => one.layer === layer && one.head === head);
      nodes.push(each ? thumbnail(each, columns, rows, scale, largest) : make("span", {}));
    }
  }
  element("heads").style.gridTemplateColumns = `repeat(${heads.length + 1}, auto)`;
  element("heads").replaceChildren(...nodes);
}

function thumbnail(each, columns, rows, scale, largest) {
  const canvas = make("canvas", { width: columns, height: rows });
  canvas.style.width = `${columns * scale}px`;
  canvas.style.height = `${rows * scale}px`;
  if (rows * columns > 0) {  // a picture has no sides of length 0
    const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const colours = shades.map(([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
    weightsOf(each).forEach((value, i) => { pixels[i] = colours[Math.round(255 * value / largest)]; });
    context.putImageData(image, 0, 0);
  }
  const name = headName(each);
  const button = make("button", { type: "button", title: name, tabIndex: -1, "aria-label": name,
                                  "data-which": `${each.layer} ${each.head}` }, canvas);
  button.addEventListener("click", () => {
    want(choosers.layer, each.layer);
    want(choosers.head, each.head);
    choose();
  });
  return button;
}

function markHead() {
  for (const button of element("heads").querySelectorAll("button")) {
    const chosen = button.dataset.which === `${view.layer} ${view.head}`;
    button.setAttribute("aria-pressed", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }
}

function drawTokenLines() {
  element("source-name").textContent = kinds[view.kind].source ?? "Source";
  element("target-name").textContent = kinds[view.kind].target ?? "Target";
  drawTokens("source");
  drawTokens("target");
}

function draw() {
  drawLegend();
  drawTemperature();
  drawMatrices();
  drawLinks();
  markHead();
  clear();
  if (pinned) hold(pinned.side, pinned.index); else if (view.target.length > 0) light("target", spoken);
}
