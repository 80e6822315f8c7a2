"""The scores of recurrent attentions, as their papers write them, and what may stand around them."""

import numpy
from layers import NORMALISERS, sigmoid

# e(i) for the decoder's state s [d] and the encoder's states h [source, d]; w: the weights of the
# mechanism; c: what coverage adds to the keys [source, keys], or 0. A mechanism of registry.def
# that is missing here has no twin yet.
SCORES = {
    # Bahdanau et al. 2015, A.1.2
    "bahdanau": lambda w, s, h, c: numpy.tanh(w["query"] @ s + h @ w["key"].T + c) @ w["score"],
    # Luong et al. 2015, equation 8
    "luong_dot": lambda w, s, h, c: (h + c) @ s,
    "luong_general": lambda w, s, h, c: (h @ w["key"].T + c) @ s,
    "luong_concat": lambda w, s, h, c: numpy.array(
        [
            w["score"]
            @ numpy.tanh(numpy.hstack([w["query"], w["key"]]) @ numpy.hstack([s, state]) + added)
            for state, added in zip(h, c + numpy.zeros((len(h), 1)))
        ]
    ),
    # A row of W for each position; a short sentence takes the first ones, and words after the
    # last one get nothing.
    "luong_location": lambda w, s, h, c: numpy.array(
        [row @ s for row in w["position"]][: len(h)]
        + [-numpy.inf] * (len(h) - len(w["position"]))
    ),
}


def alone(config, w, s, h, t, c):
    """The context and the weights of one mechanism at target position t."""
    window, normalise = config["window"], NORMALISERS[config["attention_normaliser"]]
    if window == "global":
        weights = normalise(SCORES[config["attention"]](w, s, h, c))
        return weights @ h, weights
    # Luong et al. 2015, section 3.2: softmax over [p - D, p + D] alone.
    size, half = len(h), config["window_size"]
    if window == "local_m":
        center = min(t, size - 1)
    else:  # equation 9
        center = size * sigmoid(w["position_score"] @ numpy.tanh(w["position"] @ s))
    offset = numpy.arange(size) - center
    scores = SCORES[config["attention"]](w.sub("scores"), s, h, c)
    weights = normalise(numpy.where(abs(offset) <= half, scores, -numpy.inf))
    if window == "local_m":
        return weights @ h, weights
    weights = weights * numpy.exp(-(offset**2) / (2 * (half / 2) ** 2))  # equation 10
    return weights @ h, weights / weights.sum()


def covered(config, w, s, h, t, seen):
    """The same with coverage: `seen` [source, d] before this step, and after it, following the weights
    (Tu et al. 2016, equations 6 to 9)."""
    if config["coverage"] == "none":
        return *alone(config, w, s, h, t, 0), seen
    context, weights = alone(config, w.sub("scores"), s, h, t, seen @ w["added"].T)
    if config["coverage"] == "linguistic":
        fertility = numpy.maximum(2 * sigmoid(h @ w["fertility"]), 0.001)
        return context, weights, seen + (weights / fertility)[:, None]
    after = []
    for a, state, c in zip(weights, h, seen):
        gates = w["from_weight"][:, 0] * a + w["from_memory"] @ state + w["from_query"] @ s + w["bias"]
        z, r, n = numpy.split(gates, 3)
        to_z, to_r, to_n = numpy.split(w["recurrent"], 3)
        z, r = sigmoid(z + to_z @ c), sigmoid(r + to_r @ c)
        after.append((1 - z) * c + z * numpy.tanh(n + to_n @ (r * c)))
    return context, weights, numpy.array(after)


def nothing_seen(config, h):
    """The value that attend() takes as `seen` at the first step."""
    width = config["coverage_size"] if config["coverage"] == "neural" else 1
    return [numpy.zeros((len(h), width))] * config["attention_heads"]


def attend(config, w, s, h, t, seen):
    """The context, the weights [heads, source] at target position t, and the coverage after it."""
    heads = config["attention_heads"]
    if heads == 1:
        context, weights, after = covered(config, w, s, h, t, seen[0])
        return context, [weights], [after]
    s, h = w["query"] @ s, h @ w["memory"].T
    slices = zip(numpy.split(s, heads), numpy.split(h, heads, axis=1), seen)
    parts = [
        covered(config, w.sub(f"head{head}"), own, states, t, before)
        for head, (own, states, before) in enumerate(slices)
    ]
    contexts, weights, after = zip(*parts)
    return numpy.hstack(contexts), list(weights), list(after)
