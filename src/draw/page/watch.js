const COLOURS = JSON.parse('{{{colours}}}'), INK = JSON.parse('{{{ink}}}').map(rgb);
const METRICS = JSON.parse('{{{metrics}}}');  // [{ key, label, axis, decimals }], null decimals: any scale
const EVERY = 2000;   // milliseconds between two questions
const STEP = 500;     // of the film
let runs = [];        // as the server told them last
let chosen = null;    // id of the run whose validations are on show
let playing = null;   // the film's timer
const kept = new Map();  // keyOf(run, update) -> promise of a validation

const hiddenRuns = new Set();  // ids of those whose curves are not drawn
const numbers = new Map();      // of each run that was ever told, for its colour

const colourOf = index => COLOURS[numbers.get(runs[index].id) % COLOURS.length];
const run = () => runs.find(each => each.id === chosen) ?? null;

// --- names: what all paths begin with is left out

function namesOf(all) {
  const parts = all.map(each => each.id.split("/").filter(part => part !== ""));
  let same = 0;
  while (parts.length > 1 && parts.every(part => part.length > same + 1 && part[same] === parts[0][same])) ++same;
  return parts.map(part => (parts.length === 1 ? part.at(-1) : part.slice(same).join("/")));
}

// --- runs

const last = values => values?.findLast(value => value !== null) ?? null;

const metricText = ({ label, decimals }, value) => `${label} ${decimals === null ? short(value) : value.toFixed(decimals)}`;

// The scores of one validation; the one that decides which is the best comes first.
function scoreText(metric, scores) {
  const known = METRICS.filter(each => (scores[each.key] ?? null) !== null);
  known.sort((a, b) => (b.key === metric) - (a.key === metric));
  return known.length ? `${known.map(each => metricText(each, scores[each.key])).join(", ")} at ${short(scores.update)}` : "none yet";
}

const at = (series, index) => Object.fromEntries(Object.entries(series).map(([key, values]) => [key, values.at(index)]));

function shareDone(one) {
  if (one.state === "finished") return 1;
  return one.done ?? Math.min(1, one.update / (one.updates ?? Infinity));
}

