"""tags.py: where tags are put, and where they are found."""

import random
import unittest

import tags


class Tags(unittest.TestCase):
    def test_phrase_pairs_are_runs_that_no_link_leaves(self):
        # "did not leave" is "nit lassen": "did" and "leave" are one word, and "not" is between them. Word 3 has no link.
        links = [(0, 1), (1, 0), (2, 1), (4, 2), (5, 4)]
        self.assertEqual(tags.phrase_pairs(links),
                         {(1, 2): (0, 1), (0, 3): (0, 2), (4, 5): (2, 3), (5, 6): (4, 5)})
        self.assertEqual(tags.phrase_pairs([]), {})

    def test_links_are_sure_or_possible(self):
        self.assertEqual(tags.links_of("0-1 2p13"), [(0, 1), (2, 13)])

    def test_a_gap_is_no_run(self):
        self.assertEqual(tags.phrase_pairs([(0, 0), (0, 2), (1, 1)]), {(1, 2): (1, 2), (0, 2): (0, 3)})

    def test_chosen_runs_do_not_overlap(self):
        pairs = {(0, 1): (0, 1), (0, 2): (0, 2), (1, 3): (1, 3), (3, 4): (3, 4)}
        for seed in range(20):
            runs = tags.choose(pairs, 3, random.Random(seed))
            self.assertTrue(all(one[1] <= other[0] for one, other in zip(runs, runs[1:])), runs)
            self.assertLessEqual(len(tags.choose(pairs, 1, random.Random(seed))), 1)

    def test_what_is_tagged_is_found_again(self):
        line = tags.tagged(["a", "<b", "c", "d"], [(0, 1), (1, 3)])
        self.assertEqual(line, "<t0>a</t0> <t1>&lt;b c</t1> d")
        self.assertEqual(tags.places(line), (["a", "<b", "c", "d"], {0: (0, 1), 1: (1, 3)}))
        self.assertEqual(tags.places("<t1></t1>a <t0>b</t0>"), (["a", "b"], {1: (0, 0), 0: (1, 2)}))

    def test_verdicts(self):
        gold = 2, 4
        for run, wanted in (((2, 4), "gold"), ((1, 4), "wider"), ((2, 3), "narrower"), ((3, 5), "elsewhere"),
                            ((2, 2), "empty")):
            self.assertEqual(tags.verdict(run, gold), wanted)


if __name__ == "__main__":
    unittest.main()
