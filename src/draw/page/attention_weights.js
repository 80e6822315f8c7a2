// --- weights: unpacked, and at a temperature

function unpack(one) {
  one.ready ??= (async () => {
    const packed = Uint8Array.from(atob(one.weights), letter => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    let at = 0;
    for (const each of one.views) {
      each.source = one.lines[each.source];
      each.target = one.lines[each.target];
      each.weights = new Uint16Array(each.target.length * each.source.length);
      each.small = new Float64Array(each.softmax ? each.weights.length : 0);  // of those that are 0 above
      for (let i = 0; i < each.weights.length; ++i) {
        const low = bytes[at++];
        each.weights[i] = low < 128 ? low : (low - 128) + 128 * bytes[at++];
        const step = each.softmax && each.weights[i] === 0 ? bytes[at++] : 0;
        if (step > 0) each.small[i] = 0.00005 * Math.exp(-0.3 * (step - 1));
      }
    }
    one.weights = null;
  })();
  return one.ready;
}

// w^(1/T) over its sum in the row. Where weights are a softmax of scores this is the softmax of scores
// divided by the temperature T.
function sharpened(each, by = temperature) {
  const columns = each.source.length, out = new Uint16Array(each.weights.length);
  for (let begin = 0; begin < out.length; begin += columns) {
    const row = Array.from(each.weights.subarray(begin, begin + columns),
                           (value, i) => (value / 10000 || each.small[begin + i] || 0) ** (1 / by));
    const sum = row.reduce((a, b) => a + b, 0);
    row.forEach((value, i) => { out[begin + i] = sum > 0 ? Math.round(10000 * value / sum) : 0; });
  }
  return out;
}

// The word of each piece; null where these words join other pieces.
function wordsOf(pieces, words) {
  if (pieces === words) return pieces.map((_, i) => i);
  let word = -1;
  const of = pieces.map(piece => (word < 0 || piece.startsWith("\u2581") || piece === "</s>" ? ++word : word));
  const text = i => pieces.filter((_, at) => of[at] === i).join("").replace(/\u2581/g, "");
  return word + 1 === words.length && words.every((each, i) => each === text(i)) ? of : null;
}

// The mean of softmaxes at a temperature, of whose pieces this view may join words; null where it joins others.
function joined(each, parts, by = temperature) {
  const rows = wordsOf(parts[0].target, each.target), columns = wordsOf(parts[0].source, each.source);
  if (!rows || !columns) return null;
  const out = new Float64Array(each.weights.length), height = row => rows.filter(one => one === row).length;
  const shares = rows.map(row => 1 / height(row) / parts.length);
  for (const part of parts) {
    const weights = sharpened(part, by);
    rows.forEach((row, i) => columns.forEach((column, j) => {
      out[row * each.source.length + column] += shares[i] * weights[i * columns.length + j];
    }));
  }
  return out;
}

// The softmaxes on this page of which a view is made, if that is so: a temperature is exact for them alone.
function partsOf(each) {
  const softmaxes = sentence.views.filter(one => one.softmax && one.kind === each.kind && one.model === each.model &&
    one.layer === each.layer && (each.head < 0 || one.head === each.head));
  const isMadeOf = parts => joined(each, parts, 1)?.every((weight, i) => Math.abs(weight - each.weights[i]) < 20);
  return [[each], ...[each.unit, "pieces"].map(unit => softmaxes.filter(one => one.unit === unit))]
    .find(parts => parts.length > 0 && parts.every(one => one.softmax) && isMadeOf(parts)) ?? null;
}

const exactParts = each => (each.parts === undefined ? each.parts = partsOf(each) : each.parts);

// Shares of other evidence are made of no scores: no temperature changes them.
const isAttention = each => !["saliency", "integrated", "erasure"].includes(each.kind);

// The weights on show, in ten-thousandths.
function weightsOf(each) {
  const wanted = isAttention(each) ? temperature : 1;
  if (each.temperature !== wanted) {
    each.temperature = wanted;
    each.shown = wanted === 1 ? each.weights : (exactParts(each) && joined(each, each.parts)) ?? sharpened(each);
    each.largest = each.shown.reduce((a, b) => Math.max(a, b), 1);
  }
  return each.shown;
}

function largestOf(views) {
  return Math.max(...views.map(each => { weightsOf(each); return each.largest; }));
}

const weight = (each, row, column) => weightsOf(each)[row * each.source.length + column] / 10000;
