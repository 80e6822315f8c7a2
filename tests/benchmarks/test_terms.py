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
        sources = ["Ein Hund .", "ein Hund, ein Ball", "ein Hund 3", "Hund", "Hund", "Hund", "ein ein ein"]
        targets = ["A dog .", "a hound a ball", "a dog 3", "dog", "hound", "whelp", "a a a"]
        links = ["0-0 1-1 2-2", "0-0 1-1 3-2 3-3", "1-1 2-2", "0-0", "0-0", "0-0", ""]
        pairs = terms.pairs_of(sources, targets, links)
        self.assertEqual({source: dict(counts) for source, counts in pairs.items()},
                         {"hund": {"dog": 3, "hound": 2, "whelp": 1}})
        self.assertEqual(terms.choose(pairs, targets, 0.5, 1, "usual"), ([("hund", "dog")], 3))
        self.assertEqual(terms.choose(pairs, targets, 0.5, 1, "other"), ([("hund", "hound")], 2))
        self.assertEqual(terms.choose(pairs, targets, 0.5, 1, "several"), ([("hund", "dog", "hound")], 5))

    def test_a_line_fits_where_its_reference_has_a_target_of_each_term(self):
        glossary = [("hund", "dog", "hound"), ("ball", "ball")]
        fits = terms.fitting(glossary, ["Ein Hund, ein Ball", "Hund", "ein Ball", "ein", "Hund Ball"],
                             ["a hound, a ball.", "cat", "Ball", "a", "a dog"])
        self.assertEqual(fits, [True, False, True, True, False])

    def test_the_seed_decides_and_the_share_ends_it(self):
        targets = [" ".join(f"word{chr(97 + i)}" for i in range(20)), "a a a"]
        pairs = {f"wort{i}": terms.collections.Counter({f"word{chr(97 + i)}": 1}) for i in range(20)}
        first = terms.choose(pairs, targets, 0.25, 3, "usual")
        self.assertEqual(first[1], 5)
        self.assertEqual(first, terms.choose(pairs, targets, 0.25, 3, "usual"))
        self.assertNotEqual(first, terms.choose(pairs, targets, 0.25, 4, "usual"))
        self.assertEqual(terms.choose(pairs, targets, 0.25, 3, "other"), ([], 0))


if __name__ == "__main__":
    unittest.main()
