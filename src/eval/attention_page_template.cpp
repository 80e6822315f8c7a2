// The page of `heed attention --html`: markup, style and script.
#include "eval/attention_page.h"

namespace heed::eval {

const char* const kAttentionPage = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>@title@</title>
<style>
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ink: #1d2430; --quiet: #667085; --line: #d5dae3; --field: #f5f7fa;
  --light: 33, 113, 181;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181f; --ink: #e8ebf0; --quiet: #9aa4b5; --line: #343c4a; --field: #1d232d;
    --light: 96, 176, 255;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 1.2rem; max-width: 76rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Noto Sans", "DejaVu Sans", sans-serif;
}
h1 { font-size: 1.3rem; margin: 0 0 .8rem; }
h2 { font-size: .85rem; margin: 1.2rem 0 .3rem; color: var(--quiet); font-weight: 600; }
.choosers { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; }
.choosers label { display: grid; font-size: .8rem; color: var(--quiet); }
select, button.step {
  font: inherit; color: inherit; background: var(--field); border: 1px solid var(--line);
  border-radius: 6px; padding: .25rem .5rem; max-width: 80vw;
}
[hidden] { display: none !important; }
.tokens { display: flex; flex-wrap: wrap; gap: .25rem; }
.token {
  display: grid; justify-items: center; border: 1px solid var(--line); border-radius: 6px;
  padding: .1rem .4rem; cursor: default; user-select: none; white-space: pre;
}
.token small { font-size: .65rem; line-height: 1; min-height: 1em; color: var(--quiet); }
.token.lit small { color: inherit; }
.token.active { outline: 2px solid rgb(var(--light)); outline-offset: 1px; }
.token:focus-visible, select:focus-visible, button:focus-visible {
  outline: 3px solid rgb(var(--light)); outline-offset: 1px;
}
.status { min-height: 1.5em; margin: .7rem 0 0; color: var(--quiet); }
.scroll { overflow: auto; max-height: 85vh; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 1px; font-size: .75rem; }
th { font-weight: 400; background: var(--paper); white-space: pre; }
thead th { position: sticky; top: 0; vertical-align: bottom; z-index: 1; padding: .3rem 0; }
thead th span {
  writing-mode: vertical-rl; text-orientation: sideways; transform: rotate(180deg);
  max-height: 11rem; overflow: hidden;
}
tbody th { position: sticky; left: 0; text-align: end; padding: 0 .4rem; }
thead th:first-child { left: 0; z-index: 2; }
th.active { font-weight: 700; color: rgb(var(--light)); }
td { width: 1.4rem; min-width: 1.4rem; height: 1.4rem; padding: 0; border: 1px solid var(--line); }
td.active { border-color: var(--ink); }
footer { margin-top: 1.2rem; font-size: .8rem; color: var(--quiet); }
</style>
</head>
<body>
<h1>@title@</h1>
<div class="choosers">
  <label id="sentence-chooser">Sentence<select id="sentence"></select></label>
  <button class="step" id="before" type="button" aria-label="Sentence before">&#8592;</button>
  <button class="step" id="after" type="button" aria-label="Next sentence">&#8594;</button>
  <label>Kind<select id="kind"></select></label>
  <label>Layer<select id="layer"></select></label>
  <label>Head<select id="head"></select></label>
</div>
<p class="status" id="status" aria-live="polite"></p>
<h2 id="source-name">Source</h2>
<div class="tokens" id="source" role="toolbar" aria-labelledby="source-name"></div>
<h2 id="target-name">Target</h2>
<div class="tokens" id="target" role="toolbar" aria-labelledby="target-name"></div>
<h2>Matrix: each row is a target token and what it looks at; the stronger the colour, the more</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Matrix of weights">
  <table id="matrix"></table>
</div>
<footer>
  Point at a token, or tab to it and move with the arrow keys. Click keeps it lit; Escape lets go.
