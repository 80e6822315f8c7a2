def causal(n):
    """n tokens; each sees itself and those before it."""
    ...


def padding(lengths, width):
    """One row for each sentence of a batch, with 1 for its tokens and 0 for the padding after them, `width` in all."""
    ...


def window(n, w):
    """n tokens; each sees itself and at most w tokens on each side."""
    ...


def masked_softmax(scores, mask):
    """Weights of one row of scores; exactly 0 where the mask is 0. At least one place is 1."""
    ...
