import math


def learning_rate(t, r, w, n):
    """The rate of update t (from 1) of n, with the highest rate r and warm-up w."""
    return r * t / w if t <= w else r * (1 + math.cos(math.pi * (t - 1 - w) / (n - w))) / 2


def inverse_square_root(t, r, w):
    """Rises as above until w; afterwards r √(w / t), which never reaches 0."""
    return r * t / w if t <= w else r * math.sqrt(w / t)
