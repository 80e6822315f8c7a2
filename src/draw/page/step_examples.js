// Examples from the literature in literal numbers, as the page has heads of models. tests/page/test_step_page.py has what
// they give, worked by hand.
const ones = (width, factor = 1) => Array(width).fill(factor);

// Three keys whose products with the query are as far apart as usual, the root of d, for numbers of variance 1.
const rootOfWidth = d => ({
  name: `\u221ad: d = ${d}, divided and not`, source: ["a", "b", "c"], target: ["step"],
  about: `Products of ${d} numbers of variance 1 have the standard deviation \u221a${d} = ${Math.sqrt(d)}. Divided by it the weights ` +
    "are soft; undivided the largest takes nearly all, and its gradient is nearly 0 (Vaswani et al. 2017, 3.2.1).",
  compare: [[`/ \u221a${d}`, 1], ["not divided", 1 / Math.sqrt(d)]],
  heads: [{ kind: "cross", score: "dot", factor: 1 / Math.sqrt(d), normaliser: "softmax", query: [ones(d)],
            keys: [ones(d, 1 / Math.sqrt(d)), ones(d, 0), ones(d, -1 / Math.sqrt(d))], values: [[1, 0], [0, 1], [1, 1]] }],
});

const EXAMPLES = [
  {
    name: "the cat slept: three by three", source: ["the", "cat", "slept"], target: ["die", "Katze", "schlief"],
    about: "Three queries, three keys, Q K\u1d40 / \u221a3. The numbers are chosen for a pencil; no model was trained.",
    heads: [{ kind: "cross", score: "dot", factor: 1 / Math.sqrt(3), normaliser: "softmax", query: [[1, 0, 1], [0, 1, 1], [1, 1, 0]],
              keys: [[1, 1, 0], [0, 1, 1], [1, 0, 1]], values: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }],
  },
  {
    name: "Bahdanau: the additive score, term by term", attention: "bahdanau", states: true,
    source: ["the", "cat", "slept"], target: ["chat"],
    about: "e = v \u00b7 tanh(W s + U h), Bahdanau et al. 2015, A.1.2, with states of two numbers.",
    heads: [{ kind: "cross", score: "additive", normaliser: "softmax", vector: [1, 2],
              made: { query: { name: "W s", matrix: [[1, 0], [1, -1]], left: true, inputs: [[0.5, 1]] },
                      keys: { name: "U h", matrix: [[1, 0], [0.5, 1]], left: true, inputs: [[0.5, 0.25], [-0.5, 1.25], [0, -0.5]] } },
              values: [[0.5, 0.25], [-0.5, 1.25], [0, -0.5]] }],
  },
  {
    name: "Scaled dot product in four steps", source: ["a", "b", "c"], target: ["step"],
    about: "1: q \u00b7 k. 2: divide by \u221a4. 3: softmax. 4: the weighted sum of the values (Vaswani et al. 2017, equation 1).",
    heads: [{ kind: "cross", score: "dot", factor: 1 / 2, normaliser: "softmax", query: [[1, 0, 1, 2]],
              keys: [[2, 1, 0, 1], [0, 1, 2, 0], [0, 3, 0, 0]], values: [[1, 0], [0, 1], [1, 1]] }],
  },
  {
    name: "Projections: queries, keys and values", source: ["x1", "x2"], target: ["x1", "x2"],
    about: "q = x W_Q, k = x W_K, v = x W_V: the same x three times (Vaswani et al. 2017, 3.2.2), here self-attention of two words.",
    heads: [{ kind: "encoder", score: "dot", factor: 1 / Math.sqrt(2), normaliser: "softmax",
              made: { query: { name: "x W_Q", matrix: [[1, 0], [0, 1], [1, 1]], inputs: [[1, 0, 1], [0, 2, 0]] },
                      keys: { name: "x W_K", matrix: [[0, 1], [1, 0], [1, 0]], inputs: [[1, 0, 1], [0, 2, 0]] },
                      values: { name: "x W_V", matrix: [[1, 2], [0, 1], [3, 0]], inputs: [[1, 0, 1], [0, 2, 0]] } } }],
  },
  {
    name: "Softmax at / 1, / 4 and x 10", source: ["a", "b", "c"], target: ["step"],
    about: "Scores divided by a large temperature give flat weights; multiplied they give nearly one choice.",
    compare: [["/ 1", 1], ["/ 4", 4], ["x 10", 0.1]],
    heads: [{ kind: "cross", normaliser: "softmax", scores: [[2, 1, 0.1]], values: [[1, 0], [0, 1], [1, 1]] }],
  },
  rootOfWidth(64),
  rootOfWidth(256),
  {
    name: "The causal mask of three tokens", source: ["<s>", "the", "cat"], target: ["the", "cat", "slept"],
    about: "A decoder sees no later token: their scores are -\u221e, and their weights exactly 0.",
    heads: [{ kind: "decoder", normaliser: "softmax", causal: true, scores: [[1, 2, 3], [1, 1, 2], [0, 1, 2]],
              values: [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }],
  },
];
