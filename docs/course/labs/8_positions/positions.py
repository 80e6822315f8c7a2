import math


def sinusoid(position, width):
    """PE(position, 0), PE(position, 1), ..., PE(position, width - 1). The width is even."""
    ...


def rotate(pair, angle):
    """A vector of two numbers, turned by an angle against the clock: (x cos - y sin, x sin + y cos)."""
    ...


def rotary_score(query, key, query_position, key_position):
    """The dot product of two pairs, each rotated by its position times 1."""
    ...
