import math


def scaled_score(q, k):
    """q · k divided by the root of their length."""
    ...


def softmax(scores, temperature):
    """Weights of the scores divided by a temperature. It must also work for scores of 1000."""
    ...
