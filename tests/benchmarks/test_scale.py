"""scale.py: the gradient of a softmax, and what the scale does."""

import math
import random
import unittest

from scale import dot, entropy, gradient, softmax, spread, vectors


class Scale(unittest.TestCase):
    def test_entropy_of_equal_weights_is_the_logarithm_of_their_number(self):
        self.assertAlmostEqual(entropy(softmax([7.0] * 5)), math.log(5))
        self.assertEqual(entropy([0.0, 1.0, 0.0]), 0)

    def test_the_gradient_is_that_of_finite_differences(self):
        scores, of_weights, step = [0.3, -1.2, 2.0], [1.0, -2.0, 0.5], 1e-6
        found = gradient(softmax(scores), of_weights)
        for i in range(3):
            ends = [dot(softmax([score + sign * step * (j == i) for j, score in enumerate(scores)]), of_weights)
                    for sign in (1, -1)]
            self.assertAlmostEqual(found[i], (ends[0] - ends[1]) / (2 * step), places=6)

    def test_without_the_scale_weights_become_one_hot(self):
        draw = random.Random(1)
        queries, keys, values = vectors(50, 256, draw), vectors(17, 256, draw), vectors(17, 16, draw)
        products = [[dot(query, key) for key in keys] for query in queries]
        scaled, plain = (spread(products, values, scale, draw) for scale in (1 / 16, 1))
        self.assertAlmostEqual(plain[0], 256 * scaled[0], places=6)
        self.assertAlmostEqual(scaled[0], 1, delta=0.2)
        self.assertGreater(scaled[1], 4 * plain[1])
        self.assertGreater(scaled[2], plain[2])


if __name__ == "__main__":
    unittest.main()
