import math


def sinusoid(position, width):
    """PE(position, 0), PE(position, 1), ..., PE(position, width - 1). The width is even."""
    angles = [position / 10000 ** (2 * i / width) for i in range(width // 2)]
    return [wave(angle) for angle in angles for wave in (math.sin, math.cos)]


def rotate(pair, angle):
    """A vector of two numbers, turned by an angle against the clock: (x cos - y sin, x sin + y cos)."""
    x, y = pair
    return [x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)]


def rotary_score(query, key, query_position, key_position):
    """The dot product of two pairs, each rotated by its position times 1."""
    return sum(a * b for a, b in zip(rotate(query, query_position), rotate(key, key_position)))
