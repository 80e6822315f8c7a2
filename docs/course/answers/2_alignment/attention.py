import math


def additive_score(Ws, Uh, v):
    """v · tanh(Ws + Uh). Three lists of the same length; W and U have been multiplied already."""
    return sum(c * math.tanh(a + b) for a, b, c in zip(Ws, Uh, v))


def softmax(scores):
    """The weights: positive, with the sum 1. It must also work for scores of 1000."""
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def context(weights, states):
    """The sum of the states, each times its weight. states: one list of numbers for each position."""
    return [sum(weight * number for weight, number in zip(weights, column)) for column in zip(*states)]
