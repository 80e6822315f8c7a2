"""The recurrent encoder-decoder in NumPy, one sentence and one step at a time."""

import numpy
from attentions import attend, nothing_seen
from kinds import registered
from layers import Part, log_softmax, sigmoid, tables

TIMING = registered()  # kNever, kBefore or kAfter the cell


def cell(kind, gates, recurrent, state):
    """One step. `gates`: what comes from inputs; `recurrent`: U h (+ b). State: (h, c)."""
    h, c = state
    if kind == "gru":
        (r, z, n), (from_r, from_z, from_n) = numpy.split(gates, 3), numpy.split(recurrent, 3)
        r, z = sigmoid(r + from_r), sigmoid(z + from_z)
        return (1 - z) * numpy.tanh(n + r * from_n) + z * h, None
    i, f, g, o = numpy.split(gates + recurrent, 4)
    c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
    return sigmoid(o) * numpy.tanh(c), c


def encode(config, w, x):
    """x [source, e] -> the top layer's states of both directions, and the last of each."""
    half = config["hidden_size"] // 2
    for layer in range(config["layers"]):
        directions, last = [], []
        for direction in ("forward", "backward"):
            name = f"encoder.layer{layer}_{direction}_"
            state, outputs = (numpy.zeros(half), numpy.zeros(half)), []
            for word in x if direction == "forward" else x[::-1]:
                gates = w[name + "input_weight"] @ word + w[name + "input_bias"]
                recurrent = w[name + "hidden_weight"] @ state[0] + w[name + "hidden_bias"]
                state = cell(config["cell"], gates, recurrent, state)
                outputs.append(state[0])
            directions.append(numpy.array(outputs if direction == "forward" else outputs[::-1]))
            last.append(state[0])
        x = numpy.hstack(directions)
    return x, numpy.hstack(last)


def first_states(config, w, summary):
    """s(0) = tanh(W summary + b), for every layer; the LSTM's cells have rows of their own."""
    lstm = config["cell"] == "lstm"
    width = w["initial_weight"].shape[1]  # Bahdanau's reads the backward direction alone
    states = numpy.tanh(w["initial_weight"] @ summary[-width:] + w["initial_bias"])
    states = iter(numpy.split(states, config["layers"] * (2 if lstm else 1)))
    return [(next(states), next(states) if lstm else None) for _ in range(config["layers"])]


def advance(config, w, gates, states):
    """All layers one step on; `gates` are the bottom one's."""
    for layer in range(config["layers"]):
        part = w.sub(f"layer{layer}")
        if layer > 0:
            gates = part["input_weight"] @ states[layer - 1][0] + part["input_bias"]
        recurrent = part["hidden_weight"] @ states[layer][0]
        if config["cell"] == "gru":
            recurrent = recurrent + part["hidden_bias"]
        states[layer] = cell(config["cell"], gates, recurrent, states[layer])


def read(config, weights, source, target):
    """Log-probabilities [target, pieces] of what follows each piece of `target` (begin first), and
    the maps: ("cross", 0, head, weights [target, source]) of each head, none without attention."""
    w = Part(weights).sub("decoder")
    timing = TIMING[config["attention"]]
    source_table, target_table, output = tables(weights, config["tie"])
    h, summary = encode(config, weights, source_table[source])
    states = first_states(config, w, summary)
    bottom = w.sub("layer0")
    feed = numpy.zeros(config["embedding_size"])
    features, maps, seen = [], [], nothing_seen(config, h)
    for t, y in enumerate(target_table[target]):
        before = states[-1][0]
        gates = bottom["input_weight"] @ y + bottom["input_bias"]
        context = summary
        if timing == "kBefore":
            context, weights_now, seen = attend(config, w.sub("attention"), before, h, t, seen)
        if timing != "kAfter":
            gates = gates + bottom["extra_weight"] @ context
        elif config["input_feeding"]:
            gates = gates + bottom["extra_weight"] @ feed
        advance(config, w, gates, states)
        s = states[-1][0]
        if timing == "kAfter":
            context, weights_now, seen = attend(config, w.sub("attention"), s, h, t, seen)
            feed = numpy.tanh(w["read_context"] @ context + w["read_state"] @ s + w["read_bias"])
            features.append(feed)
        else:
            maxout = config["readout"] == "maxout"  # Bahdanau et al. 2015, A.2.2
            read_out = w["read_input"] @ y + w["read_bias"] + w["read_context"] @ context
            read_out = read_out + w["read_state"] @ (before if maxout else s)
            pairs = read_out.reshape(-1, 2)
            features.append(pairs.max(1) if maxout else numpy.tanh(read_out))
        if timing != "kNever":
            maps.append(weights_now)
    scores = numpy.array(features) @ output.T + weights["output.bias"]
    by_head = numpy.array(maps).transpose(1, 0, 2) if maps else []
    return log_softmax(scores), [("cross", 0, i, one) for i, one in enumerate(by_head)]
