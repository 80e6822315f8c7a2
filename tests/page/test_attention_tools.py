"""The knobs of the page of `heed attention` in headless Chromium: temperature, a second matrix, lines, saving."""
import base64
import csv
import io
import math
import unittest
import zlib
import xml.etree.ElementTree

import toy
from page import PageTest, overlaps


def softmax(scores):
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


class ToolsTest(PageTest):
    def heat(self, power):
        """Moves the slider: the temperature is two to this power."""
        self.browser.run(f"""(() => {{
            const slider = element("temperature");
            slider.value = "{power}";
            slider.dispatchEvent(new Event("input", {{bubbles: true}}));
        }})()""")
        self.browser.painted()

    def weights(self, which="view"):
        """The matrix on show."""
        return self.browser.run(f"""{which}.target.map((_, row) =>
            {which}.source.map((_, column) => weight({which}, row, column)))""")

    def expect_weights(self, got, expected, tolerance):
        for row, wanted in zip(got, expected, strict=True):
            for value, weight in zip(row, wanted, strict=True):
                self.assertAlmostEqual(value, weight, delta=tolerance)


class Temperature(ToolsTest):
    def test_scores_are_divided_by_it(self):
        self.open()
        self.select("unit", "pieces")
        weights = self.weights()
        for power in (-1, 1):
            self.heat(power)
            self.assertEqual(self.browser.run("element('temperature-value').textContent"), f"{2.0 ** power:.2f}")
            expected = [softmax([math.log(max(weight, 1e-30)) / 2 ** power for weight in row])
                        for row in weights]
            # The page has four decimals of each weight, and a root makes much of the last one.
            self.expect_weights(self.weights(), expected, 0.001 if power < 0 else 0.02)
        self.heat(0)
        self.assertEqual(self.weights(), weights)

    def test_weights_that_four_decimals_show_as_0_grow_with_it(self):
        self.open()
        steps = [0, 1 + round(math.log(0.00005 / 1e-6) / 0.3), 1 + round(math.log(0.00005 / 1e-9) / 0.3)]
        bytes_ = bytes([10000 % 128 + 128, 10000 // 128, *(byte for step in steps for byte in (0, step))])
        packed = base64.b64encode(zlib.compress(bytes_)).decode()
        shown = self.browser.run(f"""(async () => {{
            const one = {{lines: [["x"], ["a", "b", "c", "d"]], weights: "{packed}",
                         views: [{{softmax: true, source: 1, target: 0}}]}};
            await unpack(one);
            temperature = 4;
            const out = Array.from(sharpened(one.views[0]), value => value / 10000);
            temperature = 1;
            return out;
        }})()""")
        powers = [1, 0, 1e-6 ** 0.25, 1e-9 ** 0.25]
        self.expect_weights([shown], [[power / sum(powers) for power in powers]], 0.002)

    def test_means_and_words_follow_it_exactly(self):
        self.open()
        self.select("unit", "pieces")
        sides = [self.browser.run(f"view.{side}") for side in ("target", "source")]
        words = []  # of each side's pieces
        for pieces in sides:
            words.append([])
            for piece in pieces:
                words[-1].append(max(words[-1], default=-1) + (piece.startswith("\u2581") or piece == "</s>"))
        heads = []
        for head in range(toy.HEADS):
            self.select("head", str(head))
            heads.append(self.weights())
        self.heat(2)
        self.select("unit", "words")
        self.select("head", "-1")
        self.assertEqual(self.note(), ("Scores are divided by it.", "", True))
        expected = [[0.0] * 13 for _ in range(13)]
        for weights in heads:
            for row, word in zip(weights, words[0], strict=True):
                shares = softmax([math.log(max(weight, 1e-30)) / 4 for weight in row])
                for share, column in zip(shares, words[1], strict=True):
                    expected[word][column] += share / toy.HEADS / words[0].count(word)
        self.expect_weights(self.weights(), expected, 0.02)  # of weights below 0.00005 the page has the logarithm alone

    def test_the_picture_follows(self):
        self.open()
        entropy = []
        for power in (-2, 0, 2):
            self.heat(power)
            entropy.append(sum(-w * math.log(w) for row in self.weights() for w in row if w > 0))
            self.browser.move(0, 0)  # or the mouse would enter no token
            self.point_at("#target > .token", 3)
            self.expect_lit("source", self.weights()[3])
        self.assertEqual(entropy, sorted(entropy))
        self.assertLess(entropy[0], entropy[2] - 1)

    def note(self):
        """(what the slider's tooltip says, the note below it or "", whether the slider can be moved)"""
        return tuple(self.browser.run("""[element("temperature").title,
            element("temperature-note").hidden ? "" : element("temperature-note").textContent,
            !element("temperature").disabled]"""))

    def test_it_says_where_it_is_not_exact(self):
        self.open_as_it_is("evidence/attention.html")
        exact = "Scores are divided by it."
        inexact = ("These weights are no softmax, nor made of softmaxes on this page: they are only sharpened or "
                   "flattened.")
        self.begin_at_the_first_head()
        self.assertEqual(self.note(), (exact, "", True))  # head 0 by pieces
        self.heat(-1)
        self.assertEqual(self.note(), (exact, "", True))
        self.select("unit", "words")
        self.assertEqual(self.note(), (exact, "", True))  # of the pieces of this head
        self.select("unit", "pieces")
        self.assertEqual(self.note(), (exact, "", True))
        self.select("beside", "/cross/0/-1")  # whose other heads are not here
        self.assertEqual(self.note(), (inexact, inexact, True))
        self.select("beside", "")
        self.select("head", "-1")
        self.assertEqual(self.note(), (inexact, inexact, True))
        self.heat(0)
        self.assertEqual(self.note(), (inexact, "", True))
        self.heat(1)
        self.select("kind", "rollout")
        self.assertEqual(self.note(), (inexact, inexact, True))

    def test_evidence_is_left_as_it_is(self):
        self.open_as_it_is("evidence/attention.html")
        self.heat(-2)
        self.select("kind", "saliency")
        self.begin_at_the_first_head()
        useless = "Not available: this kind has no scores."
        self.assertEqual(self.note(), (useless, useless, False))
        shares = toy.read_matrices(self.folder / "evidence/attention-saliency.csv")[1, "0", "mean"]
        self.expect_weights(self.weights(), shares.weights, 0.00006)
        self.select("kind", "cross")
        self.select("beside", "/saliency/0/-1")
        self.assertTrue(self.note()[2])
        self.expect_weights(self.weights("beside"), shares.weights, 0.00006)
        cross = toy.read_matrices(self.folder / "evidence/attention-cross.csv")[1, "0", "0"]
        self.assertGreater(max(self.weights()[0]), max(cross.weights[0]) + 0.05)

    def test_a_token_stays_lit(self):
        self.open()
        self.browser.click(*self.point_at("#target > .token", 4))
        self.heat(-1)
        self.expect_lit("source", self.weights()[4])


class Beside(ToolsTest):
    def test_another_head_stands_beside_the_first_on_the_same_scale(self):
        self.open()
        self.select("beside", "/cross/1/2")
        second = self.matrices["cross"][1, "1", "2"]
        self.expect_weights(self.weights("beside"), second.weights, 0.00006)
        self.assertEqual(len(self.boxes("#matrix-beside td")), 13 * 13)
        names = self.browser.run("['matrix-name', 'beside-name'].map(id => element(id).textContent)")
        self.assertEqual(names, ["layer 0, head 0", "layer 1, head 2"])
        largest = max(max(map(max, self.matrices["cross"][1, *key].weights)) for key in (("0", "0"), ("1", "2")))
        self.assertEqual(self.browser.run("element('largest').textContent"), f"{largest:.2f}")
        self.select("beside", "")
        self.assertEqual(self.boxes("#matrix-beside td"), [])
        self.assertTrue(self.browser.run("element('beside-section').hidden"))

    def test_a_cell_of_either_lights_the_tokens_by_its_own_matrix(self):
        self.open()
        self.select("beside", "/cross/1/2")
        first, second = (self.matrices["cross"][1, *key] for key in (("0", "0"), ("1", "2")))
        self.point_at("#matrix-beside td", 13 * 2 + 5)
        self.expect_lit("source", second.weights[2])
        self.assertEqual(self.status(), f"{first.targets[2]} → {first.sources[5]}: "
                                        f"{first.weights[2][5]:.4f} · {second.weights[2][5]:.4f}")
        self.point_at("#matrix td", 13 * 2 + 5)
        self.expect_lit("source", first.weights[2])

    def test_keys_move_through_the_second_matrix(self):
        self.open()
        self.select("beside", "/cross/1/2")
        self.browser.run("element('matrix-beside').querySelector('td').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("ArrowRight")
        self.assertEqual(self.browser.run("indicesOf(document.activeElement)"), [1, 1])
        self.assertTrue(self.browser.run("tables[1].contains(document.activeElement)"))

    def test_two_models_stand_beside_each_other(self):
        self.open_as_it_is("two/attention.html")
        self.begin_at_the_first_head()
        self.assertEqual(self.browser.run("[...element('model').options].map(one => one.text)"), ["model", "other"])
        self.select("beside", "other/cross/1/2")
        other = toy.read_matrices(self.folder / "one/attention.csv")[1, "1", "2"]
        self.expect_weights(self.weights("beside"), other.weights, 0.00006)
        self.select("model", "other")
        first = toy.read_matrices(self.folder / "one/attention.csv")[1, "0", "0"]
        self.expect_weights(self.weights(), first.weights, 0.00006)


class Lines(ToolsTest):
    def visible(self):
        return self.browser.run("""[...document.querySelectorAll("#links line")]
            .filter(line => line.style.visibility !== "hidden")
            .map(line => [Number(line.dataset.row), Number(line.dataset.column),
                          Number(line.getAttribute("stroke-opacity"))])""")

    def test_lines_are_as_dark_as_the_weights(self):
        self.open()
        self.assertEqual(self.visible(), [])
        self.browser.click(*self.point_at("#links-on"))
        matrix = self.matrices["cross"][1, "0", "0"]
        largest = max(map(max, matrix.weights))
        wanted = {(row, column): weight / largest for row, weights in enumerate(matrix.weights)
                  for column, weight in enumerate(weights)}
        lines = self.visible()
        for row, column, opacity in lines:
            self.assertAlmostEqual(opacity, wanted[row, column], delta=0.0061)
        drawn = {(row, column) for row, column, _ in lines}
        for place, share in wanted.items():
            if abs(share - 0.02) > 0.001:
                self.assertEqual(place in drawn, share > 0.02, (place, share))

    def test_a_lit_token_keeps_its_own_lines(self):
        self.open()
        self.browser.click(*self.point_at("#links-on"))
        self.point_at("#target > .token", 2)
        self.assertEqual({row for row, _, _ in self.visible()}, {2})
        self.point_at("#source > .token", 5)
        self.assertLessEqual({column for _, column, _ in self.visible()}, {5})

    def test_names_do_not_touch_and_the_page_stays_as_wide_as_a_telephone(self):
        for width in (1200, 360):
            self.open(1, width)
            self.browser.run("element('links-on').click()")
            self.select("beside", "/cross/1/2")
            self.assertEqual(overlaps(self.boxes("#links text")), [])
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), width)


class Saving(ToolsTest):
    def saved(self, button):
        """(name, text) of what a click saves."""
        self.browser.run("""(() => {
            window.kept = [];
            URL.createObjectURL = blob => { kept.push(blob.text()); return "#"; };
            HTMLAnchorElement.prototype.click = function() { kept.push(this.download); };
        })()""")
        self.browser.click(*self.point_at(f"#{button}"))
        text, name = self.browser.run("Promise.all(kept)")
        return name, text

    def test_the_table_has_what_is_on_show(self):
        self.open()
        self.select("head", "1")
        name, text = self.saved("save-csv")
        self.assertEqual(name, "sentence1-cross-layer0-head1.csv")
        matrix = self.matrices["cross"][1, "0", "1"]
        rows = list(csv.reader(io.StringIO(text)))
        self.assertEqual(rows[0], "sentence,kind,layer,head,target_position,target_token,source_position,"
                                  "source_token,weight".split(","))
        self.assertEqual(len(rows), 1 + 13 * 13)
        for row in rows[1:]:
            target, source = int(row[4]), int(row[6])
            self.assertEqual(row[:4], ["1", "cross", "0", "1"])
            self.assertEqual((row[5], row[7]), (matrix.targets[target], matrix.sources[source]))
            self.assertAlmostEqual(float(row[8]), matrix.weights[target][source], delta=0.00006)

    def test_the_table_tells_two_kinds_apart(self):
        self.open_as_it_is("evidence/attention.html")
        self.select("head", "-1")
        self.select("beside", "/saliency/0/-1")
        _, text = self.saved("save-csv")
        rows = list(csv.DictReader(io.StringIO(text)))
        places = {tuple(row[key] for key in ("kind", "layer", "head", "target_position", "source_position"))
                  for row in rows}
        self.assertEqual(len(places), len(rows))
        self.assertEqual({row["kind"] for row in rows}, {"cross", "saliency"})

    def test_the_picture_has_what_is_on_show(self):
        self.open()
        self.select("beside", "/cross/1/2")
        self.browser.run("element('links-on').click()")
        self.heat(-1)
        name, text = self.saved("save-svg")
        self.assertEqual(name, "sentence1-cross-layer0-head0.svg")
        root = xml.etree.ElementTree.fromstring(text)
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(list(root.iter(f"{svg}rect"))), 1 + 2 * 13 * 13)
        self.assertGreater(len(list(root.iter(f"{svg}line"))), 13)
        texts = [one.text for one in root.iter(f"{svg}text")]
        self.assertIn("cross-attention, layer 1, head 2, temperature 0.50", texts)
        for token in toy.TWELVE:
            self.assertGreaterEqual(texts.count(token), 8, token)  # two matrices, two drawings of lines

    def test_names_are_shortened_to_their_room(self):
        self.open()
        for name, shown in (("a" * 18, "a" * 18), ("a" * 19, "a" * 17 + "\u2026"), ("\u4e2d" * 10, "\u4e2d" * 10),
                            ("\u4e2d" * 12, "\u4e2d" * 10 + "\u2026")):
            self.assertEqual(self.browser.run(f"labelOf('{name}')"), shown)

    def test_no_caption_is_cut_where_the_sentence_is_short(self):
        self.open()
        self.browser.run("sentence.views.forEach(each => { each.source.length = 2; })")
        self.heat(-1)
        right, width = self.browser.run("""(() => {
            document.body.innerHTML = pictureText();
            const svg = document.querySelector("svg"), caption = svg.querySelector("text");
            return [caption.getBBox().x + caption.getBBox().width, svg.viewBox.baseVal.width];
        })()""")
        self.assertLess(right, width)

    def test_sentences_that_would_be_markup_are_text_in_it(self):
        self.open_as_it_is("hostile/attention.html")
        _, text = self.saved("save-svg")
        names = {one.tag.split("}")[1] for one in xml.etree.ElementTree.fromstring(text).iter()}
        self.assertEqual(names, {"svg", "title", "rect", "g", "text"})


if __name__ == "__main__":
    unittest.main()
