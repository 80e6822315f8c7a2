import math


def dot(s, h):
    ...


def general(s, W, h):
    """s · W h. W has a row for each number of s and a column for each number of h."""
    ...


def bell(position, centre, D):
    """The factor of local-p attention for the weight at `position`."""
    ...
