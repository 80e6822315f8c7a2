import math


def brevity_penalty(r):
    """r: length of the translation / length of the reference, more than 0."""
    ...