</footer>
<script type="application/json" id="data">@data@</script>
<script>
"use strict";
const sentences = JSON.parse(document.getElementById("data").textContent);
const element = id => document.getElementById(id);
const choosers = { kind: element("kind"), layer: element("layer"), head: element("head") };
const kindNames = {
  cross: "cross-attention",
  encoder: "encoder self-attention",
  decoder: "decoder self-attention",
};
const display = {
  kind: kind => kindNames[kind] || kind,
  layer: layer => String(layer),
  head: head => (head < 0 ? "mean" : String(head)),
};
let view = null;    // the matrix on show
let pinned = null;  // {side, index} that a click keeps lit

// White is nothing, full colour the largest weight of this matrix.
const weight = (row, column) => view.weights[row * view.source.length + column] / 10000;
const shade = value => `rgba(var(--light), ${(0.92 * value / view.largest).toFixed(3)})`;

function fillChooser(chooser, values, name) {
  const before = chooser.value;
  chooser.replaceChildren(...values.map(value => new Option(name(value), String(value))));
  if (values.map(String).includes(before)) chooser.value = before;
  chooser.parentElement.hidden = values.length < 2;
}

// Kinds of this sentence, layers of that kind, heads of that layer; a choice stays where it can.
function choose() {
  let views = sentences[element("sentence").selectedIndex].views;
  for (const key of ["kind", "layer", "head"]) {
    const values = [...new Set(views.map(each => each[key]))];
    fillChooser(choosers[key], values, display[key]);
    views = views.filter(each => String(each[key]) === choosers[key].value);
  }
  view = views[0];
  view.largest = view.weights.reduce((most, each) => Math.max(most, each), 1) / 10000;
  pinned = null;
  draw();
}

// The line runs the way its first letter does.
function direction(tokens) {
  const letter = /\p{L}/u.exec(tokens.join(""));
  return letter && /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter[0]) ? "rtl" : "ltr";
}

function drawTokens(side) {
  const line = element(side);
  line.dir = direction(view[side]);
  line.replaceChildren(...view[side].map((text, index) => {
    const token = document.createElement("span");
    const name = document.createElement("span");
    name.dir = "auto";
    name.textContent = text;
    token.append(name, document.createElement("small"));
    token.className = "token";
    token.tabIndex = index === 0 ? 0 : -1;
    token.setAttribute("role", "button");
    token.addEventListener("pointerenter", () => pinned || light(side, index));
    token.addEventListener("focus", () => {
      rove(side, index);
      pinned = null;
      light(side, index);
    });
    token.addEventListener("click", () => pin(side, index));
    token.addEventListener("keydown", event => move(event, side, index));
    return token;
  }));
}

function headCell(text) {
  const cell = document.createElement("th");
  const name = document.createElement("span");
  name.dir = "auto";
  name.textContent = text;
  cell.append(name);
  return cell;
}

function drawMatrix() {
  const head = document.createElement("thead"), body = document.createElement("tbody");
  const top = head.insertRow();
  top.append(document.createElement("th"), ...view.source.map(headCell));
  view.target.forEach((text, row) => {
    const line = body.insertRow();
    line.append(headCell(text));
    view.source.forEach((_, column) => {
      const cell = line.insertCell();
      cell.style.backgroundColor = shade(weight(row, column));
      cell.dataset.row = row;
      cell.dataset.column = column;
    });
  });
  element("matrix").replaceChildren(head, body);
}

function draw() {
  const own = view.kind === "encoder" || view.kind === "decoder";
  element("source-name").textContent = own ? "Looked at" : "Source";
  element("target-name").textContent = own ? "Looking" : "Target";
  drawTokens("source");
  drawTokens("target");
  drawMatrix();
  clear();
}

const percent = value => (100 * value).toFixed(value < 0.0995 ? 1 : 0) + "%";

function paint(side, valueOf) {
  [...element(side).children].forEach((token, index) => {
    const value = valueOf(index);
    token.style.backgroundColor = value === null ? "" : shade(value);
    token.classList.toggle("lit", value !== null);
    token.lastElementChild.textContent = value === null || value < 0.0005 ? "" : percent(value);
  });
}

function mark(row, column) {
  const activate = (elements, index) =>
    [...elements].forEach((each, i) => each.classList.toggle("active", i === index));
  const table = element("matrix");
  activate(element("source").children, column);
  activate(element("target").children, row);
  activate([...table.tHead.rows[0].cells].slice(1), column);
  activate([...table.tBodies[0].rows].map(line => line.cells[0]), row);
}

