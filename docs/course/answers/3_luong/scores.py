import math


def dot(s, h):
    return sum(a * b for a, b in zip(s, h))


def general(s, W, h):
    """s · W h. W has a row for each number of s and a column for each number of h."""
    return dot(s, [dot(row, h) for row in W])


def bell(position, centre, D):
    """The factor of local-p attention for the weight at `position`."""
    sigma = D / 2
    return math.exp(-((position - centre) ** 2) / (2 * sigma**2))
