"""Functions that all twins share. Vectors are rows; a state is one sentence's, without padding."""

import math

import numpy


def softmax(scores):
    shares = numpy.exp(scores - scores.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def with_threshold(scores, power):
    """max(0, scores - t)^power of each row with the t that makes it add up to 1, by bisection."""
    rows = scores.reshape(-1, scores.shape[-1])
    out = []
    for row in rows:
        low, high = row.max() - 1, row.max()
        for _ in range(100):
            middle = (low + high) / 2
            enough = (numpy.maximum(row - middle, 0) ** power).sum() > 1
            low, high = (middle, high) if enough else (low, middle)
        out.append(numpy.maximum(row - low, 0) ** power)
    return numpy.array(out).reshape(scores.shape)


# A line of kernels/normalisers/registry.def that is missing here has no twin yet.
NORMALISERS = {
    "softmax": softmax,
    # Martins and Astudillo 2016, equation 3; Peters et al. 2019, equation 10 with alpha = 1.5
    "sparsemax": lambda scores: with_threshold(scores, 1),
    "entmax15": lambda scores: with_threshold(scores / 2, 2),
}


def log_softmax(scores):
    above = scores - scores.max(-1, keepdims=True)
    return above - numpy.log(numpy.exp(above).sum(-1, keepdims=True))


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def relu(x):
    return numpy.maximum(x, 0)


def gelu(x):
    return x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))) / 2


def silu(x):
    return x * sigmoid(x)


def layer_norm(x, weight, bias, epsilon):
    deviation = numpy.sqrt(x.var(-1, keepdims=True) + epsilon)
    return (x - x.mean(-1, keepdims=True)) / deviation * weight + bias


class Part:
    """The weights below one dotted name: part["bias"], part.sub("layer0")["bias"]."""

    def __init__(self, weights, name=""):
        self.weights, self.name = weights, name

    def __getitem__(self, name):
        return self.weights[self.name + name]

    def __contains__(self, name):
        return self.name + name in self.weights

    def sub(self, name):
        return Part(self.weights, self.name + name + ".")

    def linear(self, x, name="", bias=True):
        """W x + b of a layer with `weight` and `bias`."""
        layer = self.sub(name) if name else self
        y = x @ layer["weight"].T
        return y + layer["bias"] if bias else y


def tables(weights, tie):
    """The source embedding, the target embedding, and the output layer's matrix."""
    source = weights["embedding.weight" if tie == "all" else "source_embedding.weight"]
    target = weights["embedding.weight" if tie == "all" else "target_embedding.weight"]
    return source, target, weights["output.weight"] if tie == "none" else target
