import math


def causal(n):
    """n tokens; each sees itself and those before it."""
    return [[int(column <= row) for column in range(n)] for row in range(n)]


def padding(lengths, width):
    """One row for each sentence of a batch, with 1 for its tokens and 0 for the padding after them, `width` in all."""
    return [[int(column < length) for column in range(width)] for length in lengths]


def window(n, w):
    """n tokens; each sees itself and at most w tokens on each side."""
    return [[int(abs(column - row) <= w) for column in range(n)] for row in range(n)]


def masked_softmax(scores, mask):
    """Weights of one row of scores; exactly 0 where the mask is 0. At least one place is 1."""
    largest = max(score for score, seen in zip(scores, mask) if seen)
    powers = [math.exp(score - largest) if seen else 0 for score, seen in zip(scores, mask)]
    return [power / sum(powers) for power in powers]
