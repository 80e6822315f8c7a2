"use strict";
// Functions of all pages: elements, colours, and letters in a room of some width.

const element = id => document.getElementById(id);

// An element of HTML with these properties, or attributes where it has none of that name.
function make(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key in made) made[key] = value; else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function filled(made, attributes, parent, text) {
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  parent?.append(made);
  return made;
}

// The name of SVG's namespace; the browser knows it.
const SVG = new DOMParser().parseFromString("<svg></svg>", "text/html").body.firstChild.namespaceURI;
const svg = (name, ...rest) => filled(document.createElementNS(SVG, name), ...rest);

const dark = matchMedia("(prefers-color-scheme: dark)");
const percent = value => `${(100 * value).toFixed(value < 0.0995 ? 1 : 0)}\u00a0%`;
const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16));
const css = colour => `rgb(${colour.join(", ")})`;

// The colour at a share of the way through the stops.
function mixed(stops, share) {
  const last = stops.length - 1, position = last * Math.min(1, Math.max(0, share));
  const from = Math.min(Math.floor(position), last - 1), part = position - from;
  return stops[from].map((value, k) => Math.round(value + part * (stops[from + 1][k] - value)));
}

// Chinese, Japanese and Korean letters are about as wide as they are high.
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{3fffd}]/u;
// Pixels at a font size of 13.
const widthOf = text => [...text].reduce((sum, letter) => sum + (WIDE.test(letter) ? 13.5 : 8), 0);

// A name in the room that a picture has for it.
function shortened(text, room) {
  if (widthOf(text) <= room) return text;
  const letters = [...text];
  while (widthOf(`${letters.join("")}\u2026`) > room) letters.pop();
  return `${letters.join("")}\u2026`;
}

// A matrix whose rows look at its columns: the tokens around it, and a square for each weight. `rooms` are those of the
// names; `told` is a weight in words.
function drawSquares({ source, target, weight, colour, told }, { left, top, cell, size, rooms, square }, picture) {
  const name = (token, room, attributes) =>
    svg("title", {}, svg("text", { "font-size": size, ...attributes }, picture, shortened(token, room)), token);
  source.forEach((token, column) => {
    const x = left + cell * (column + 0.5) + 4, y = top - 5;
    name(token, rooms.above, { x, y, transform: `rotate(-90 ${x} ${y})` });
  });
  target.forEach((token, row) => {
    name(token, rooms.beside, { x: left - 5, y: top + cell * (row + 0.5) + 4, "text-anchor": "end" });
    source.forEach((other, column) => {
      const value = weight(row, column), x = left + cell * column, y = top + cell * row;
      const drawn = svg("rect", { x, y, width: cell - 1, height: cell - 1, fill: colour(value), ...square }, picture);
      svg("title", {}, drawn, `${token} \u2192 ${other}: ${told(value)}`);
    });
  });
}
