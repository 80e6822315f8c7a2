const PAUSE = 150;       // milliseconds without a key before the sentence is translated
const CANDIDATES = 10;
const given = JSON.parse(element("data").textContent);

const sentence = () => element("q").value.replace(/\s+/g, " ").trim();

// Returns a remark on what translation and attention do not show by themselves: that a part is missing.
const remarkOn = answer => [
  answer?.cutLines ? "Only the beginning of the sentence was translated." : "",
  answer?.cutTranslations ? "The translation reached its length limit." : "",
  answer?.noAttention ?? "",
].filter(text => text !== "").join(" ");

// Returns the sentence that the attention page shows.
function sentenceOf({ tokens, matrices, softmax }) {
  const views = matrices.map(one => ({
    model: "", kind: one.kind, layer: one.layer, head: one.head,
    softmax: one.head >= 0 && softmax.includes(one.kind),
    target: tokens[one.rows], source: tokens[one.columns],
    // As on the attention page, a weight that is no share (linear attention) is drawn as 0 or 1.
    weights: Uint16Array.from(one.weights.flat(),
                              weight => Math.round(10000 * Math.min(1, Math.max(0, weight)))),
    small: Float64Array.from(one.weights.flat(), weight => (weight > 0 && weight < 0.00005 ? weight : 0)),
  }));
  return { id: 1, lines: Object.values(tokens), views, ready: Promise.resolve() };
}

// --- one model: its translation, what could stand there instead, and its attention

class Panel {
  constructor(model) {
    const section = element("model").content.cloneNode(true).firstElementChild;
    const part = name => section.querySelector(name);
    this.model = model;
    this.translation = part(".translation");
    this.note = part(".note");
    this.candidates = part(".candidates");
    this.release = part(".release");
    this.tabs = part(".tabs");
    this.frame = part(".attention");
    this.steps = part(".steps");
    this.answer = null;    // whose attention is shown, and whose steps
    this.stepsOf = null;
    this.word = 0;         // whose step is shown
    this.prefix = "";      // that the translation is forced to begin with
    this.remark = "";      // on the translation that is shown
    this.running = new AbortController();
    this.translating = 0;  // translations that have not ended; all but the last were given up
    part(".name").textContent = `${model.name}: ${model.source} \u2192 ${model.target}`;
    this.frame.title = `Attention of ${model.name}`;
    this.steps.title = `Decoding steps of ${model.name}`;
    this.loaded = this.load(this.frame, given.attention);
    for (const tab of this.tabs.children) tab.addEventListener("click", () => this.choose(tab));
    this.release.addEventListener("click", () => this.force(""));
    section.addEventListener("keydown", event => {
      if (event.key !== "Escape") return;
      const inside = this.candidates.contains(document.activeElement);
      const word = this.translation.querySelector('[aria-expanded="true"]');
      this.closeCandidates();
      if (inside) word?.focus();
    });
    element("models").append(section);
  }

  // Asks, unless another question follows; shows what is wrong.
  async question(work) {
    this.running.abort();
    const { signal } = this.running = new AbortController();
    this.translation.classList.add("waiting");
    try {
      await work(signal);
      if (!signal.aborted) this.note.textContent = this.remark;
    } catch (problem) {
      if (!signal.aborted) {
        this.note.textContent = problem.message;
        if (this.candidates.hidden) this.closeCandidates();  // of a word whose list did not come
      }
    }
    if (!signal.aborted) this.translation.classList.remove("waiting");
  }

  force(prefix) {
    this.prefix = prefix;
    this.translate();
  }

  async translate() {
    // The button that was pressed goes; the keyboard goes on at the word that it chose.
    const pressed = document.activeElement;
    const inside = this.candidates.contains(pressed) || pressed === this.release;
    this.closeCandidates();
    this.translating += 1;
    await this.question(async signal => {
      const q = sentence();
      const answer = q === "" ? null
        : await ask("attention", { q, model: this.model.name, prefix: this.prefix }, signal);
      await this.loaded;
      if (signal.aborted) return;
      this.remark = remarkOn(answer);
      this.release.hidden = this.prefix === "";
      this.showWords(answer?.words ?? []);
      if (inside && [document.body, pressed].includes(document.activeElement)) this.focusWord();
      await this.showAttention(answer);
    });
    this.translating -= 1;
  }

  showWords(words) {
    const button = (text, prefix, properties) => {
      const made = make("button", { type: "button", "aria-expanded": "false", ...properties }, text);
      made.addEventListener("click", () => {
        this.goTo([...this.translation.children].indexOf(made));
        this.openCandidates(made, prefix);
      });
      return made;
    };
    const parts = words.flatMap(one => [button(one.word, one.prefix, {
      className: one.forced ? "forced" : "", title: `probability ${percent(one.probability)}`,
    }), " "]);
    const text = words.map(one => one.word).join(" ");
    if (words.length > 0) {
      parts.push(button("\u2026", text, { className: "more", title: "What could follow" }));
    }
    this.translation.replaceChildren(...parts);
  }

