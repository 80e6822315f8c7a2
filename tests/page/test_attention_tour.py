"""The tour of the page of `heed attention`: two sentences that differ in one word."""
import unittest

import toy
from page import PageTest

FIRST, SECOND = 2, 3  # of toy.TOUR, as the page counts them
CHANGED = 3  # the place of the word


class Tour(PageTest):
    def open_tour(self):
        self.open_as_it_is("tour/attention.html")

    def matrices_of(self, kind):
        """(layer, head) to the matrices of the two sentences."""
        all_of = toy.read_matrices(self.folder / f"tour/attention-{kind}.csv")
        return {key[1:]: (one, all_of[SECOND, *key[1:]]) for key, one in all_of.items() if key[0] == FIRST}

    def translated(self):
        """The mean of heads that aligns best, the row of the word that is translated otherwise, and the column that it looks at."""
        def reach(matrix):
            return sum(max(row[at] for row in matrix.weights[:-1]) for at in range(CHANGED + 1))

        means = {key: pair for key, pair in self.matrices_of("cross").items() if key[1] == "mean"}
        layer, head = max(means, key=lambda key: reach(means[key][0]))
        pair = means[layer, head]
        origin = lambda matrix, row: max(range(CHANGED + 1), key=matrix.weights[row].__getitem__)
        row = next(row for row in range(len(pair[0].targets)) if pair[0].targets[row] != pair[1].targets[row]
                   and all(origin(one, row) != CHANGED for one in pair))
        return layer, head, row, origin(pair[0], row)

    def most_moved(self, row):
        """(share, layer, head) of the head in which a row's attention moves most."""
        return max((sum(abs(a - b) for a, b in zip(one.weights[row], other.weights[row], strict=True)) / 2, layer, head)
                   for (layer, head), (one, other) in self.matrices_of("encoder").items())

    def note(self):
        shown = self.boxes("#tour-note:not([hidden])")
        return shown[0]["text"].replace("\u2068", "").replace("\u2069", "").replace("\u00a0", " ") if shown else None

    def go_on(self):
        before = self.note()
        self.browser.run("element('tour').click()")
        self.browser.wait(f"!element('tour-note').hidden && element('tour-note').textContent.slice(0, 1) !== '{(before or ' ')[0]}'")
        self.browser.painted()

    def lit(self):
        return [index for index, token in enumerate(self.boxes("#target > .token"))
                if token["outline"] != "none"]

    def shown_sentence(self):
        return self.browser.run("sentence.id")

    def expect_stop(self, note, kind, which, sentence, row):
        self.go_on()
        self.assertEqual(self.note(), note)
        self.assertEqual(self.state(), {"kind": kind, "layer": which[0], "head": which[1]})
        self.assertEqual((self.shown_sentence(), self.lit()), (sentence, [row]))
        matrices = self.matrices_of("cross" if kind == "cross-attention" else "encoder")[which]
        self.expect_lit("source", matrices[sentence - FIRST].weights[row])

    def test_it_shows_the_word_that_is_translated_otherwise_and_how_its_attention_moves(self):
        self.open_tour()
        self.assertIsNone(self.note())
        layer, head, row, at = self.translated()
        self.assertEqual(row, 2)  # fox, quick
        word = toy.TOUR[1][at]
        where = "cross-attention", (layer, head)
        self.expect_stop(f"1 of 4: with a, {word} becomes fox.", *where, FIRST, row)
        self.expect_stop(f"2 of 4: with Straßenbahn in place of a, {word} becomes quick.", *where, SECOND, row)
        share, *which = self.most_moved(at)
        where = "encoder self-attention", tuple(which)
        self.expect_stop(f"3 of 4: with a. Here the attention of {word} changes more than in any other layer or head.", *where, FIRST, at)
        digits = 1 if share < 0.0995 else 0
        self.expect_stop(f"4 of 4: with Straßenbahn in place of a, {100 * share:.{digits}f} % of the attention of {word} has moved.",
                         *where, SECOND, at)

    def test_with_self_attention_alone_it_shows_the_word_whose_attention_moves_most(self):
        self.open_tour()
        self.browser.run("sentences.forEach(one => { one.views = one.views.filter(each => each.kind === 'encoder'); })")
        (share, layer, head), row = max((self.most_moved(row), row) for row in range(CHANGED))
        word, where = toy.TOUR[1][row], ("encoder self-attention", (layer, head))
        self.expect_stop(f"1 of 2: with a. Here the attention of {word} changes more than in any other layer or head.", *where, FIRST, row)
        digits = 1 if share < 0.0995 else 0
        self.expect_stop(f"2 of 2: with Straßenbahn in place of a, {100 * share:.{digits}f} % of the attention of {word} has moved.",
                         *where, SECOND, row)

    def test_it_ends_and_begins_again(self):
        self.open_tour()
        for _ in range(4):
            self.go_on()
        self.browser.run("document.activeElement.blur()")
        self.browser.press("t")
        self.browser.wait("element('tour-note').hidden")
        self.browser.press("t")
        self.browser.wait("!element('tour-note').hidden")
        self.assertIn("1 of 4", self.note())
        self.select("sentence", "0")
        self.assertIsNone(self.note())

    def test_without_such_sentences_there_is_no_tour(self):
        self.open()
        self.assertTrue(self.browser.run("element('tour').hidden"))
        self.browser.run("document.activeElement.blur()")
        self.browser.press("t")
        self.assertIsNone(self.note())

    def test_a_sentence_of_one_word_has_nothing_that_looks_elsewhere(self):
        self.open_tour()
        pair = """(() => {{
            sentences = {}.map(words => ({{views: [{{kind: "encoder", unit: "words", source: [...words, "</s>"]}}]}}));
            return minimalPair();
        }})()"""
        self.assertIsNone(self.browser.run(pair.format('[["a"], ["b"]]')))
        self.assertEqual(self.browser.run(pair.format('[["a", "c"], ["b", "c"]]')), [0, 1])


if __name__ == "__main__":
    unittest.main()
