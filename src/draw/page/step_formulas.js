// What attention computes in one step, each formula by itself. A head has rows of numbers: query, keys, vector, scores, gauss,
// weights, values, context. Those of a model are given; of an example those that follow from others are computed.

const total = numbers => numbers.reduce((sum, x) => sum + x, 0);
const dot = (a, b) => total(a.map((x, i) => x * b[i]));

// Rows of rows of float32 numbers.
function unpacked({ shape, floats }) {
  let rows = [...new Float32Array(Uint8Array.from(atob(floats), letter => letter.charCodeAt(0)).buffer)];
  for (const size of shape.slice(1).reverse())
    rows = Array.from({ length: rows.length / size }, (_, i) => rows.slice(i * size, (i + 1) * size));
  return rows;
}

// x W, or W x where `left`.
const multiplied = (x, { matrix, left }) =>
  left ? matrix.map(row => dot(row, x)) : matrix[0].map((_, column) => dot(x, matrix.map(row => row[column])));

// Coverage changes the keys from step to step.
const keysOf = (head, step) => Array.isArray(head.keys[0][0]) ? head.keys[step] : head.keys;

// The score of a position, term by term: v tanh(query + key), or query times key, and their sum times the factor.
function scored(head, step, position) {
  const query = head.query[step], key = keysOf(head, step)[position];
  const terms = query.map((x, i) => head.score === "additive" ? head.vector[i] * Math.tanh(x + key[i]) : x * key[i]);
  return { query, key, terms, sum: total(terms), scaled: total(terms) * (head.factor ?? 1) };
}

// Martins and Astudillo 2016, algorithm 1, and Peters, Niculae and Martins 2019, algorithm 2: the threshold of sorted scores.
function threshold(scores, ofFirst) {
  const sorted = scores.filter(x => x > -Infinity).sort((a, b) => b - a);
  let found = -Infinity;
  sorted.forEach((x, i) => {
    const tau = ofFirst(sorted.slice(0, i + 1));
    if (tau <= x) found = tau;
  });
  return found;
}

const NORMALISERS = {
  softmax(scores) {
    const largest = Math.max(...scores), powers = scores.map(x => Math.exp(x - largest)), sum = total(powers);
    return { powers, sum, shares: powers.map(x => x / sum) };
  },
  sparsemax(scores) {
    const tau = threshold(scores, first => (total(first) - 1) / first.length);
    return { tau, shares: scores.map(x => Math.max(0, x - tau)) };
  },
  entmax15(scores) {
    const halves = scores.map(x => x / 2);
    const tau = threshold(halves, first => {
      const mean = total(first) / first.length, spread = total(first.map(x => (x - mean) ** 2));
      return mean - Math.sqrt(Math.max(0, (1 - spread) / first.length));
    });
    return { tau, shares: halves.map(x => Math.max(0, x - tau) ** 2) };
  },
  sum(scores) {
    const seen = scores.map(x => Math.max(x, 0)), sum = total(seen);
    return { sum, shares: seen.map(x => x / sum) };
  },
};

// Unpacks or computes what is there only in part.
function complete(head) {
  for (const [name, part] of Object.entries(head)) if (part?.floats) head[name] = unpacked(part);
  for (const [name, product] of Object.entries(head.made ?? {}))
    head[name] = product.inputs.map(x => multiplied(x, product));
  if (head.keys) head.scores ??= head.query.map((_, step) => keysOf(head, step).map((_, i) => scored(head, step, i).scaled));
  if (head.causal) head.scores = head.scores.map((row, step) => row.map((x, i) => i > step ? -Infinity : x));
  head.causal = false;
  return head;
}

// One step: how each score came about (null where the head does not tell), whether that is the score, and the weights at a
// temperature.
function stepOf(head, step, temperature = 1) {
  const scores = head.scores[step], own = head.query ? scores.map((_, i) => scored(head, step, i)) : null;
  const explained = own !== null && scores.every((x, i) =>
    x === -Infinity || head.adds || Math.abs(x - own[i].scaled) < 1e-3 * (1 + Math.abs(x)));
  const normalise = NORMALISERS[head.normaliser];
  const made = normalise ? normalise(scores.map(x => x / temperature)) : { shares: head.weights[step] };
  return { scores, own, explained, ...made, known: Boolean(normalise),
           weights: made.shares.map((x, i) => x * (head.gauss?.[step][i] ?? 1)) };
}

const contextOf = (weights, values) => values[0].map((_, i) => total(weights.map((weight, j) => weight * values[j][i])));
