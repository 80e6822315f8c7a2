"""Looks at the page of `heed attention` in headless Chromium."""
import json
import unittest

import toy
from page import PageTest, contrast, overlaps, rgb

END = ["</s>"]


def column(matrix, index):
    return [row[index] for row in matrix.weights]


class Lighting(PageTest):
    def test_a_target_token_under_the_mouse_lights_the_sources_it_looks_at(self):
        for sentence in (1, 4):
            self.open(sentence)
            matrix = self.matrices["cross"][sentence, "0", "0"]
            self.assertEqual(self.texts("target"), matrix.targets)
            for index in (0, 5, 11):
                self.point_at("#target > .token", index)
                with self.subTest(sentence=sentence, index=index):
                    self.expect_lit("source", matrix.weights[index])
                    self.expect_unlit("target")

    def test_a_source_token_under_the_mouse_lights_the_targets_that_look_at_it(self):
        self.open()
        matrix = self.matrices["cross"][1, "0", "0"]
        for index in (1, 7, 12):
            self.point_at("#source > .token", index)
            self.expect_lit("target", column(matrix, index))
            self.expect_unlit("source")

    def test_what_is_read_aloud_and_written_under_tokens_is_the_weight(self):
        self.open()
        weights = self.matrices["cross"][1, "0", "0"].weights[3]
        self.point_at("#target > .token", 3)
        best = max(range(len(weights)), key=weights.__getitem__)
        shown = self.tokens("source")[best]["small"]
        self.assertAlmostEqual(float(shown.rstrip("%")), 100 * weights[best], delta=0.51)
        target = self.matrices["cross"][1, "0", "0"].targets[3]
        self.assertTrue(self.status().startswith(f"{target} looks at "), self.status())
        self.assertIn(shown, self.status())

    def test_leaving_puts_the_lights_out_and_a_click_keeps_them(self):
        self.open()
        self.point_at("#target > .token", 2)
        self.browser.move(5, 5)
        self.expect_unlit("source")
        self.browser.click(*self.point_at("#target > .token", 2))
        self.browser.move(5, 5)
        self.expect_lit("source", self.matrices["cross"][1, "0", "0"].weights[2])
        self.select("layer", "1")  # the token stays, its partners are those of the other layer
        self.expect_lit("source", self.matrices["cross"][1, "1", "0"].weights[2])
        self.browser.press("Escape")
        self.expect_unlit("source")

    def test_in_the_dark_the_brightest_is_the_strongest(self):
        self.open(dark=True)
        self.assertLess(sum(rgb(self.boxes("html")[0]["paper"])), 120)
        self.point_at("#target > .token", 4)
        self.expect_lit("source", self.matrices["cross"][1, "0", "0"].weights[4])

    def test_lit_words_can_be_read(self):
        for dark in (False, True):
            self.open(dark=dark)
            ground = rgb(self.boxes("html")[0]["paper"])
            for index in range(13):
                self.point_at("#target > .token", index)
                for token in self.tokens("source") + self.tokens("target"):
                    paper = rgb(token["paper"]) or ground
                    self.assertGreater(contrast(rgb(token["ink"]), paper), 4.5, token)