// Isolates keep a right-to-left token from turning the sentence around.
const quote = text => "\u2068" + text + "\u2069";

// The three partners that count most, in words.
function strongest(side, index) {
  const other = side === "target" ? "source" : "target";
  const value = i => (side === "target" ? weight(index, i) : weight(i, index));
  const order = view[other].map((text, i) => [value(i), text]).sort((a, b) => b[0] - a[0]);
  const names = order.slice(0, 3).map(([w, text]) => `${quote(text)} ${percent(w)}`).join(", ");
  return quote(view[side][index]) + (side === "target" ? " looks at " : " is seen by ") + names;
}

function light(side, index) {
  if (side === "target") {
    mark(index, -1);
    paint("target", () => null);
    paint("source", column => weight(index, column));
  } else {
    mark(-1, index);
    paint("source", () => null);
    paint("target", row => weight(row, index));
  }
  element("status").textContent = strongest(side, index);
}

function clear() {
  mark(-1, -1);
  paint("source", () => null);
  paint("target", () => null);
  element("status").textContent = "Point at a token to see its partners.";
}

function pin(side, index) {
  const same = pinned && pinned.side === side && pinned.index === index;
  pinned = same ? null : { side, index };
  light(side, index);
}

// One token per line is in the tab order; the arrow keys move it.
function rove(side, index) {
  [...element(side).children].forEach((token, i) => { token.tabIndex = i === index ? 0 : -1; });
}

function move(event, side, index) {
  const line = element(side), last = line.children.length - 1;
  const forward = line.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
  const backward = line.dir === "rtl" ? "ArrowRight" : "ArrowLeft";
  const goal = {
    [forward]: Math.min(index + 1, last), [backward]: Math.max(index - 1, 0), Home: 0, End: last,
  };
  if (event.key in goal) {
    line.children[goal[event.key]].focus();
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    const other = element(event.key === "ArrowUp" ? "source" : "target");
    const near = Math.min(index, other.children.length - 1);
    if (other !== line && near >= 0) other.children[near].focus();
  } else if (event.key === "Enter" || event.key === " ") {
    pin(side, index);
  } else if (event.key === "Escape") {
    pinned = null;
    clear();
  } else {
    return;
  }
  event.preventDefault();
}

function overCell(event) {
  const cell = event.target.closest("td");
  if (!cell || pinned) return;
  const row = Number(cell.dataset.row), column = Number(cell.dataset.column);
  light("target", row);
  mark(row, column);
  element("status").textContent =
    `${quote(view.target[row])} \u2192 ${quote(view.source[column])}: ` +
    weight(row, column).toFixed(4);
}

function step(by) {
  const chooser = element("sentence"), count = sentences.length;
  chooser.selectedIndex = (chooser.selectedIndex + by + count) % count;
  choose();
}

function sentenceName(sentence) {
  const pieces = sentence.views[0].source.filter(piece => piece !== "</s>");
  const words = pieces.join("").replace(/\u2581/g, " ").trim();
  const letters = [...words];
  return `${sentence.id}: ${letters.slice(0, 60).join("")}${letters.length > 60 ? "\u2026" : ""}`;
}

fillChooser(element("sentence"), [...sentences.keys()], i => sentenceName(sentences[i]));
for (const id of ["before", "after"]) element(id).hidden = sentences.length < 2;
element("sentence").addEventListener("change", choose);
Object.values(choosers).forEach(chooser => chooser.addEventListener("change", choose));
element("before").addEventListener("click", () => step(-1));
element("after").addEventListener("click", () => step(1));
element("matrix").addEventListener("pointerover", overCell);
for (const id of ["source", "target", "matrix"]) {
  element(id).addEventListener("pointerleave", () => pinned || clear());
}
document.addEventListener("keydown", event => {
  if (event.key !== "Escape") return;
  pinned = null;
  clear();
});
choose();
</script>
</body>
</html>
)html";

}  // namespace heed::eval
