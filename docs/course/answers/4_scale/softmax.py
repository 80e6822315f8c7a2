import math


def scaled_score(q, k):
    """q · k divided by the root of their length."""
    return sum(a * b for a, b in zip(q, k)) / math.sqrt(len(q))


def softmax(scores, temperature):
    """Weights of the scores divided by a temperature. It must also work for scores of 1000."""
    powers = [math.exp((score - max(scores)) / temperature) for score in scores]
    return [power / sum(powers) for power in powers]