class Keys(PageTest):
    def focused(self):
        """[side, index] of the token, or [id, -1] of another element, that has the focus."""
        return self.browser.run("""(() => {
            const at = document.activeElement, line = at.closest(".tokens");
            return line ? [line.id, [...line.children].indexOf(at)] : [at.id, -1];
        })()""")

    def test_tab_reaches_everything_and_arrows_light_tokens(self):
        self.open()
        order = []
        while self.focused() != ["source", 0]:
            self.browser.press("Tab")
            order.append(self.focused()[0])
            self.assertLess(len(order), 20)
        self.assertEqual(order, ["sentence", "before", "after", "kind", "layer", "head", "unit", "beside", "temperature",
                                 "links-on", "save-svg", "save-csv", "lecture", "source"])
        matrix = self.matrices["cross"][1, "0", "0"]
        self.expect_lit("target", column(matrix, 0))
        for key, token in (("ArrowRight", ["source", 1]), ("ArrowRight", ["source", 2]),
                           ("ArrowDown", ["target", 2]), ("ArrowLeft", ["target", 1]),
                           ("End", ["target", 12]), ("ArrowRight", ["target", 12]),
                           ("Home", ["target", 0]), ("ArrowUp", ["source", 0])):
            self.browser.press(key)
            self.assertEqual(self.focused(), token, key)
            side, index = token
            if side == "source":
                self.expect_lit("target", column(matrix, index))
            else:
                self.expect_lit("source", matrix.weights[index])
            shown = self.tokens(side)[index]
            self.assertNotEqual(shown["outline"], "none")
            self.assertGreaterEqual(float(shown["width"].rstrip("px")), 2)
        self.browser.press("Escape")
        self.expect_unlit("target")

    def test_a_chooser_obeys_the_arrows(self):
        self.open()
        self.browser.run("element('head').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("ArrowDown")
        self.browser.wait("element('head').value === '2' && view.head === 2")
        self.browser.run("document.activeElement.blur()")

    def test_where_a_line_runs_from_right_to_left_so_do_the_arrows(self):
        self.open(2)
        self.browser.run("document.querySelector('#source > .token').focus()")
        self.browser.press("ArrowLeft")
        self.assertEqual(self.focused(), ["source", 1])
        self.browser.press("ArrowRight")
        self.assertEqual(self.focused(), ["source", 0])

    def test_enter_keeps_a_token_lit(self):
        self.open()
        self.browser.run("document.querySelector('#source > .token').focus()")
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        self.point_at("#target > .token", 7)
        self.expect_lit("source", self.matrices["cross"][1, "0", "0"].weights[0])
        self.assertEqual(self.browser.run(
            "[...document.querySelectorAll('[aria-pressed=true].token')].map(t => t.ariaLabel)"),
            [f"{toy.TWELVE[-1]}, target 1 of 13"])

    def test_the_matrix_is_walked_by_arrows(self):
        self.open()
        matrix = self.matrices["cross"][1, "0", "0"]
        self.browser.run("document.querySelector('#matrix td').focus()")
        for key, (row, place) in (("ArrowDown", (1, 0)), ("ArrowRight", (1, 1)), ("End", (1, 12)),
                                  ("ArrowUp", (0, 12))):
            self.browser.press(key)
            label = f"{matrix.targets[row]} to {matrix.sources[place]}: "
            self.assertEqual(self.browser.run("document.activeElement.ariaLabel"),
                             f"{label}{matrix.weights[row][place]:.4f}")
            self.assertIn(f": {matrix.weights[row][place]:.4f}", self.status())

    def test_everything_to_press_has_a_name(self):
        self.open()
        nameless = self.browser.run("""
            [...document.querySelectorAll("button, select, [role=button]")]
                .filter(each => !(each.ariaLabel || each.closest("label") || each.textContent))
                .map(each => each.outerHTML)""")
        self.assertEqual(nameless, [])


class Choosing(PageTest):
    def shades(self):
        """Strength of each cell, row by row."""
        rows = self.browser.run("""[...element("matrix").tBodies[0].rows].map(line =>
            [...line.querySelectorAll("td")].map(cell => cell.style.backgroundColor))""")
        return [[765 - sum(rgb(cell)) for cell in row] for row in rows]

    def expect_matrix(self, matrix):
        for where, tokens in (("thead", matrix.sources), ("tbody", matrix.targets)):
            self.assertEqual([box["text"] for box in self.boxes(f"#matrix {where} span")],
                             tokens)
        shades = self.shades()
        for row, weights in enumerate(matrix.weights):
            best = max(range(len(weights)), key=weights.__getitem__)
            self.assertEqual(shades[row][best], max(shades[row]), row)
            for i, weight in enumerate(weights):
                if weight < weights[best] - 0.02:
                    self.assertLess(shades[row][i], shades[row][best])

    def test_kind_layer_and_head_change_the_matrix(self):
        self.open()
        for kind in ("encoder", "decoder", "cross"):
            self.select("kind", kind)
            for layer, head in (("0", "1"), ("1", "2"), ("1", "mean")):
                self.select("layer", layer)
                self.select("head", {"mean": "-1"}.get(head, head))
                self.assertEqual(self.state()["layer"], layer)
                self.assertEqual(self.state()["head"], head)
                self.expect_matrix(self.matrices[kind][1, layer, head])

    def test_a_picture_of_a_head_chooses_it(self):
        self.open()
        self.assertEqual(len(self.boxes("#heads button")), toy.LAYERS * (toy.HEADS + 1))
        self.browser.click(*self.point_at("#heads button", (toy.HEADS + 1) + 2))
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": "1", "head": "2"})
        self.expect_matrix(self.matrices["cross"][1, "1", "2"])

    def test_a_picture_chooses_a_head_that_the_layer_on_show_lacks(self):
        self.open_as_it_is("pruned/attention.html")
        self.select("layer", "1")
        self.browser.click(*self.point_at("#heads button", toy.HEADS - 1))
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": "0", "head": "2"})
        self.browser.press("ArrowDown")
        self.browser.press("Enter")
        self.browser.painted()
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": "1", "head": "1"})
        self.browser.press("ArrowUp")
        self.browser.press("Enter")
        self.browser.painted()
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": "0", "head": "1"})

    def test_sentences_are_named_and_stepped_through(self):
        self.open()
        names = self.browser.run("[...element('sentence').options].map(one => one.text)")
        self.assertEqual(names[0], "1: " + " ".join(toy.TWELVE))
        self.assertTrue(names[3].endswith("…"))
        self.browser.click(*self.point_at("#before"))  # from the first round to the last
        self.browser.wait("document.querySelectorAll('#source > .token').length == 100")
        self.expect_matrix(self.matrices["cross"][4, "0", "0"])

    def test_a_cell_under_the_mouse_tells_its_weight(self):
        self.open()
        matrix = self.matrices["cross"][1, "0", "0"]
        self.point_at("#matrix td", 13 * 4 + 8)
        self.assertEqual(self.status(), f"{matrix.targets[4]} → {matrix.sources[8]}: "
                                        f"{matrix.weights[4][8]:.4f}")
        self.expect_lit("source", matrix.weights[4])

    def test_the_legend_ends_at_the_largest_weight(self):
        self.open()
        largest = max(map(max, self.matrices["cross"][1, "0", "0"].weights))
        self.assertEqual(self.browser.run("element('largest').textContent"), f"{largest:.2f}")


class Layout(PageTest):
    def places(self):
        """The edges of every token, name of the matrix and cell of its first column."""
        return [[box[side] for side in ("left", "top", "right", "bottom")]
                for box in self.boxes("#source > .token, #target > .token, th, th + td")]

    def test_no_label_lies_over_another_for_12_and_for_100_tokens(self):
        for sentence, count in ((1, 13), (4, 100)):
            self.open(sentence)
            for width in (1200, 400):
                self.browser.resize(width, 900)
                for selector in ("#source > .token", "#target > .token", "#matrix thead span",
                                 "#matrix tbody span"):
                    boxes = self.boxes(selector)
                    self.assertEqual(len(boxes), count, selector)
                    self.assertEqual(overlaps(boxes), [], (selector, width))
                    for box in boxes:
                        self.assertGreaterEqual(box["size"], 14, box)
                whole = self.boxes("h1, .bar, #source, #target, #glance, #scroll")
                self.assertEqual(overlaps(whole), [])

    def test_light_moves_nothing(self):
        for sentence in (1, 4):
            self.open(sentence)
            where = self.places()
            for token in ("#target > .token", "#source > .token"):
                for index in (0, 3):
                    self.browser.move(*self.browser.run(f"""(() => {{
                        const box = document.querySelectorAll("{token}")[{index}]
                            .getBoundingClientRect();
                        return [box.left + 8, box.top + 8];
                    }})()"""))
                    self.browser.painted()
                    self.assertNotEqual(self.boxes(".active"), [])
                    self.assertEqual(self.places(), where)

    def test_a_large_matrix_scrolls_and_does_not_shrink(self):
        self.open(4)
        sizes = self.browser.run("""(() => {
            const scroll = element("scroll"), cell = document.querySelector("td");
            return [scroll.scrollWidth, scroll.clientWidth, cell.offsetWidth, cell.offsetHeight,
                    document.documentElement.scrollWidth];
        })()""")
        self.assertGreater(sizes[0], sizes[1])
        self.assertGreaterEqual(min(sizes[2:4]), 20)
        self.assertLessEqual(sizes[4], 1200)  # the page itself does not

    def test_names_stay_in_sight_while_a_large_matrix_scrolls(self):
        self.open(4, height=600)
        self.browser.run("document.querySelector('#matrix td').focus()")
        hidden = """(() => {
            const box = one => one.getBoundingClientRect(), whole = box(element("scroll"));
            const corner = box(element("matrix").tHead.rows[0].cells[0]);
            const cell = box(document.activeElement);
            return cell.left < corner.right - 1 || cell.top < corner.bottom - 1 ||
                   cell.right > whole.right + 1 || cell.bottom > whole.bottom + 1 ||
                   box(document.activeElement.parentElement.cells[0]).left < whole.left;
        })()"""
        for key in ("End", *["ArrowDown"] * 30, "Home", *["ArrowUp"] * 30):
            self.browser.press(key)
            self.assertFalse(self.browser.run(hidden), key)

    def test_nothing_is_wider_than_a_telephone(self):
        for sentence in (1, 2, 4):
            self.open(sentence, width=360, height=700)
            self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 360)


