import math


def brevity_penalty(r):
    """r: length of the translation / length of the reference, more than 0."""
    return 1 if r >= 1 else math.exp(1 - 1 / r)
