import math


def additive_score(Ws, Uh, v):
    """v · tanh(Ws + Uh). Three lists of the same length; W and U have been multiplied already."""
    ...


def softmax(scores):
    """The weights: positive, with the sum 1. It must also work for scores of 1000."""
    ...


def context(weights, states):
    """The sum of the states, each times its weight. states: one list of numbers for each position."""
    ...