  // The decoding steps of the word with this number, at once or when they are shown.
  goTo(word) {
    this.word = word;
    if (this.stepsOf !== null && this.stepsOf === this.answer) this.steps.contentWindow.goToWord(word);
  }

  // The last one that is forced, or the first.
  focusWord() {
    const forced = [...this.translation.querySelectorAll(".forced")];
    (forced.at(-1) ?? this.translation.firstElementChild)?.focus();
  }

  async showAttention(answer) {
    this.word = 0;
    const there = answer !== null && answer.matrices.length > 0;
    this.answer = there ? answer : null;
    this.tabs.hidden = !there;
    if (there) await this.frame.contentWindow.show([sentenceOf(answer)]);
    await this.showTab();
  }

  choose(tab) {
    for (const each of this.tabs.children) each.setAttribute("aria-pressed", String(each === tab));
    return this.translating > 0 ? undefined : this.question(() => this.showTab());  // else it follows
  }

  // The steps are many numbers, which are asked for when somebody wants to see them.
  async showTab() {
    const steps = this.tabs.querySelector('[aria-pressed="true"]').dataset.shows === "steps";
    this.frame.hidden = this.answer === null || steps;
    this.steps.hidden = this.answer === null || !steps;
    if (this.steps.hidden || this.stepsOf === this.answer) return;
    const { answer } = this, { signal } = this.running;
    this.ready ??= this.load(this.steps, given.steps);
    const { sentences, noAttention } = await ask("steps", { q: sentence(), model: this.model.name, prefix: this.prefix }, signal);
    await this.ready;
    if (signal.aborted) return;
    this.stepsOf = answer;
    this.remark = noAttention ?? this.remark;
    this.steps.contentWindow.show(sentences);
    this.steps.contentWindow.goToWord(this.word);
  }

  // A page in a frame, which is as high as it.
  load(frame, page) {
    frame.srcdoc = page;
    return new Promise(done => frame.addEventListener("load", () => {
      const { documentElement, body } = frame.contentDocument;
      documentElement.classList.add("framed");
      new ResizeObserver(() => { frame.style.height = `${body.offsetHeight + 2}px`; }).observe(body);
      done();
    }, { once: true }));
  }

  closeCandidates() {
    this.candidates.hidden = true;
    for (const each of this.translation.children) each.setAttribute("aria-expanded", "false");
  }

  openCandidates(word, prefix) {
    if (this.translating > 0) return undefined;  // the question would take the translation's place
    const wasOpen = word.getAttribute("aria-expanded") === "true";
    this.closeCandidates();
    if (wasOpen) return undefined;
    word.setAttribute("aria-expanded", "true");
    return this.question(async signal => {
      const { candidates } = await ask("candidates", {
        q: sentence(), model: this.model.name, prefix, count: CANDIDATES,
      }, signal);
      if (word.getAttribute("aria-expanded") !== "true") return;  // closed meanwhile
      this.candidates.replaceChildren(...candidates.map(one => this.candidate(one)));
      this.candidates.setAttribute("aria-label", `What could follow \u201c${prefix}\u201d`);
      this.candidates.hidden = false;
    });
  }

  candidate(one) {
    const text = one.ends ? "(end)" : (one.continues ? "\u2010" : "") + one.word;
    const made = make("button", { type: "button", disabled: one.ends },
                      make("span", { dir: "auto" }, text), make("small", {}, percent(one.probability)));
    made.style.setProperty("--share", `${(100 * one.probability).toFixed(1)}%`);
    made.addEventListener("click", () => this.force(one.prefix));
    return made;
  }
}

// --- begin

const panels = given.models.map(model => new Panel(model));

for (const text of given.examples) {
  const made = make("button", { type: "button", className: "step", dir: "auto" }, text);
  made.addEventListener("click", () => {
    element("q").value = text;
    translate();
  });
  element("examples").append(made);
}

// Another sentence: nothing is forced any more.
function translate() {
  for (const panel of panels) panel.force("");
  try {
    history.replaceState(null, "", `#${encodeURIComponent(sentence())}`);
  } catch {
    // Some browsers allow few changes of the address in a short time: a later one has the sentence.
  }
}

let pause = 0;
element("q").addEventListener("input", () => {
  clearTimeout(pause);
  pause = setTimeout(translate, PAUSE);
});

// Character by character: a % that somebody typed into the address is no code and stays.
function decoded(text) {
  return text.replace(/%[0-7][0-9a-f]|%[c-f][0-9a-f](?:%[89ab][0-9a-f])+/gi, code => {
    try {
      return decodeURIComponent(code);
    } catch {
      return code;
    }
  });
}

function translateAddress() {
  clearTimeout(pause);
  element("q").value = decoded(location.hash.slice(1));
  translate();
}
addEventListener("hashchange", translateAddress);  // not fired by history.replaceState()
if (location.hash.length > 1) translateAddress();
