"""The Transformer of Vaswani et al. 2017 in NumPy, one sentence at a time."""

import math

import numpy
from layers import NORMALISERS, Part, gelu, layer_norm, log_softmax, relu, sigmoid, silu, tables

ACTIVATIONS = {"relu": relu, "gelu": gelu, "silu": silu}


def angles(length, width):
    """position / 10000^(2i / width): [length, width / 2]."""
    columns = numpy.arange(0, width, 2)
    return numpy.arange(length)[:, None] / 10000.0 ** (columns / width)


def add_positions(kind, x, table):
    length, width = x.shape
    if kind == "sinusoidal":
        angle = angles(length, width)
        return x + numpy.stack([numpy.sin(angle), numpy.cos(angle)], 2).reshape(length, -1)[:, : x.shape[1]]
    if kind == "tensor2tensor":
        angle = numpy.arange(length)[:, None] / 10000.0 ** (numpy.arange(width // 2) / (width // 2 - 1))
        return x + numpy.concatenate([numpy.sin(angle), numpy.cos(angle)], 1)
    return x + table[:length] if kind == "learned" else x


def rotate(x):
    """[length, head]: each pair turned by its angle (Su et al. 2021, equation 34)."""
    angle = angles(*x.shape)
    even, odd = x[:, 0::2], x[:, 1::2]
    turned = [
        even * numpy.cos(angle) - odd * numpy.sin(angle),
        even * numpy.sin(angle) + odd * numpy.cos(angle),
    ]
    return numpy.stack(turned, 2).reshape(x.shape)


def feature(x):
    """elu(x) + 1"""
    return numpy.where(x > 0, x + 1, numpy.exp(numpy.minimum(x, 0)))


def linear_weights(query, key, seen, rotary):
    """Katharopoulos et al. 2020, equation 4; with rotary positions Su et al. 2021, equation 19."""
    query, key = feature(query), feature(key)
    counts = numpy.where(seen, query @ key.T, 0).sum(1, keepdims=True)
    if rotary:
        query, key = rotate(query), rotate(key)
    return numpy.where(seen, query @ key.T, 0) / counts


def slopes(heads):
    """ALiBi's (Press et al. 2022), by the recipe of the paper's code."""

    def of_power(count):
        return [2 ** (-8 * (i + 1) / count) for i in range(count)]

    power = 2 ** int(math.log2(heads))
    return of_power(power) + of_power(2 * power)[0::2][: heads - power]


def bucket(distance, causal):
    """T5's (Raffel et al. 2020), of 32 up to a distance of 128."""
    buckets, first = (32, 0) if causal else (16, 16 * (distance > 0))
    away = max(-distance, 0) if causal else abs(distance)
    exact = buckets // 2
    if away < exact:
        return first + away
    wide = int(math.log(away / exact) / math.log(128 / exact) * (buckets - exact))
    return first + min(exact + wide, buckets - 1)


def heads_of(config, queries, keys, values, seen, rotary=False, normaliser="softmax", added=None, linear=False):
    """softmax(Q K^T / sqrt(head)) V of every head, joined; and the weights of each. Neighbouring
    heads share keys and values where there are fewer of these. `seen` [query, keys] bool;
    added(head, query) is what positions add to the head's scores."""
    heads = config["heads"]
    group = heads // (config["kv_heads"] or heads)
    width = queries.shape[1] // heads
    scale = math.sqrt(width) if config["attention_scale"] == "sqrt" else 1
    contexts, maps = [], []
    for head in range(heads):
        shared = head // group
        query = queries[:, head * width : (head + 1) * width]
        key = keys[:, shared * width : (shared + 1) * width]
        if linear:
            weights = linear_weights(query, key, seen, rotary)
            contexts.append(weights @ values[:, shared * width : (shared + 1) * width])
            maps.append(weights)
            continue
        if rotary:
            query, key = rotate(query), rotate(key)
        scores = query @ key.T / scale
        if added is not None:
            scores = scores + added(head, query, scale)
        scores = numpy.where(seen, scores, -numpy.inf)
        weights = NORMALISERS[normaliser](scores)
        contexts.append(weights @ values[:, shared * width : (shared + 1) * width])
        maps.append(weights)
    return numpy.hstack(contexts), maps


class Reader:
    def __init__(self, config, weights):
        self.config, self.weights, self.maps = config, Part(weights), []

    def keep(self, kind, layer, maps):
        self.maps += [(kind, layer, head, weights) for head, weights in enumerate(maps)]

    def shared_width(self):
        kv_heads = self.config["kv_heads"] or self.config["heads"]
        return kv_heads * (self.config["width"] // self.config["heads"])

    def norm(self, w, x):
        return layer_norm(x, w["weight"], w["bias"], self.config["norm_epsilon"])

    def around(self, w, x, sublayer):
        """The residual connection with its layer norm before or after."""
        if self.config["norm"] == "pre":
            return x + sublayer(self.norm(w.sub("norm"), x))
        return self.norm(w.sub("norm"), x + sublayer(x))

    def self_attention(self, w, x, kind, layer):
        length, width, shared = len(x), self.config["width"], self.shared_width()
        distance = numpy.arange(length)[None, :] - numpy.arange(length)[:, None]  # key - query
        seen = numpy.ones((length, length), bool)
        if self.config["sliding_window"] > 0:
            seen &= abs(distance) <= self.config["sliding_window"]
        if self.config["self_attention"] == "sparse":  # what is beside the window
            first = numpy.arange(length) < self.config["global_tokens"]
            seen |= first[None, :] | first[:, None]
            if self.config["attention_stride"] > 0:
                seen |= distance % self.config["attention_stride"] == 0
        if kind == "decoder":
            seen &= distance <= 0
        parts = numpy.split(w.linear(x, "projection"), [width, width + shared], axis=1)
        rotary = self.config["positions"] == "rotary"
        added = self.added_by(distance, kind, layer)
        linear = self.config["self_attention"] == "linear"
        context, maps = heads_of(self.config, *parts, seen, rotary, added=added, linear=linear)
        self.keep(kind, layer, maps)
        return w.linear(context, "output")

    def added_by(self, distance, kind, layer):
        """The numbers that the scores of self-attention get by `distance` [query, keys]; None: nothing."""
        positions = self.config["positions"]
        side = self.weights.sub("target_positions" if kind == "decoder" else "source_positions")
        if positions == "alibi":
            return lambda head, *_: -slopes(self.config["heads"])[head] * abs(distance)
        if positions == "t5":
            number = numpy.vectorize(lambda d: bucket(d, kind == "decoder"))(distance)
            return lambda head, *_: side["weight"][number, head]
        if positions == "relative":
            vectors = side["weight"][layer][numpy.clip(distance, -16, 16) + 16]
            return lambda _, query, scale: numpy.einsum("qd,qkd->qk", query, vectors) / scale
        return None

    def cross_attention(self, w, x, memory, layer):
        keys, values = numpy.split(w.linear(memory, "projection"), 2, axis=1)
        seen = numpy.ones((len(x), len(memory)), bool)
        normaliser = self.config["attention_normaliser"]
        queries = w.linear(x, "query")
        context, maps = heads_of(self.config, queries, keys, values, seen, normaliser=normaliser)
        self.keep("cross", layer, maps)
        return w.linear(context, "output")

    def feed_forward(self, w, x):
        return w.linear(ACTIVATIONS[self.config["activation"]](w.linear(x, "inner")), "output")

    def earlier_words(self, w, x, layer):
        """The part by which a position of the decoder knows those before it."""
        decoder = self.config["decoder"]
        if decoder == "attention":
            return self.self_attention(w.sub("self_attention"), x, "decoder", layer)
        w, outputs = w.sub("recurrence"), []
        state = numpy.zeros(x.shape[1])
        for step, now in enumerate(x, 1):
            if decoder == "ssru":  # Kim et al. 2019
                kept = sigmoid(w.linear(now, "forget"))
                state = kept * state + (1 - kept) * w.linear(now, "candidate", bias=False)
                outputs.append(relu(state))
                continue
            state = state + now  # Zhang, Xiong and Su 2018
            mean = self.feed_forward(w.sub("feed_forward"), state / step)
            both = sigmoid(w.linear(numpy.concatenate([now, mean]), "gates"))
            of_now, of_mean = numpy.split(both, 2)
            outputs.append(of_now * now + of_mean * mean)
        return numpy.stack(outputs)

    def embed(self, table, ids, side):
        positions = self.weights.sub(side + "_positions")
        learned = positions["weight"] if "weight" in positions else None
        x = table[ids] * math.sqrt(self.config["width"])
        if side == "target" and self.config["positions"] == "tensor2tensor":
            x[0] = 0  # of <s>
        x = add_positions(self.config["positions"], x, learned)
        stack = self.weights.sub("encoder" if side == "source" else "decoder")
        return self.norm(stack.sub("embedding_norm"), x) if self.config["embedding_norm"] else x

    def finish(self, x, side):
        pre = self.config["norm"] == "pre"
        return self.norm(self.weights.sub(side).sub("norm"), x) if pre else x

    def encode(self, x):
        for layer in range(self.config["encoder_layers"]):
            w = self.weights.sub(f"encoder.{layer}")
            x = self.around(
                w.sub("around_attention"),
                x,
                lambda y: self.self_attention(w.sub("attention"), y, "encoder", layer),
            )
            x = self.around(
                w.sub("around_feed_forward"),
                x,
                lambda y: self.feed_forward(w.sub("feed_forward"), y),
            )
        return self.finish(x, "encoder")

    def decode(self, x, memory):
        for layer in range(self.config["decoder_layers"]):
            w = self.weights.sub(f"decoder.{layer}")
            x = self.around(
                w.sub("around_self"),
                x,
                lambda y: self.earlier_words(w, y, layer),
            )
            x = self.around(
                w.sub("around_cross"),
                x,
                lambda y: self.cross_attention(w.sub("cross_attention"), y, memory, layer),
            )
            x = self.around(
                w.sub("around_feed_forward"),
                x,
                lambda y: self.feed_forward(w.sub("feed_forward"), y),
            )
        return self.finish(x, "decoder")


def read(config, weights, source, target):
    """The same as read() of recurrent.py, with maps of the kinds encoder, decoder and cross."""
    reader = Reader(config, weights)
    source_table, target_table, output = tables(weights, config["tie"])
    memory = reader.encode(reader.embed(source_table, source, "source"))
    features = reader.decode(reader.embed(target_table, target, "target"), memory)
    return log_softmax(features @ output.T + weights["output.bias"]), reader.maps
