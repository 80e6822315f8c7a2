// --- a tour of two sentences that differ in one word: which word looks elsewhere because of it

// The position at which lines of the same length differ, if there is only one; else -1.
function onlyDifference(a, b) {
  const indices = [...a.keys()].filter(i => a[i] !== b[i]);
  return a.length === b.length && indices.length === 1 ? indices[0] : -1;
}

// The tokens of the source's self-attention by unit, also before they are unpacked.
const sourcesOf = one => new Map(one.views.filter(each => each.kind === "encoder")
  .map(each => [each.unit, typeof each.source === "number" ? one.lines[each.source] : each.source]));

// The first two neighbours on the page that differ in one of several words, as indices in `sentences`; null where there are none.
function minimalPair() {
  let before = new Map();
  for (const [at, one] of sentences.entries()) {
    const sources = sourcesOf(one);
    const differ = ([unit, line]) => before.has(unit) && onlyDifference(before.get(unit), line) >= 0 &&
      line.filter(token => !isEdge(token)).length > 1;
    if ([...sources].some(differ)) return [at - 1, at];
    before = sources;
  }
  return null;
}

// Views of two sentences that show the same: [of the first, of the second].
function together(first, second, kind) {
  const name = each => `${keyOf(each)}/${each.unit}`;
  const others = new Map(second.views.map(each => [name(each), each]));
  return first.views.filter(each => each.kind === kind && others.has(name(each))).map(each => [each, others.get(name(each))]);
}

// Self-attention of two sentences, of heads and units whose tokens differ at one position.
const inOneWord = two => together(...two, "encoder").filter(([a, b]) => onlyDifference(a.source, b.source) >= 0);

// The share of a row's attention that the other sentence has elsewhere.
function moved(a, b, row) {
  const begin = row * a.source.length;
  return a.source.reduce((sum, _, i) => sum + Math.abs(a.weights[begin + i] - b.weights[begin + i]), 0) / 20000;
}

// {views, row, changed, share} of the word whose attention moves most, or of the wanted one, in the head where it does.
function mostMoved(two, wanted) {
  let best = { share: -1 };
  for (const views of inOneWord(two)) {
    const changed = onlyDifference(views[0].source, views[1].source);
    views[0].target.forEach((token, row) => {
      const may = row !== changed && !isEdge(token) && (wanted === undefined || token === wanted);
      const share = may ? moved(...views, row) : -1;
      if (share > best.share) best = { views, row, changed, share };
    });
  }
  return best;
}

// The sources of the words of the translations, of the same tokens as a view: by erasure, or else by cross-attention.
function originsOf(two, like) {
  const of = kind => together(...two, kind).filter(([each]) => each.source === like.source && each.model === like.model);
  const found = ["erasure", "cross"].map(of).find(one => one.length > 0);
  if (!found) return null;
  const best = clearest(found.map(([each]) => each));
  return found.find(([each]) => each === best);
}

const originOf = (each, row) => {
  const weights = each.source.map((token, i) => (isEdge(token) ? -1 : each.weights[row * each.source.length + i]));
  return weights.indexOf(Math.max(...weights));
};

// The first word that is translated otherwise although another one has changed: its row; -1 where there is none.
function otherwise(origins, changed) {
  const [a, b] = origins, same = a.target.length === b.target.length;
  return same ? a.target.findIndex((token, row) =>
    token !== b.target[row] && origins.every(each => originOf(each, row) !== changed)) : -1;
}

// The steps of the tour: {sentence, view, row, text}, one after another.
function stopsOf(pair) {
  const two = pair.map(at => sentences[at]), first = mostMoved(two), origins = originsOf(two, first.views[0]);
  const row = origins ? otherwise(origins, first.changed) : -1;
  const { views, share, ...rest } = row < 0 ? first : mostMoved(two, origins[0].source[originOf(origins[0], row)]);
  const [before, after] = views.map(each => quote(each.source[rest.changed])), word = quote(views[0].target[rest.row]);
  const both = (shown, row, texts) => shown.map((view, i) => ({ sentence: pair[i], view, row, text: texts[i] }));
  const translated = row < 0 ? [] : both(origins, row, [
    `with ${before}, ${word} becomes ${quote(origins[0].target[row])}.`,
    `with ${after} in place of ${before}, ${word} becomes ${quote(origins[1].target[row])}.`]);
  return [...translated, ...both(views, rest.row, [
    `with ${before}. Here the attention of ${word} changes more than in any other layer or head.`,
    `with ${after} in place of ${before}, ${percent(share)} of the attention of ${word} has moved.`])];
}

let tourStop = -1;  // the one on show; -1 before the tour

async function nextStop() {
  const pair = minimalPair();
  if (!pair) return;
  await Promise.all(pair.map(at => unpack(sentences[at])));
  const stops = stopsOf(pair);
  tourStop = tourStop + 1 < stops.length ? tourStop + 1 : -1;
  if (tourStop < 0) { await choose(); return; }  // the end
  const { sentence: at, view: each, row, text } = stops[tourStop];
  element("sentence").selectedIndex = at;
  Object.keys(choosers).forEach(key => want(choosers[key], each[key]));
  await choose();
  unpin();
  hold("target", row);
  element("tour-note").textContent = `${tourStop + 1} of ${stops.length}: ${text}`;
  element("tour-note").hidden = false;
}

element("tour").addEventListener("click", nextStop);
