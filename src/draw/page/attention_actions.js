// --- lighting

function paint(side, valueOf) {
  [...element(side).children].forEach((token, index) => {
    const value = valueOf(index);
    const colour = value === null ? null : shadeOf(value);
    token.style.backgroundColor = colour ? css(colour) : "";
    token.style.color = colour ? textOn(colour) : "";
    token.lastElementChild.textContent = value === null || value < 0.0005 ? "" : percent(value);
  });
}

function mark(row, column) {
  const activate = (elements, index) =>
    [...elements].forEach((each, i) => each.classList.toggle("active", i === index));
  activate(element("source").children, column);
  activate(element("target").children, row);
  for (const table of tables.filter(one => one.tHead)) {
    activate([...table.tHead.rows[0].cells].slice(1), column);
    activate([...table.tBodies[0].rows].map(line => line.cells[0]), row);
  }
  markLinks(row, column);
}

// Isolates keep a right-to-left token from turning the sentence around.
const quote = text => "\u2068" + text + "\u2069";

// The three partners that count most, in words.
function strongest(side, index, each) {
  const other = side === "target" ? "source" : "target";
  const value = i => (side === "target" ? weight(each, index, i) : weight(each, i, index));
  const order = each[other].map((text, i) => [value(i), text]).sort((a, b) => b[0] - a[0]);
  const listed = order.slice(0, 3).filter(([w], i) => i === 0 || w >= 0.0005).map(([w, text]) => `${quote(text)} ${percent(w)}`);
  return quote(view[side][index]) + (side === "target" ? " looks at " : " is seen by ") +
    listed.join(" \u00b7 ");
}

function light(side, index, each = view) {
  if (side === "target") {
    mark(index, -1);
    paint("target", () => null);
    paint("source", column => weight(each, index, column));
  } else {
    mark(-1, index);
    paint("source", () => null);
    paint("target", row => weight(each, row, index));
  }
  element("status").textContent = strongest(side, index, each);
}

function lightCell(row, column, each) {
  light("target", row, each);
  mark(row, column);
  element("status").textContent =
    `${quote(view.target[row])} \u2192 ${quote(view.source[column])}: ` +
    onShow().map(one => weight(one, row, column).toFixed(4)).join(" \u00b7 ");
}

function clear() {
  mark(-1, -1);
  paint("source", () => null);
  paint("target", () => null);
  element("status").textContent = "Point at a token to see its partners.";
}

function unpin() {
  if (pinned) element(pinned.side).children[pinned.index].setAttribute("aria-pressed", "false");
  pinned = null;
}

function hold(side, index) {
  pinned = { side, index };
  element(side).children[index].setAttribute("aria-pressed", "true");
  light(side, index);
}

function pin(side, index) {
  const same = pinned && pinned.side === side && pinned.index === index;
  unpin();
  if (same) light(side, index); else hold(side, index);
}

// --- keys: one element of each group is in the tab order; the arrow keys move it

function rove(elements, index) {
  [...elements].forEach((each, i) => { each.tabIndex = i === index ? 0 : -1; });
}

// Moves the focus where a key leads within lines of elements; `turned`: lines that run from right to left.
function moveFocus(event, lines, turned = []) {
  const row = lines.findIndex(line => line.includes(event.target));
  if (row < 0 || event.altKey) return;
  const column = lines[row].indexOf(event.target), last = lines[row].length - 1;
  const all = event.ctrlKey || event.metaKey, by = turned[row] ? -1 : 1;
  const to = {
    ArrowLeft: [row, column - by], ArrowRight: [row, column + by],
    ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
    Home: [all ? 0 : row, 0], End: [all ? lines.length - 1 : row, last],
    PageUp: [row - 10, column], PageDown: [row + 10, column],
  }[event.key];
  if (!to) return;
  const within = (value, count) => Math.max(0, Math.min(value, count - 1));
  const line = lines[within(to[0], lines.length)];
  line[within(to[1], line.length)].focus();
  event.preventDefault();
}

// The two lines are two rows.
function moveToken(event, side, index) {
  if (event.key === "Enter" || event.key === " ") {
    pin(side, index);
    event.preventDefault();
    return;
  }
  const lines = ["source", "target"].map(element);
  moveFocus(event, lines.map(line => [...line.children]), lines.map(line => line.dir === "rtl"));
}

