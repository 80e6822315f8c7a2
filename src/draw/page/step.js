// The sections of one decoding step, drawn anew whenever the sentence, the head, the step or the temperature changes.

let sentences = [];
const kinds = { cross: "cross-attention", encoder: "encoder self-attention", decoder: "decoder self-attention" };
let sentence = null, head = null, step = 0, temperature = 1;
let chosen = null;  // the position whose score is shown term by term; null: the one with the largest weight
let timer = null;

const FEW = 3;  // numbers of a vector that are shown at once; of a longer one the first two
const shown = (x, digits = 4) => x === -Infinity ? "\u2212\u221e"
  : (x !== 0 && Math.abs(x) < 0.5 * 10 ** -digits ? x.toExponential(1) : x.toFixed(digits)).replace(/-/g, "\u2212");

// --- what the formulas call things

function symbols() {
  if (sentence.attention === undefined || sentence.attention === "transformer") {
    const feature = head.normaliser === "softmax" || head.kind === "cross" ? x => x : x => `\u03c6(${x})`;
    return { query: feature("q(t)"), key: feature("k(i)"), value: "v(i)" };
  }
  const [query, key] = { bahdanau: ["W s(t\u22121)", "U h(i)"], luong_concat: ["W s(t)", "W h(i)"], luong_dot: ["s(t)", "h(i)"],
    luong_general: ["s(t)", "W h(i)"], luong_location: ["s(t)", "row i of W"] }[sentence.attention] ?? ["query", "key(i)"];
  return { query, key: Array.isArray(head.keys?.[0][0]) ? `${key} + V C(t\u22121,i)` : key, value: "h(i)" };
}

function scoreFormula(now) {
  const { query, key } = symbols();
  if (!head.query && sentence.name) return "e(t,i): the numbers of the example";
  if (!now.explained) return "e(t,i): a formula of this mechanism's own; the numbers are the model's";
  const own = head.score === "additive" ? `v \u00b7 tanh(${query} + ${key})` : `${query} \u00b7 ${key}`;
  const scale = (head.factor ?? 1) === 1 ? "" : ` / \u221a${Math.round(1 / head.factor ** 2)}`;
  return `e(t,i) = ${own}${scale}${head.adds ? " + what the distance adds" : ""}`;
}

const weightFormulas = {
  softmax: "a(t,i) = exp(e(t,i) / T) / sum of exp(e(t,j) / T)",
  sparsemax: "a(t,i) = max(0, e(t,i) / T \u2212 \u03c4)",
  entmax15: "a(t,i) = max(0, e(t,i) / (2 T) \u2212 \u03c4)\u00b2",
  sum: "a(t,i) = e(t,i) / sum of e(t,j); no softmax, so that no temperature changes it",
};

// --- parts

const paragraph = (text, className = "") => make("p", { textContent: text, className });
const formula = text => paragraph(text, "formula");
const section = (name, ...parts) => make("section", {}, make("h2", { textContent: name }), ...parts.filter(Boolean));

// What is made when it is opened for the first time.
function unfolding(textContent, made) {
  const all = make("details", { className: "vector" }, make("summary", { textContent }));
  all.addEventListener("toggle", () => { if (all.open && all.children.length === 1) all.append(made()); });
  return all;
}

// The first numbers of a vector; opened, all of them.
function vector(numbers) {
  if (numbers.length <= FEW) return make("span", { textContent: `(${numbers.map(x => shown(x)).join(", ")})` });
  const few = numbers.slice(0, 2).map(x => shown(x, 3)).join(", ");
  return unfolding(`(${few}, \u2026)`, () =>
    make("ol", { start: 0 }, ...numbers.map(x => make("li", { textContent: shown(x) }))));
}

// As long as the number is large; a number below 0 is a frame.
const bar = (x, largest) => x === 0 || x === -Infinity ? "" : make("span", { className: x < 0 ? "share negative" : "share",
                                           style: `width: ${(6 * Math.abs(x) / (largest || 1)).toFixed(2)}rem` });

