"""The scores of recurrent attentions, as their papers write them, and Luong's windows."""

import numpy
from layers import NORMALISERS, sigmoid

# e(i) for the decoder's state s [d] and the encoder's states h [source, d]; w: the weights of the
# mechanism. A mechanism of registry.def that is missing here has no twin yet.
SCORES = {
    # Bahdanau et al. 2015, A.1.2
    "bahdanau": lambda w, s, h: numpy.tanh(w["query"] @ s + h @ w["key"].T) @ w["score"],
    # Luong et al. 2015, equation 8
    "luong_dot": lambda w, s, h: h @ s,
    "luong_general": lambda w, s, h: (h @ w["key"].T) @ s,
    "luong_concat": lambda w, s, h: numpy.array(
        [
            w["score"] @ numpy.tanh(numpy.hstack([w["query"], w["key"]]) @ numpy.hstack([s, state]))
            for state in h
        ]
    ),
    # A row of W for each position; a short sentence takes the first ones, and words behind the
    # last one get nothing.
    "luong_location": lambda w, s, h: numpy.array(
        [row @ s for row in w["position"]][: len(h)]
        + [-numpy.inf] * (len(h) - len(w["position"]))
    ),
}


def attend(config, w, s, h, t):
    """The context and the weights at target position t."""
    window, normalise = config["window"], NORMALISERS[config["attention_normaliser"]]
    if window == "global":
        weights = normalise(SCORES[config["attention"]](w, s, h))
        return weights @ h, weights
    # Luong et al. 2015, section 3.2: softmax over [p - D, p + D] alone.
    size, half = len(h), config["window_size"]
    if window == "local_m":
        center = min(t, size - 1)
    else:  # equation 9
        center = size * sigmoid(w["position_score"] @ numpy.tanh(w["position"] @ s))
    offset = numpy.arange(size) - center
    scores = SCORES[config["attention"]](w.sub("scores"), s, h)
    weights = normalise(numpy.where(abs(offset) <= half, scores, -numpy.inf))
    if window == "local_m":
        return weights @ h, weights
    weights = weights * numpy.exp(-(offset**2) / (2 * (half / 2) ** 2))  # equation 10
    return weights @ h, weights / weights.sum()
