def kendall(first, second):
    """Kendall's tau of two lists of numbers without ties: of all pairs of places, (those in the same order - those in the opposite
    order) / all pairs."""
    ...


def erasure(log_probability, log_probabilities_without):
    """The share of each source word: how much the log-probability falls without it, 0 where it rises, all divided by their sum.
    The second argument has the log-probability without word 0, without word 1, ..."""
    ...
