import math


def learning_rate(t, r, w, n):
    """The rate of update t (from 1) of n, with the highest rate r and warm-up w."""
    ...


def inverse_square_root(t, r, w):
    """Rises as above until w; afterwards r √(w / t), which never reaches 0."""
    ...
