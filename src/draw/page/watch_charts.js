// --- numbers as people read them

function short(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e6) return `${+(value / 1e6).toPrecision(3)}M`;
  if (size >= 1e4) return `${+(value / 1e3).toPrecision(3)}k`;
  if (size > 0 && size < 0.0001) return value.toExponential(1);
  return String(+value.toPrecision(4));
}

function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  const whole = Math.round(seconds), two = value => String(value).padStart(2, "0");
  const s = whole % 60, m = Math.floor(whole / 60) % 60, h = Math.floor(whole / 3600);
  if (whole < 60) return `${whole} s`;
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

// Steps of 1, 2 or 5 times a power of ten, about `count` of them.
function ticks(low, high, count) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(each => each * power).find(each => each >= rough * 0.999);
  const out = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i)
    out.push(+(i * step).toPrecision(12));
  return out;
}

// --- a chart: lines of [x, y], redrawn whole

// {title, x, lines: [{name, color, dashed, points}], now}: `now` is a position on the x axis or null.
function drawChart(box, chart) {
  const width = Math.max(260, box.clientWidth || 420), height = 250;
  const right = 10, top = 10, bottom = 42;
  const points = chart.lines.flatMap(line => line.points);
  // Not Math.max(...all): browsers take some ten thousand arguments.
  const extreme = (of, index, begin) => points.reduce((found, point) => of(found, point[index]), begin);
  const x0 = 0, x1 = extreme(Math.max, 0, x0 + 1e-9);
  let y0 = extreme(Math.min, 1, Infinity), y1 = extreme(Math.max, 1, -Infinity);
  if (y0 === y1) { y0 -= Math.abs(y0) / 10 || 1; y1 += Math.abs(y1) / 10 || 1; }
  const values = ticks(y0, y1, 4), letter = 14 / 13;  // widthOf() is for letters of 13
  const left = Math.max(58, 10 + letter * Math.max(...values.map(value => widthOf(short(value)))));
  const x = value => left + (value - x0) / (x1 - x0) * (width - left - right);
  const y = value => height - bottom - (value - y0) / (y1 - y0) * (height - top - bottom);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, height, role: "img",
    "aria-label": `${chart.title}: ${chart.lines.map(line => line.name).join(", ")}`,
  });
  for (const value of values) {
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }, drawing);
    svg("text", { x: left - 6, y: y(value) + 5, "text-anchor": "end" }, drawing, short(value));
  }
  for (const value of ticks(x0, x1, Math.min(6, width / 100)))
    svg("text", { x: x(value), y: height - bottom + 18, "text-anchor": x(value) > width - 30 ? "end" : "middle" },
        drawing, short(value));
  svg("text", { x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, drawing, chart.x);
  if (chart.now !== null && chart.now <= x1)
    svg("line", { class: "now", x1: x(chart.now), x2: x(chart.now), y1: top, y2: height - bottom }, drawing);
  for (const line of chart.lines) {
    const style = `--c:${line.color}`;
    if (line.points.length === 1)
      svg("circle", { class: "dot", style, r: 3, cx: x(line.points[0][0]), cy: y(line.points[0][1]) }, drawing);
    const path = line.points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
    const drawn = svg("polyline", { class: "series", style, points: path }, drawing);
    if (line.dashed) drawn.setAttribute("stroke-dasharray", "5 4");
    svg("title", {}, drawn, line.name);
  }
  const at = svg("line", { class: "at", x1: 0, x2: 0, y1: top, y2: height - bottom, visibility: "hidden" }, drawing);
  const figure = box.closest("figure"), reading = figure.querySelector(".reading");
  drawing.addEventListener("pointermove", event => {
    const position = x0 + (event.offsetX * width / drawing.clientWidth - left) / (width - left - right) * (x1 - x0);
    at.setAttribute("visibility", "visible");
    at.setAttribute("x1", x(position));
    at.setAttribute("x2", x(position));
    reading.hidden = false;
    reading.replaceChildren(...chart.lines.map(line => {
      const nearest = line.points.reduce((a, b) => (Math.abs(b[0] - position) < Math.abs(a[0] - position) ? b : a));
      return make("div", {}, `${line.name}: ${short(nearest[1])} at ${short(nearest[0])}`);
    }));
  });
  drawing.addEventListener("pointerleave", () => {
    at.setAttribute("visibility", "hidden");
    reading.hidden = true;
  });
  box.replaceChildren(drawing);
}

// --- a map of attention: rows look at columns

// {source, target, weights}; `shade` makes a colour of a share of the largest weight.
function drawMap(box, map, shade) {
  const cell = 26, pad = 8;
  const [source, target] = [map.source, map.target].map(tokens => tokens.map(token => (token === " " ? "␣" : token)));
  const size = 14, grown = size / 13;  // widthOf() is for letters of 13
  const long = tokens => Math.max(...tokens.map(widthOf)) * grown + pad;
  const left = Math.min(long(target), 170), top = Math.min(long(source), 150);
  const width = left + cell * source.length + pad, height = top + cell * target.length + pad;
  // A map that is wider than its place is moved by hand: smaller letters could not be read.
  const drawing = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
                               "aria-label": "Attention of target pieces (rows) to source pieces (columns)" });
  drawSquares({ source, target, weight: (row, column) => map.weights[row][column] ?? 0, colour: shade,
                 told: share => `${(100 * share).toFixed(1)} %` },
               { left, top, cell, size, rooms: { above: (top - pad) / grown, beside: (left - pad) / grown } }, drawing);
  box.replaceChildren(drawing);
}