class Scripts(PageTest):
    def test_tokens_of_every_script_are_there_as_they_were_written(self):
        for sentence, words in ((1, toy.TWELVE), (2, toy.RIGHT_TO_LEFT), (3, toy.UNKNOWN)):
            self.open(sentence)
            self.assertEqual(self.texts("source"), words + END)
            self.assertEqual(self.texts("target"), words[::-1] + END)
            for box in self.tokens("source") + self.boxes("#matrix thead span"):
                self.assertGreater(box["right"] - box["left"], 6, box)
                self.assertFalse(box["cut"], box)

    def test_a_sentence_that_begins_in_arabic_runs_from_right_to_left(self):
        self.open(2)
        first, second = self.tokens("source")[:2]
        self.assertGreater(first["left"], second["right"])
        self.open(1)
        first, second = self.tokens("source")[:2]
        self.assertLess(first["right"], second["left"])
        directions = self.browser.run("""[...document.querySelectorAll("#source span")]
            .map(name => getComputedStyle(name).direction)""")
        self.assertEqual([word for word, runs in zip(toy.TWELVE, directions) if runs == "rtl"],
                         ["مرحبا"])

    def test_a_name_in_brackets_does_not_say_where_a_line_begins(self):
        self.open(1)
        for tokens, runs in ((["<s>", "\u05e9\u05dc\u05d5\u05dd"], "rtl"), (["\u2581<2he>", "hello"], "ltr"),
                             (["__ar__", "\u0645"], "rtl"), (["<s>"], "ltr")):
            self.assertEqual(self.browser.run(f"direction({json.dumps(tokens)})"), runs, tokens)

    def test_a_line_without_tokens_has_an_empty_small_picture(self):
        self.open(1)
        self.assertEqual(self.browser.run("thumbnail(view, 0, 3, 2, 1).firstElementChild.width"), 0)