const tables = [element("matrix"), element("matrix-beside")];
const indicesOf = cell => [cell.parentElement.sectionRowIndex, cell.cellIndex - 1];
const viewOf = cell => (tables[1].contains(cell) ? beside : view);

function moveCell(event) {
  moveFocus(event, [...event.currentTarget.tBodies[0].rows].map(row => [...row.querySelectorAll("td")]));
}

function focusCell(event) {
  const cell = event.target.closest("td");
  if (!cell) return;
  const [row, column] = indicesOf(cell);
  event.currentTarget.querySelector('td[tabindex="0"]').tabIndex = -1;
  cell.tabIndex = 0;
  const value = weight(viewOf(cell), row, column).toFixed(4);
  cell.setAttribute("aria-label", `${view.target[row]} to ${view.source[column]}: ${value}`);
  if (cell.matches(":focus-visible")) unpin();
  if (!pinned) lightCell(row, column, viewOf(cell));
}

// The token that a name beside or above a matrix stands for.
const tokenOf = name => (name.closest("thead") ? ["source", name.cellIndex - 1] : ["target", indicesOf(name)[0]]);

function overCell(event) {
  const cell = event.target.closest("td, th:not(:empty)");
  if (!cell || pinned) return;
  if (cell.localName === "td") lightCell(...indicesOf(cell), viewOf(cell)); else light(...tokenOf(cell), viewOf(cell));
}

function clickName(event) {
  const name = event.target.closest("th:not(:empty)");
  if (name) pin(...tokenOf(name));
}

function moveHead(event) {
  const layers = new Map();  // one that was pruned has fewer heads
  for (const button of element("heads").querySelectorAll("button")) {
    const layer = button.dataset.which.split(" ")[0];
    layers.set(layer, [...layers.get(layer) ?? [], button]);
  }
  moveFocus(event, [...layers.values()]);
}

// --- begin

// Puts these sentences on show, in place of others. A page around this one may call it.
function show(list) {
  sentences = list;
  document.body.hidden = sentences.length === 0;
  fillChooser(element("sentence"), [...sentences.keys()], i => sentenceName(sentences[i]));
  for (const id of ["before", "after"]) element(id).hidden = sentences.length < 2;
  element("tour").hidden = !minimalPair();
  return sentences.length > 0 ? choose() : undefined;
}

element("sentence").addEventListener("change", choose);
Object.values(choosers).forEach(chooser => chooser.addEventListener("change", choose));
element("before").addEventListener("click", () => step(-1));
element("after").addEventListener("click", () => step(1));
for (const table of tables) {
  table.addEventListener("pointerover", overCell);
  table.addEventListener("click", clickName);
  table.addEventListener("focusin", focusCell);
  table.addEventListener("keydown", moveCell);
  table.addEventListener("pointerleave", () => pinned || clear());
}
element("heads").addEventListener("keydown", moveHead);
for (const id of ["source", "target"]) {
  element(id).addEventListener("pointerleave", () => pinned || clear());
}
// The matrix, the status and the temperature, as large as the window.
function lecture() {
  const on = document.body.classList.toggle("lecture");
  element("lecture").setAttribute("aria-pressed", String(on));
  if (view) draw();
}

element("lecture").addEventListener("click", lecture);
document.addEventListener("keydown", event => {
  if (!event.ctrlKey && !event.metaKey && event.target.localName !== "select")
    ({ l: lecture, t: nextStop })[event.key]?.();
  if (event.key !== "Escape" || !view) return;
  unpin();
  clear();
});
addEventListener("resize", () => {
  if (!view) return;
  const { height, width } = cellSize(view), cell = tables[0].querySelector("td");
  if (cell?.offsetHeight !== height || cell.offsetWidth !== width) draw();
});
dark.addEventListener("change", () => { mixShades(); if (view) redraw(); });
mixShades();
if (window.DecompressionStream) {
  show(JSON.parse(element("data").textContent));
} else {
  element("status").textContent = "This page needs a browser of 2023 or later.";
}