// rows: [name, cells, class]; a cell is a text or an element.
function table(columns, rows, look = "") {
  const heads = columns.map(name => make("th", { scope: "col", textContent: name }));
  const body = rows.map(([name, cells, className = ""]) => make("tr", { className }, make("th", { scope: "row", dir: "auto" }, name),
    ...cells.map((cell, i) => make("td", { "data-name": columns[i + 1] ?? "" }, cell))));
  return make("div", { className: "scroll", tabIndex: 0 },
              make("table", { className: look }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...body)));
}

// --- sections

const sourceTokens = () => head.kind === "decoder" ? ["<s>", ...sentence.target].slice(0, sentence.target.length) : sentence.source;
const steps = () => head.kind === "encoder" ? sentence.source : sentence.target;
// A model without attention has one vector, which is no token's.
const seenTokens = () => head.score === "none" ? ["one vector"] : sourceTokens();

function drawStates() {
  const { key, value } = symbols(), keys = head.keys && keysOf(head, step);
  const differs = keys && keys.some((row, i) => String(row) !== String(head.values[i]));
  const made = Object.entries(head.made ?? {}).filter(([name]) => name !== "query");
  return section(head.kind === "decoder" ? "1. Target states so far" : "1. Source states",
    paragraph(head.score === "none" ? "Without attention the decoder gets this vector, the last states of both directions, at every step."
      : differs ? "Of every position: the key, which the query is compared with, and the value, which is passed on."
        : "Of every position its state, which is compared and passed on.", "quiet"),
    table(["", ...(differs ? [`key ${key}, d = ${keys[0].length}`] : []), `value ${value}, d = ${head.values[0].length}`],
          head.values.map((row, i) => [seenTokens()[i] ?? "", [...(differs ? [vector(keys[i])] : []), vector(row)]]), "states"),
    ...made.map(([name, product]) => products(name, product)));
}

// A projection, number by number.
function products(name, product) {
  const { matrix, left, inputs } = product, columns = left ? matrix : matrix[0].map((_, i) => matrix.map(row => row[i]));
  return table([`${name} = ${product.name}`, ""], inputs.flatMap((x, row) => columns.map((column, i) =>
    [`${name} ${row + 1}, number ${i + 1}`,
     [`${x.map((value, j) => `${value}\u00b7${column[j]}`).join(" + ")} = ${shown(head[name][row][i])}`.replaceAll("-", "\u2212")]])));
}

function drawQuery() {
  if (!head.query) return null;
  const { query } = symbols(), made = head.made?.query;
  return section("2. Query", formula(query),
    paragraph(`The query of step ${step + 1}:`, "quiet"),
    table(["", ""], [["query", [vector(head.query[step])]], ...(head.vector ? [["v", [vector(head.vector)]]] : [])]),
    made && products("query", { ...made }));
}

function drawScores(now) {
  const largest = Math.max(...now.scores.filter(x => x > -Infinity).map(Math.abs), 1e-9);
  const added = i => now.scores[i] - now.own[i].scaled;
  const columns = ["", ...(now.explained && head.score === "dot" && head.factor !== 1 ? ["product"] : []),
                   ...(head.adds ? ["distance adds"] : []), "score e", ""];
  const rows = now.scores.map((score, i) => {
    const pick = make("button", { type: "button", textContent: sourceTokens()[i], dir: "auto", "aria-pressed": String(i === chosen) });
    pick.addEventListener("click", () => { chosen = i; draw(); });
    const cells = [shown(score), bar(score, largest)];
    if (head.adds) cells.unshift(score === -Infinity ? "" : shown(added(i)));
    if (columns.includes("product")) cells.unshift(shown(now.own[i].sum));
    return [now.own ? pick : sourceTokens()[i], cells, i === chosen ? "chosen" : ""];
  });
  return section("3. Scores", formula(scoreFormula(now)),
    now.scores.includes(-Infinity) && paragraph("A score of \u2212\u221e is masked: this step does not see the position.", "quiet"),
    table(columns, rows), now.own && now.explained && drawTerms(now));
}