class Pictures(PageTest):
    def test_pictures_show_every_label_within_their_frame(self):
        for name, labels in (("cross-layer1-head0", 1), ("cross-grid", toy.LAYERS)):
            for sentence, words in ((1, toy.TWELVE), (2, toy.RIGHT_TO_LEFT)):
                self.show(f"pictures/sentence{sentence}-{name}.svg", 1600, 1600)
                texts = self.browser.run("""[...document.querySelectorAll("text")].map(text => {
                    const box = text.getBoundingClientRect(), frame = document.documentElement;
                    return {text: text.textContent, width: box.width, inside: box.left >= 0 &&
                            box.top >= 0 && box.right <= frame.clientWidth + 1 &&
                            box.bottom <= frame.clientHeight + 1};
                })""")
                for text in texts:
                    self.assertTrue(text["inside"] and text["width"] > 2, text)
                shown = [text["text"] for text in texts]
                for word in words:
                    self.assertGreaterEqual(shown.count(word), labels + 1, word)


class Hostile(PageTest):
    """Sentences that would be markup or script are shown as they were written."""

    def elements(self):
        """The number of elements of each name, and of comments."""
        return self.browser.run("""(() => {
            const names = [...document.querySelectorAll("*")].map(one => one.localName);
            const comments = document.createNodeIterator(document, NodeFilter.SHOW_COMMENT);
            while (comments.nextNode()) names.push("comment");
            const counts = {};
            for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
            return counts;
        })()""")

    def test_the_page_shows_them_literally(self):
        self.open()
        usual = set(self.elements())
        self.open_as_it_is("hostile/attention.html")
        self.assertEqual(self.texts("source"), toy.HOSTILE + END)
        self.assertEqual(self.texts("target"), toy.HOSTILE[::-1] + END)
        self.assertEqual([box["text"] for box in self.boxes("#matrix thead span")],
                         toy.HOSTILE + END)
        self.point_at("#target > .token", 1)
        self.assertTrue(self.status().startswith(toy.HOSTILE[-2] + " looks at "), self.status())
        elements = self.elements()
        self.assertLessEqual(set(elements), usual)
        self.assertEqual((elements["script"], elements["comment"], elements["title"]), (2, 1, 1))
        self.assertIn("<b>&amp;'\"model", self.browser.run("document.title"))

    def test_pictures_show_them_literally(self):
        for name in ("cross-layer0-head0", "cross-grid"):
            self.show(f"hostile/sentence1-{name}.svg", 1600, 1600)
            self.assertLessEqual(
                set(self.elements()), {"svg", "title", "rect", "text", "g", "path", "line", "defs",
                                       "linearGradient", "stop"})
            shown = self.browser.run("""[...document.querySelectorAll("text")].map(text =>
                text.querySelector("title")?.textContent ?? text.textContent)""")
            for word in toy.HOSTILE:
                self.assertIn(word, shown)


if __name__ == "__main__":
    unittest.main()
