#!/usr/bin/env python3
"""Why scores are divided by the root of the head's width (Vaswani et al. 2017, 3.2.1), measured on random vectors.

    python3 tests/benchmarks/scale.py --widths 64,256,1024

Prints for each width, with and without the division: the variance of the scores, the entropy of a row of weights in
nats, and the mean size of the gradient that reaches one score from a loss of random values. The panel at the end of
each attention page shows the same for twelve scores.
"""

import argparse
import math
import operator
import random
import statistics

VALUES = 16  # the width of what the weights add up


def vectors(count, width, draw):
    return [[draw.gauss(0, 1) for _ in range(width)] for _ in range(count)]


def dot(a, b):
    return sum(map(operator.mul, a, b))


def softmax(scores):
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


def entropy(weights):
    return -sum(weight * math.log(weight) for weight in weights if weight > 0)


def gradient(weights, of_weights):
    """The gradient of the scores, where `of_weights` is that of the weights: p(i) (g(i) - sum of p(j) g(j))."""
    mean = dot(weights, of_weights)
    return [weight * (each - mean) for weight, each in zip(weights, of_weights)]


def spread(products, values, scale, draw):
    """(variance of the scores, entropy, mean gradient); `products` has a row of dot products for each query."""
    entropies, sizes = [], []
    for row in products:
        weights = softmax([scale * product for product in row])
        of_output = [draw.gauss(0, 1) for _ in range(VALUES)]
        entropies.append(entropy(weights))
        sizes += [abs(each) for each in gradient(weights, [dot(of_output, value) for value in values])]
    variance = statistics.variance(scale * product for row in products for product in row)
    return variance, statistics.fmean(entropies), statistics.fmean(sizes)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--widths", default="64,256,1024", help="of a head")
    parser.add_argument("--keys", type=int, default=64)
    parser.add_argument("--queries", type=int, default=1000)
    args = parser.parse_args()
    print("width,scale,score_variance,entropy_nats,mean_gradient")
    for width in map(int, args.widths.split(",")):
        draw = random.Random(width)
        queries, keys = vectors(args.queries, width, draw), vectors(args.keys, width, draw)
        values = vectors(args.keys, VALUES, draw)
        products = [[dot(query, key) for key in keys] for query in queries]
        for name, scale in (("1/sqrt(d)", width**-0.5), ("1", 1)):
            variance, nats, size = spread(products, values, scale, draw)
            print(f"{width},{name},{variance:.3f},{nats:.3f},{size:.6f}", flush=True)


if __name__ == "__main__":
    main()