// The largest contributions to one score, and all of them.
function drawTerms(now) {
  const { query, key, terms, sum, scaled } = now.own[chosen], additive = head.score === "additive", most = 6;
  const order = terms.map((_, i) => i).sort((a, b) => Math.abs(terms[b]) - Math.abs(terms[a]));
  const row = i => [String(i), additive
    ? [shown(query[i]), shown(key[i]), shown(Math.tanh(query[i] + key[i])), shown(head.vector[i]), shown(terms[i])]
    : [shown(query[i]), shown(key[i]), shown(terms[i])]];
  const { query: q, key: k } = symbols(), names = additive ? ["i", q, k, "tanh", "v", "term"] : ["i", q, k, "term"];
  const blank = Array(names.length - 2).fill("");
  const rest = total(order.slice(most).map(i => terms[i]));
  const rows = order.slice(0, most).map(row);
  if (order.length > most) rows.push(["rest", [...blank, shown(rest)]]);
  rows.push(["sum", [...blank, shown(sum)], "result"]);
  if ((head.factor ?? 1) !== 1) rows.push([`/ \u221a${Math.round(1 / head.factor ** 2)}`, [...blank, shown(scaled)], "result"]);
  if (head.adds && now.scores[chosen] > -Infinity)
    rows.push(["with distance", [...blank, shown(now.scores[chosen])], "result"]);
  const all = unfolding(`all ${terms.length} terms`, () => table(names, terms.map((_, i) => row(i))));
  return make("div", { id: "terms" }, paragraph(`Term by term for \u201c${sourceTokens()[chosen]}\u201d, the largest first:`, "quiet"),
              table(names, rows), terms.length > most ? all : "");
}

function drawWeights(now) {
  const hot = temperature !== 1, largest = Math.max(...now.weights), compared = sentence.compare ?? [];
  const columns = ["", "e", ...(hot ? ["e / T"] : []), ...(now.powers ? ["exp(e / T \u2212 max)"] : []),
                   ...(head.gauss ? ["Gaussian"] : []), "weight a", "", ...compared.map(([name]) => name)];
  const others = compared.map(([, other]) => stepOf(head, step, other).weights);
  const rows = now.weights.map((weight, i) => [sourceTokens()[i], [
    shown(now.scores[i]), ...(hot ? [shown(now.scores[i] / temperature)] : []), ...(now.powers ? [shown(now.powers[i])] : []),
    ...(head.gauss ? [shown(head.gauss[step][i])] : []), shown(weight), bar(weight, largest), ...others.map(other => shown(other[i]))],
    i === chosen ? "chosen" : ""]);
  rows.push(["sum", [...columns.slice(1).map(name => name === "weight a" ? shown(total(now.weights))
    : name.startsWith("exp(") ? shown(now.sum) : "")], "result"]);
  return section("4. Weights",
    formula(now.known ? weightFormulas[head.normaliser] + (head.gauss ? ", times a Gaussian around the predicted position" : "")
      : "The model's weights: rotations change the products, and not what they are divided by."),
    now.tau === undefined ? null : paragraph(`\u03c4 = ${shown(now.tau)}`, "quiet"), table(columns, rows));
}

// What a decoder without attention would get, and what that is.
function oneVector() {
  const last = head.values.at(-1), half = last.length / 2;
  return sentence.states
    ? { numbers: [...last.slice(0, half), ...head.values[0].slice(half)], name: "the last states of both directions" }
    : { numbers: last, name: "the last position's value" };
}

function drawContext(now) {
  const { value } = symbols(), context = contextOf(now.weights, head.values), positions = head.values.map((_, i) => i);
  const most = 8, order = positions.sort((a, b) => now.weights[b] - now.weights[a]).slice(0, most);
  const rows = order.map(i => [`${shown(now.weights[i])} \u00b7 ${sourceTokens()[i]}`,
                               [vector(head.values[i].map(x => x * now.weights[i]))]]);
  const others = now.weights.map((weight, i) => order.includes(i) ? 0 : weight);
  if (head.values.length > most) rows.push([`other ${head.values.length - most}`, [vector(contextOf(others, head.values))]]);
  rows.push(["context c(t)", [vector(context)], "result"]);
  if (step > 0) rows.push(["step before", [vector(contextOf(stepOf(head, step - 1, temperature).weights, head.values))]]);
  const one = oneVector();
  const beside = head.kind !== "cross" ? [] : [
    paragraph(`Without attention: one vector, ${one.name}. It is the same at every step, however long the sentence.`, "quiet"),
    table(["", ""], [["one vector", [vector(one.numbers)]]]),
  ];
  return section("5. Context", formula(`c(t) = sum of a(t,i) ${value}`), table(["", ""], rows), ...beside);
}

