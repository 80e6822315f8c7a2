"""inline_code.py: how sentences of Markdown are read and marked again, and which places are gold."""

import random
import unittest

import inline_code


class InlineCode(unittest.TestCase):
    def test_a_sentence_is_read_and_written(self):
        one = inline_code.Sentence("The **new [manual](a/b.md)** of `heed x`, and *more*.")
        self.assertEqual(one.tokens, ["The", "new", "manual", "of", "`heed x`", ",", "and", "more", "."])
        self.assertEqual(one.elements, [["strong", 1, 3], ["link", 2, 3], ["emphasis", 7, 8]])
        self.assertEqual(one.written(), "The new manual of `heed x`, and more.")
        self.assertEqual(one.written(one.marked()), "The **new [manual](t1)** of `heed x`, and *more*.")
        with self.assertRaises(ValueError):
            inline_code.Sentence("See https://example.org.")

    def test_marks_of_a_sentence_occur_once(self):
        one = inline_code.Sentence("a **b** c **d** e **f** g.")
        self.assertEqual([mark for *_, mark, _ in one.marked()], ["**", "__"])

    def test_what_is_marked_is_found_again(self):
        tokens, runs, bare = inline_code.placed("Das **neue [Buch](t1)** `x y`, __mehr__.")
        self.assertEqual(tokens, ["Das", "neue", "Buch", "`x y`", ",", "mehr", "."])
        self.assertEqual(runs, {"](t1)": (2, 3), "**": (1, 3), "__": (5, 6)})
        self.assertEqual(bare, "Das neue Buch `x y`, mehr.")

    def test_a_gold_place_is_closed_and_sure(self):
        source, target = ["a", "b", "c"], ["C", "A", "B", "."]
        links = {(0, 1), (1, 2), (2, 0)}
        self.assertEqual(inline_code.gold_place(0, 2, source, target, links, links), (1, 3))
        # Words between those of the run belong to another word.
        self.assertIsNone(inline_code.gold_place(1, 3, source, target, links, links))
        # The end is not sure, and a word has no link.
        self.assertIsNone(inline_code.gold_place(0, 2, source, target, links, {(0, 1), (2, 0)}))
        self.assertIsNone(inline_code.gold_place(0, 2, source, target, {(0, 1)}, {(0, 1)}))

    def test_verdicts_do_not_count_punctuation(self):
        tokens = ["A", ",", "B", "C"]
        self.assertEqual(inline_code.verdict((0, 2), (0, 1), tokens), "gold")
        self.assertEqual(inline_code.verdict((0, 3), (2, 4), tokens), "overlaps")
        self.assertEqual(inline_code.verdict((0, 2), (2, 4), tokens), "elsewhere")

    def test_planted_runs_have_a_rare_word(self):
        source, target = ["the", "dog", "barks"], ["der", "Hund", "bellt"]
        links = {(0, 0), (1, 1), (2, 2)}
        for seed in range(9):
            for begin, end, *_ in inline_code.planted(source, target, (links, links), {"the"}, random.Random(seed)):
                self.assertNotEqual((begin, end), (0, 1))


if __name__ == "__main__":
    unittest.main()
