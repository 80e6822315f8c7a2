"""aligning.py: joined directions and error rates in small numbers."""

import unittest

import aligning


class Aligning(unittest.TestCase):
    def test_links_of_a_line(self):
        self.assertEqual(aligning.links("0-1 2?3 4p5"), ({(0, 1)}, {(0, 1), (2, 3), (4, 5)}))
        self.assertEqual(aligning.links(""), (set(), set()))

    def test_directions_are_joined(self):
        forward, backward = {(0, 0), (1, 1), (2, 1), (5, 5)}, {(0, 0), (1, 1), (1, 2), (4, 0)}
        # (2, 1) and (1, 2) are neighbours of (1, 1); 5 is unaligned on both sides; column 0 is not.
        joined = {(0, 0), (1, 1), (2, 1), (1, 2), (5, 5)}
        self.assertEqual(aligning.grow_diag_final_and(forward, backward), joined)

    def test_rates_are_those_of_och_and_ney(self):
        found = [{(0, 0), (1, 1), (2, 2)}, set()]
        gold = [({(0, 0), (1, 2)}, {(0, 0), (1, 2), (1, 1)}), ({(0, 0)}, {(0, 0)})]
        error, precision, recall = aligning.rates(found, gold)
        self.assertAlmostEqual(error, 1 - (1 + 2) / (3 + 3))
        self.assertAlmostEqual(precision, 2 / 3)
        self.assertAlmostEqual(recall, 1 / 3)


if __name__ == "__main__":
    unittest.main()