function drawOutput() {
  const likely = sentence.likely?.[step];
  if (!likely || head.kind === "encoder") return null;
  const word = sentence.target[step], known = likely.some(([piece]) => piece === word);
  const all = known ? likely : [...likely, [word, sentence.chosen[step]]];
  return section("6. Output", formula("p(y(t)) = softmax(W f(t)), f(t) made of the state and the context"),
    paragraph(`The ten likeliest of all pieces${known ? "" : ", and the one that was read"}. They are the model's, at T = 1.`, "quiet"),
    table(["", "probability", ""], all.map(([piece, p]) => [piece, [`${(100 * p).toFixed(1)} %`, bar(p, all[0][1])], piece === word ? "chosen" : ""])));
}

// --- who sees whom, and what is kept

function cacheText() {
  const seen = head.scores?.[step].filter(x => x > -Infinity).length, width = head.values[0].length, count = head.values.length;
  const numbers = n => `${n} x (${(head.keys ? keysOf(head, step) : head.values)[0].length} + ${width}) numbers a head`;
  const covered = Array.isArray(head.keys?.[0][0]) ? "Coverage adds to the keys at every step" : "No step changes them";
  if (head.kind === "encoder") return `No cache: all ${count} positions are there at once. This one sees ${seen}.`;
  if (head.kind === "cross")
    return `Kept for the sentence: keys and values of its ${count} positions, ${numbers(count)}. ${covered}. This step sees ${seen}.`;
  if (head.normaliser === "sum" || head.normaliser === "")
    return `No cache of keys: sums of ${width} x ${width} + ${width} numbers a head, at any length. This step sees ${seen} positions.`;
  return `The KV cache holds keys and values of the ${step + 1} positions up to this step, ${numbers(step + 1)}; ` +
    `the next step adds one row. This step sees ${seen} of them.`;
}

function drawSeen() {
  const columns = sourceTokens(), rows = steps(), cell = Math.max(18, Math.min(30, Math.floor(420 / columns.length)));
  const largest = Math.max(...head.scores.map((_, row) => Math.max(...stepOf(head, row, temperature).weights)));
  const roomOf = tokens => Math.min(110, 14 + 1.1 * Math.max(...tokens.map(widthOf)));
  const left = roomOf(rows), top = roomOf(columns);
  const weights = rows.map((_, row) => stepOf(head, row, temperature).weights);
  const picture = svg("svg", { width: left + cell * columns.length + 8, height: top + cell * rows.length + 4, role: "img",
                               "aria-label": "Who sees whom" });
  const masked = (row, column) => head.scores[row][column] === -Infinity;
  drawSquares({
    source: columns, target: rows, weight: (row, column) => masked(row, column) ? null : weights[row][column],
    colour: weight => weight === null ? "var(--paper)"
      : `color-mix(in srgb, var(--mark) ${Math.round(100 * weight / largest)}%, var(--field))`,
    told: weight => weight === null ? "masked" : shown(weight),
  }, { left, top, cell, size: 14, rooms: { above: (top - 12) / 1.1, beside: (left - 12) / 1.1 },
       square: { stroke: "var(--line)" } }, picture);
  rows.forEach((_, row) => columns.forEach((_, column) => {
    if (!masked(row, column)) return;
    const x = left + cell * column, y = top + cell * row;
    svg("path", { d: `M${x + 4} ${y + 4}L${x + cell - 5} ${y + cell - 5}`, stroke: "var(--quiet)" }, picture);
  }));
  svg("rect", { x: left - 1, y: top + cell * step - 1, width: cell * columns.length + 1, height: cell + 1, fill: "none",
                stroke: "var(--ink)", "stroke-width": 2 }, picture);
  return section("What each step sees, and what is kept",
    paragraph(cacheText()), paragraph("A row is a step, a crossed square is masked, the frame is this step.", "quiet"),
    make("div", { className: "scroll", tabIndex: 0 }, picture));
}

// --- choosing