function cardOf(one, name, colour) {
  const list = make("dl", {});
  const card = make(
    "button", { className: "run", type: "button", "aria-pressed": one.id === chosen, "data-run": one.id,
                style: `--c:${colour}` },
    make("div", { className: "name" }, make("span", { className: "swatch" }), make("span", {}, name),
         make("span", { className: `state ${one.state}` }, one.state)),
    make("div", { className: "model" }, one.model),
    make("progress", { max: 1, value: shareDone(one), "aria-label": "done" }), list);
  const say = (what, text) => list.append(make("dt", {}, what), make("dd", {}, text));
  const epoch = one.epoch === null ? "" : `, epoch ${one.epoch}`;
  const planned = one.updates === null ? "" : ` of ${one.updates.toLocaleString("en")}`;
  say("update", `${one.update.toLocaleString("en")}${planned}${epoch}`);
  const time = `${duration(one.seconds)}${one.left === null ? "" : `, ${duration(one.left)} left`}`;
  say("time", one.seconds === null ? "–" : time);
  const speed = one.state === "training" ? `, ${short(last(one.train.speed))} tokens/s` : "";
  say("training", last(one.train.loss) === null ? "–" : `loss ${last(one.train.loss).toFixed(3)}${speed}`);
  say("validation", scoreText(one.metric, at(one.valid[""], -1)));
  say("best", scoreText(one.metric, one.best ?? {}));
  if (one.test.length) say("test", one.test.map(score => score.replace(/ \(.*/, "")).join(", "));
  card.addEventListener("click", () => choose(one.id));
  return card;
}

// A card of the same run is changed in place: it may have the focus, or be pressed at this moment.
function drawRuns() {
  const names = namesOf(runs), box = element("runs"), focused = document.activeElement?.dataset?.run;
  runs.forEach((one, index) => {
    const card = cardOf(one, names[index], colourOf(index)), old = box.children[index];
    if (old?.dataset.run === one.id) {
      for (const { name, value } of card.attributes) old.setAttribute(name, value);
      if (old.innerHTML !== card.innerHTML) old.replaceChildren(...card.childNodes);
      return;
    }
    if (old) old.replaceWith(card); else box.append(card);
    if (focused === one.id) card.focus();
  });
  while (box.children.length > runs.length) box.lastElementChild.remove();
}

// --- curves

const titleOf = ({ label, axis }) => (axis === label ? axis : axis[0].toUpperCase() + axis.slice(1));
const MEASURES = [
  ...METRICS.map(each => ({ key: each.key, title: titleOf(each) })),
  { key: "speed", title: "Target tokens a second" }, { key: "rate", title: "Learning rate" },
];

function pointsOf(lines, key, against) {
  const out = [];
  (lines[key] ?? []).forEach((value, i) => {
    const position = against === "seconds" ? (lines.seconds[i] ?? null) : lines.update[i];
    if (value !== null && position !== null) out.push([against === "seconds" ? position / 60 : position, value]);
  });
  return out;
}

function linesOf(key, against) {
  const names = namesOf(runs), lines = [];
  runs.forEach((one, index) => {
    if (hiddenRuns.has(one.id)) return;
    const add = (name, series, dashed) => {
      const points = pointsOf(series, key, against);
      if (points.length) lines.push({ name, color: colourOf(index), dashed, points });
    };
    add(key === "loss" ? `${names[index]}, training` : names[index], one.train, false);
    for (const [set, series] of Object.entries(one.valid))
      add(`${names[index]}, ${set || "validation"}`, series, key === "loss" || set !== "");
  });
  return lines;
}

function drawCurves() {
  const against = element("against").value, box = element("charts");
  const one = run(), update = updateOnShow();
  let now = update;
  if (one && update !== null && against === "seconds") {
    const at = one.valid[""].update.indexOf(update);
    now = at < 0 || one.valid[""].seconds[at] === null ? null : one.valid[""].seconds[at] / 60;
  }
  element("curves").hidden = false;
  const charts = [];
  for (const { key, title } of MEASURES) {
    const lines = linesOf(key, against);
    let figure = element(`chart-${key}`);
    if (lines.length === 0) { figure?.remove(); continue; }
    if (!figure) {
      figure = make("figure", { className: "chart", id: `chart-${key}` }, make("figcaption", {}, title),
                    make("div", { className: "reading", hidden: true }), make("div", { className: "drawing" }));
      const order = MEASURES.map(measure => `chart-${measure.key}`);
      const next = [...box.children].find(other => order.indexOf(other.id) > order.indexOf(figure.id));
      box.insertBefore(figure, next ?? null);
    }
    charts.push([figure, { title, x: against === "seconds" ? "minutes" : "updates", lines, now }]);
  }
  // When all are laid out, and so have their widths. Not under the pointer: the reading would go.
  for (const [figure, chart] of charts)
    if (!figure.matches(":hover") || !figure.querySelector("svg")) drawChart(figure.querySelector(".drawing"), chart);
  element("curves").hidden = charts.length === 0 && hiddenRuns.size === 0;
  drawKey();
}

// The names of the runs beside the curves; a press on a name hides its run.
function drawKey() {
  const names = namesOf(runs);
  const box = element("key"), focused = document.activeElement?.dataset?.key;
  box.hidden = runs.length < 2;
  box.replaceChildren(...runs.map((one, index) => {
    const name = make("button", { type: "button", "aria-pressed": String(!hiddenRuns.has(one.id)), "data-key": one.id,
                                  title: "Show or hide", style: `--c:${colourOf(index)}` },
                      make("span", { className: "swatch" }), names[index]);
    name.addEventListener("click", () => {
      if (!hiddenRuns.delete(one.id)) hiddenRuns.add(one.id);
      drawCurves();
    });
    return name;
  }));
  [...box.children].find(each => each.dataset.key === focused)?.focus();
}

// --- validations

function updateOnShow() {
  const one = run();
  return one?.validations[Math.min(+element("slider").value, one.validations.length - 1)] ?? null;
}

// A run that begins again may come by the same update with another loss.
function keyOf(one, update) {
  return `${one.id} ${update} ${one.valid[""].loss[one.valid[""].update.indexOf(update)]}`;
}

function ask(one, update) {
  const key = keyOf(one, update);
  if (!kept.has(key)) {
    const answer = fetch(`validation.json?run=${encodeURIComponent(one.id)}&update=${update}`)
      .then(response => (response.ok ? response.json() : null)).catch(() => null);
    kept.set(key, answer);
    answer.then(value => { if (value === null) kept.delete(key); });
  }
  return kept.get(key);
}

// On dark paper the strongest are the brightest.
const shade = weight => css(mixed(INK, dark.matches ? 1 - weight : weight));

function drawAttention(attention) {
  element("attention").hidden = !attention;
  element("blind").hidden = Boolean(attention);
  element("layer-label").hidden = !attention || attention.layers.length < 2;
  if (!attention) return;
  const layers = attention.layers.map(each => each.layer), chooser = element("layer");
  if (chooser.options.length !== layers.length) {
    chooser.replaceChildren(...layers.map(layer => new Option(String(layer + 1), String(layer))));
    // The layer before the last aligns best.
    chooser.value = String(layers[Math.max(0, layers.length - 2)]);
  }
  const { weights } = attention.layers.find(each => each.layer === +chooser.value);
  drawMap(element("map"), { source: attention.source, target: attention.target, weights }, shade);
  const largest = weights.map(row => Math.max(...row.map(weight => weight ?? 0)));
  const mean = largest.reduce((sum, each) => sum + each, 0) / largest.length;
  const layer = layers.length > 1 ? `, layer ${+chooser.value + 1} of ${layers.length}` : "";
  element("map-name").textContent = `Line ${attention.line} of the validation set${layer}, mean of the heads; the model ` +
    `reads the reference. A row is a piece of it, a column a piece of the source; ${dark.matches ? "brighter" : "darker"} is more. The largest weight ` +
    `of a row is ${(100 * mean).toFixed(0)} % on average.`;
}

// The words of a text; those that the old one has not are marked, if there was one.
function marked(text, old) {
  const known = new Set((old ?? text).split(" "));
  return text.split(" ").flatMap(word => [" ", known.has(word) ? word : make("mark", {}, word)]).slice(1);
}

function drawSamples(samples, before) {
  const box = element("samples");
  box.replaceChildren();
  samples.forEach((sample, i) => {
    const list = make("dl", {});
    const say = (name, ...words) => list.append(make("dt", {}, name), make("dd", { dir: "auto" }, ...words));
    say(`source ${sample.line}`, sample.source ?? "");
    say("reference", sample.reference ?? "");
    say("output", ...marked(sample.output ?? "", before?.[i]?.line === sample.line ? before[i].output : null));
    box.append(make("div", { className: "sample" }, list));
  });
}

function outcomeText(one, update) {
  const valid = one.valid[""], index = valid.update.indexOf(update);
  if (index < 0) return "";
  return `${scoreText(one.metric, at(valid, index))}${one.best?.update === update ? ", the best so far" : ""}`;
}

let onShow = "";  // what the map and the samples were drawn from

// Only what is not on show yet: a text that is drawn again loses what somebody has selected in it.
function drawOnce(now, earlier, source) {
  const key = () => [source, element("layer").value, dark.matches].join("\n");
  if (key() === onShow) return;
  drawAttention(now.attention);
  drawSamples(now.samples, earlier?.samples);
  onShow = key();  // with the layer that was chosen now
}

async function drawValidation() {
  const one = run(), count = one?.validations.length ?? 0;
  element("validation").hidden = count === 0;
  if (count === 0) return;
  const slider = element("slider");
  slider.max = count - 1;
  slider.disabled = count < 2;
  if (element("follow").checked && !playing) slider.value = count - 1;
  const index = +slider.value, update = updateOnShow();
  element("which").textContent = `update ${update.toLocaleString("en")} (${index + 1} of ${count})`;
  slider.setAttribute("aria-valuetext", `update ${update}`);
  element("outcome").textContent = outcomeText(one, update);
  element("validation-name").textContent = `Validations of ${namesOf(runs)[runs.indexOf(one)]}`;
  const before = index > 0 ? one.validations[index - 1] : null;
  const [now, earlier] = await Promise.all([ask(one, update), before === null ? null : ask(one, before)]);
  if (one.id !== chosen || update !== updateOnShow()) return;  // something else is wanted by now
  if (!now) { element("outcome").textContent = "This validation cannot be read."; return; }
  drawOnce(now, earlier, `${keyOf(one, update)} ${before} ${Boolean(earlier)}`);
  document.body.dataset.shown = `${one.id} ${update}`;
}

function choose(id) {
  halt();
  chosen = id;
  element("layer").replaceChildren();
  element("follow").checked = true;
  draw();
}

function halt() {
  clearInterval(playing);
  playing = null;
  element("play").textContent = "Play";
  element("play").setAttribute("aria-pressed", "false");
}

function play() {
  if (playing) return halt();
  const slider = element("slider"), one = run();
  one.validations.forEach(update => ask(one, update));
  element("follow").checked = false;
  if (+slider.value >= +slider.max) slider.value = 0;
  element("play").textContent = "Stop";
  element("play").setAttribute("aria-pressed", "true");
  playing = setInterval(() => {
    if (+slider.value >= +slider.max) return halt();
    slider.value = +slider.value + 1;
    drawValidation();
    drawCurves();
  }, STEP);
  drawValidation();
}

// --- all of it

function drawChooser() {
  const names = namesOf(runs), chooser = element("run");
  const options = runs.map((one, i) => new Option(names[i], one.id));
  if ([...chooser.options].map(each => each.value).join("\n") !== runs.map(one => one.id).join("\n"))
    chooser.replaceChildren(...options);
  chooser.value = chosen ?? "";
  element("run-label").hidden = runs.length < 2;
}

function draw() {
  // The run that is being trained is what one wants to see first.
  if (!run()) chosen = (runs.find(one => one.state === "training") ?? runs[0])?.id ?? null;
  element("nothing").hidden = runs.length > 0;
  drawRuns();
  drawChooser();
  drawValidation();
  drawCurves();
}

// Screen readers say each change of the status: only changes are written, and the time stands beside it.
function tell(said, className, seen) {
  const status = element("status");
  if (status.textContent !== said) status.textContent = said;
  status.className = className;
  element("seen").textContent = seen;
}

function show(text, told) {
  const training = told.runs.filter(one => one.state === "training").length;
  tell(`${training === 0 ? "no run" : training === 1 ? "1 run" : `${training} runs`} in training`, "",
       `; seen at ${new Date().toLocaleTimeString()}`);
  element("damaged").hidden = told.damaged.length === 0;
  element("damaged").replaceChildren(...told.damaged.map(each => make("li", {}, each)));
  if (text === show.before) return;
  show.before = text;
  told.runs.forEach(one => numbers.has(one.id) || numbers.set(one.id, numbers.size));
  // Runs in training come first.
  runs = told.runs.toSorted((a, b) => (b.state === "training") - (a.state === "training"));
  draw();
}

async function poll() {
  let text = null, told = null;
  try {
    const response = await fetch("snapshot.json", { cache: "no-store" });
    if (!response.ok) throw new Error(response.statusText);
    text = await response.text();
    told = JSON.parse(text);
  } catch {
    tell("heed watch does not answer; what is below is the last that it said. Asking again.", "lost", "");
  }
  setTimeout(poll, EVERY);
  if (told) show(text, told);
}

element("against").addEventListener("change", drawCurves);
element("run").addEventListener("change", event => choose(event.target.value));
element("layer").addEventListener("change", drawValidation);
element("play").addEventListener("click", play);
element("slider").addEventListener("input", () => {
  halt();
  element("follow").checked = +element("slider").value === +element("slider").max;
  drawValidation();
  drawCurves();
});
element("follow").addEventListener("change", () => { halt(); drawValidation(); drawCurves(); });
addEventListener("resize", drawCurves);
dark.addEventListener("change", drawValidation);
poll();
