"""The page of `heed attention`: what it opens with, how it fills a window, and its lecture."""
import unittest

import toy
from page import PageTest


class Opening(PageTest):
    def test_it_opens_on_the_layer_whose_columns_have_the_largest_weights(self):
        self.open_as_it_is()
        reach = {}
        for layer in ("0", "1"):
            matrix = self.matrices["cross"][1, layer, "mean"]
            reach[layer] = sum(max(row[at] for row in matrix.weights[:-1]) for at in range(12))
        best = max(reach, key=reach.get)
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": best, "head": "mean"})
        self.assertIn("the layer that aligns best", self.browser.run("document.querySelector('footer').textContent"))

    def test_where_there_are_no_means_it_opens_on_a_head(self):
        self.open_as_it_is("pruned/attention.html")
        heads = toy.read_matrices(self.folder / "pruned/attention.csv")
        reach = {key[1:]: sum(max(row[at] for row in matrix.weights[:-1]) for at in range(len(matrix.sources) - 1))
                 for key, matrix in heads.items()}
        layer, head = max(reach, key=reach.get)
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": layer, "head": head})

    def test_one_word_is_lit_and_a_sentence_says_what_it_looks_at(self):
        self.open_as_it_is()
        lit = [token["text"] for token in self.boxes("#target > .token.active")]
        self.assertEqual(len(lit), 1)
        self.assertRegex(self.status(), rf"^{lit[0]} looks at \S+ \d+(\.\d)?\s%( · \S+ \d+(\.\d)?\s%)*$")
        matrix = self.matrices["cross"][1, self.state()["layer"], "mean"]
        self.expect_lit("source", matrix.weights[matrix.targets.index(lit[0])])


class Lecture(PageTest):
    def test_the_key_l_leaves_the_matrix_the_status_and_the_temperature(self):
        self.open(width=1920, height=1080)
        small = self.browser.run("document.querySelector('td').offsetHeight")
        self.browser.run("document.activeElement.blur()")
        self.browser.press("l")
        self.assertGreater(self.browser.run("document.querySelector('td').offsetHeight"), small)
        self.assertEqual(self.browser.run("""[...document.querySelectorAll("h1, h2, .token, footer, #heads, .choosers > *")]
            .filter(each => each.checkVisibility()).map(each => each.querySelector("input")?.id)"""), ["temperature"])
        self.assertGreaterEqual(float(self.boxes("#status")[0]["size"]), 28)
        self.assertLessEqual(self.browser.run("element('scroll').getBoundingClientRect().bottom"), 1080)
        self.browser.click(*self.point_at("#matrix tbody th", 3))
        self.expect_lit("source", self.matrices["cross"][1, "0", "0"].weights[3])
        self.browser.press("l")
        self.assertEqual(self.browser.run("document.querySelector('td').offsetHeight"), small)
        self.browser.press("Escape")

    def test_the_matrix_fills_the_window_and_has_numbers(self):
        self.open(width=1920, height=1080)
        box, matrix = self.boxes("#matrix")[0], self.matrices["cross"][1, "0", "0"]
        self.assertGreater(box["right"] - box["left"], 1000)
        self.assertGreater(box["bottom"], 1000)
        texts = [cell["text"] for cell in self.boxes("#matrix td")]
        for text, weight in zip(texts, [weight for row in matrix.weights for weight in row], strict=True):
            if text:
                self.assertAlmostEqual(int(text), 100 * weight, delta=0.51)
            else:
                self.assertLess(weight, 0.0051)
        self.open(4)  # there is no room
        self.assertEqual({cell["text"] for cell in self.boxes("#matrix td")}, {""})


if __name__ == "__main__":
    unittest.main()