function fill(chooser, values, name) {
  const before = chooser.value;
  chooser.replaceChildren(...values.map(value => new Option(name(value), String(value))));
  if (values.map(String).includes(before)) chooser.value = before;
  chooser.parentElement.hidden = values.length < 2;
}

function choose() {
  const before = sentence;
  sentence = sentences[element("sentence").selectedIndex];
  let left = sentence.heads;
  for (const [key, name] of [["kind", kind => kinds[kind]], ["layer", String], ["head", String]]) {
    fill(element(key), [...new Set(left.map(one => one[key] ?? 0))], name);
    left = left.filter(one => String(one[key] ?? 0) === element(key).value);
  }
  head = complete(left[0]);
  if (before !== sentence) step = 0;
  go(step);
}

function go(to) {
  step = Math.min(Math.max(to, 0), steps().length - 1);
  chosen = null;
  draw();
}

// To the step of a word of the translation, counted from 0: that of its first piece, or of the end after the last word. The
// page of `heed serve` calls this.
function goToWord(number) {
  if (head.kind === "encoder") return;
  const first = steps().flatMap((piece, i) => (i === 0 || piece.startsWith("\u2581") ? [i] : []));
  pause();
  go(first[number] ?? steps().length - 1);
}

// What had the focus and how far parts were scrolled stays, though all is drawn anew.
function draw() {
  const held = document.activeElement, parts = () => [...document.querySelectorAll("main .scroll")];
  const scrolled = parts().map(each => [each.scrollLeft, each.scrollTop]);
  const again = ["#steps", "main th >"].find(selector => held.matches(`${selector} button`));
  drawAll();
  if (again) document.querySelector(`${again} [aria-pressed="true"]`)?.focus({ preventScroll: true });
  parts().forEach((each, i) => each.scrollTo(...(scrolled[i] ?? [0, 0])));
  element("steps").scrollTop = element("steps").children[step].offsetTop - 40;
}

function drawAll() {
  const tokens = steps();
  element("steps").replaceChildren(...tokens.map((token, i) => {
    const button = make("button", { type: "button", textContent: token, dir: "auto", "aria-pressed": String(i === step),
                                    className: i > step ? "later" : "" });
    button.addEventListener("click", () => { pause(); go(i); });
    return button;
  }));
  element("about").textContent = `Step ${step + 1} of ${tokens.length}: \u201c${tokens[step]}\u201d. ${sentence.about ?? ""}`;
  const silent = head.score === "none", now = silent ? null : stepOf(head, step, temperature);
  if (now) chosen ??= now.weights.indexOf(Math.max(...now.weights));
  const made = silent ? [drawStates(), drawOutput()]
    : [drawStates(), drawQuery(), drawScores(now), drawWeights(now), drawContext(now), drawOutput(), drawSeen()];
  element("sections").replaceChildren(...made.filter(Boolean));
}

function pause() {
  clearInterval(timer);
  timer = null;
  element("play").textContent = "Play";
}

element("play").addEventListener("click", () => {
  if (timer) return pause();
  if (step === steps().length - 1) go(0);
  element("play").textContent = "Pause";
  timer = setInterval(() => {
    go(step + 1);
    if (step === steps().length - 1) pause();
  }, 1500);
});
for (const [id, by] of [["back", -1], ["forward", 1]]) element(id).addEventListener("click", () => { pause(); go(step + by); });
for (const id of ["sentence", "kind", "layer", "head"]) element(id).addEventListener("change", () => { pause(); choose(); });
element("temperature").addEventListener("input", () => {
  temperature = 2 ** Number(element("temperature").value);
  element("temperature-value").textContent = String(Number(temperature.toFixed(3)));
  draw();
});
// Sentences of models, and then the examples. The page of `heed serve` calls this, too.
function show(given) {
  pause();
  sentences = [...given, ...EXAMPLES];
  fill(element("sentence"), sentences.map((_, i) => i), i => sentences[i].name ??
    `${sentences[i].id}: ${sentences[i].source.slice(0, -1).join("").replaceAll("\u2581", " ").trim().slice(0, 60)}`);
  element("sentence").selectedIndex = 0;
  choose();
}

show(JSON.parse(element("data").textContent));
