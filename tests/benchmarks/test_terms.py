"""terms.py: pairs out of links, and terms out of pairs."""

import unittest

import terms


class Terms(unittest.TestCase):
    def setUp(self):
        self.frequent = terms.FREQUENT
        terms.FREQUENT = 1  # "ein" and "a" have no content

    def tearDown(self):
        terms.FREQUENT = self.frequent

    def test_pairs_are_words_that_are_linked_with_each_other_alone(self):
        sources = ["Ein Hund .", "ein Hund, ein Ball", "ein Hund 3"]
        targets = ["A dog .", "a hound a ball", "a dog 3"]
        links = ["0-0 1-1 2-2", "0-0 1-1 3-2 3-3", "1-1 2-2"]
        pairs = terms.pairs_of(sources, targets, links)
        self.assertEqual({source: dict(counts) for source, counts in pairs.items()},
                         {"hund": {"dog": 2, "hound": 1}})
        self.assertEqual(terms.choose(pairs, targets, 0.5, 1, other=False), ([("hund", "dog")], 2))
        self.assertEqual(terms.choose(pairs, targets, 0.5, 1, other=True), ([("hund", "hound")], 1))

    def test_the_seed_decides_and_the_share_ends_it(self):
        targets = [" ".join(f"word{chr(97 + i)}" for i in range(20)), "a a a"]
        pairs = {f"wort{i}": terms.collections.Counter({f"word{chr(97 + i)}": 1}) for i in range(20)}
        first = terms.choose(pairs, targets, 0.25, 3, other=False)
        self.assertEqual(first[1], 5)
        self.assertEqual(first, terms.choose(pairs, targets, 0.25, 3, other=False))
        self.assertNotEqual(first, terms.choose(pairs, targets, 0.25, 4, other=False))
        self.assertEqual(terms.choose(pairs, targets, 0.25, 3, other=True), ([], 0))


if __name__ == "__main__":
    unittest.main()
