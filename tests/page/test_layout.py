"""The pages of a family and of its models, in windows of several sizes, by day and by night."""
import csv
import functools
import itertools
import json
import unittest

import layout
import toy
from page import PageTest, models, rgb

WINDOWS = ((1920, 1080, 1), (960, 540, 2), (1400, 900, 1), (1000, 900, 1), (390, 900, 1))  # the second: a zoom of 200 %


@functools.lru_cache(maxsize=None)
def family():
    folder, _ = models()
    toy.family(folder)


class LayoutTest(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        family()

    def expect_no_faults(self, file, ready="true", states=(lambda: None,)):
        """Looks for faults in windows of every size, light and dark, with all that can be unfolded, in each state that a function
        makes."""
        self.show(file, *WINDOWS[0][:2])
        self.browser.wait(ready)
        self.browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        for (width, height, scale), dark in itertools.product(WINDOWS, (False, True)):
            with self.subTest(file=file, width=width, dark=dark):
                self.browser.resize(width, height, dark, scale)
                for begin in states:
                    begin()
                    self.assertEqual(layout.faults(self.browser), [])
                self.assertEqual(sum(rgb(self.boxes("html")[0]["paper"])) < 120, dark)


class Layout(LayoutTest):
    def test_nothing_of_the_report_is_cut_or_covered(self):
        self.expect_no_faults("family/report.html")

    def test_nothing_of_what_may_be_believed_is_cut_or_covered(self):
        for model in ("transformer", "bahdanau", "none"):
            self.expect_no_faults(f"faithful-{model}.html")

    def light_longest(self, side, said):
        """Keeps the longest token of a side lit, as it is under the mouse, and goes back to the top of the page."""
        longest = self.browser.run(f"view.{side}.reduce((best, text, i, all) => text.length > all[best].length ? i : best, 0)")
        self.browser.click(*self.point_at(f"#{side} > .token", longest))
        self.browser.run("scrollTo(0, 0)")
        self.browser.painted()
        self.assertIn(said, self.status())

    def test_nothing_of_an_attention_page_is_cut_or_covered(self):
        self.expect_no_faults("family/transformer/attention.html", "document.querySelector('td')", (
            lambda: self.browser.press("Escape"),  # nothing is lit
            lambda: self.light_longest("source", " is seen by "),
            lambda: self.light_longest("target", " looks at "),
        ))

    def test_nothing_of_the_page_of_measurements_is_cut_or_covered(self):
        few = ("--threads", "1", "-o", "bench")
        for command in (("attention", "--lengths", "256,512,1024", "--positions", "64,512", "--repeats", "1", *few),
                        ("translate", "model", "--source", "valid.src", "--batch", "1,4", "--repeats", "1", *few),
                        ("train", "toy.yaml", "--updates", "2", "--warmup", "1", "--profile", "--set",
                         f"output={self.folder / 'measured'}", *few)):
            toy.heed(*command, folder=self.folder, program=toy.BENCH)
        self.expect_no_faults("bench/experiments.html")

    def test_a_page_that_is_cut_or_covered_is_found_out(self):
        (self.folder / "bad.html").write_text("""<!DOCTYPE html><style>p { margin: 0 }</style>
            <p style="position: absolute; left: 380px; white-space: nowrap">beyond</p>
            <p style="color: #999">faint</p><p><small style="font-size: 13px">small</small></p><p style="margin-top: -1em">over it</p>
            <figure><svg width="90" height="30" viewBox="0 0 90 30"><title>t</title>
            <text x="80" y="20" font-size="16">label</text></svg></figure>""", encoding="utf-8")
        self.show("bad.html", 390, 900)
        found = " ".join(layout.faults(self.browser))
        for fault in ("wide, the window 390", '"beyond" is outside', '"faint" has a contrast', '"small" lies over "over it"',
                      '"small" is 13.0 pixels high', '"label" leaves the picture'):
            self.assertIn(fault, found)

    def test_text_that_its_own_box_cuts_is_found_out(self):
        (self.folder / "cut.html").write_text("""<!DOCTYPE html>
            <style>div { width: 60px; height: 30px; white-space: nowrap; overflow: hidden }
              .lines { white-space: normal } .short { text-overflow: ellipsis }
              .first { height: auto; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 1 }</style>
            <div>wider than its box</div>
            <div class="lines">more lines than there is room for</div>
            <div class="lines first">all of them but the first are left out</div>
            <div class="short">shortened without a tooltip</div>
            <div class="short" title="shortened with a tooltip">shortened with a tooltip</div>
            <div>fits</div>
            <div style="overflow: auto">moved by hand</div>
            <div style="overflow: clip; width: 1px; height: 1px">for a screen reader</div>
            <span style="overflow: hidden">no box at all</span>
            <div><svg width="20" height="20" viewBox="0 0 20 20"><text y="15">of a picture</text></svg></div>""",
                                              encoding="utf-8")
        self.show("cut.html", 390, 900)
        self.assertEqual([fault for fault in layout.faults(self.browser) if "is cut" in fault], [
            '"wider than its box" is cut by its box', '"more lines than there is room for" is cut by its box',
            '"all of them but the first are left out" is cut by its box',
            '"shortened without a tooltip" is cut by its box'])


class Report(LayoutTest):
    def headings(self):
        return self.browser.run("[...document.querySelectorAll('h1, .headline, h2')].map(each => each.textContent)")

    def test_the_curve_comes_first_and_the_headline_says_of_which_lengths_it_is(self):
        self.show("family/report.html", 1000, 900)
        title, headline, first = self.headings()[:3]
        self.assertEqual((title, first), ("The long-sentence bottleneck", "Quality and length"))
        self.assertRegex(headline, r"^From source sentences of 1 to 10 words to those of 51 to 60 words, the model without attention (loses|gains) "
                                   r"\d+\.\d BLEU \(from \d+\.\d to \d+\.\d\); the model .* (loses|gains) \d+\.\d \(from \d+\.\d to \d+\.\d\)\. "
                                   r"\(4 long sentences; .*\)$")

    def test_models_have_names_that_say_what_they_are(self):
        self.show("family/report.html", 1000, 900)
        names = self.browser.run("[...document.querySelectorAll('.model h3')].map(each => each.textContent)")
        self.assertEqual(names, ["without attention", "Bahdanau", "Luong general with input feeding", "Transformer"])

    def test_no_bucket_is_empty(self):
        self.show("family/report.html", 1000, 900)
        heads = self.browser.run("[...document.querySelectorAll('table')[0].tHead.rows[0].cells].map(each => each.textContent)")
        self.assertEqual(heads, ["words in the source", "1-10n = 4", "11-20n = 4", "21-30n = 4", "31-40n = 4", "51-60n = 4",
                                 "alln = 20"])

    def test_its_tables_have_the_numbers_of_the_file_for_scripts(self):
        report = json.loads((self.folder / "family/report.json").read_text(encoding="utf-8"))
        self.show("family/report.html", 1000, 900)
        title, headline = self.headings()[:2]
        self.assertEqual((title, headline), (report["title"], report["headline"]))
        lengths, models = self.browser.run("""[...document.querySelectorAll("table")].map(table => [...table.tBodies[0].rows]
            .map(row => [...row.cells].map(cell => (cell.querySelector("span, a") ?? cell).textContent.trim())))""")
        filled = [i for i, bucket in enumerate(report["buckets"]) if bucket["sentences"]]
        for row, system in zip(lengths, report["systems"], strict=True):
            measured = [*(system["lengths"][i] for i in filled), system["all"]]
            self.assertEqual(row, [system["name"], *(f"{one['bleu']:.1f}" for one in measured)])
            self.assertTrue(all(one["interval"][0] <= one["bleu"] <= one["interval"][1] for one in measured))
        for row, system in zip(models, report["systems"], strict=True):
            self.assertEqual(row[0], system["name"])
            for fact in system["facts"]:
                self.assertIn(fact["text"], row)
            for score in system["scores"]:
                self.assertIn(f"{score['value']:.2f}", row)
        self.assertEqual([one["folder"] for one in report["systems"]], ["none", "bahdanau", "luong_general", "transformer"])

    def test_every_model_that_attends_has_a_heatmap_with_axis_names_and_a_page(self):
        self.show("family/report.html", 1000, 900)
        shown = self.browser.run("""[...document.querySelectorAll(".model")].map(model => ({
            texts: [...model.querySelectorAll("svg text")].map(text => text.firstChild.data),
            pages: [...model.querySelectorAll("a")].map(link => link.getAttribute("href")),
        }))""")
        self.assertEqual(shown[0], {"texts": [], "pages": []})
        for model, name, title in zip(shown[1:], ("bahdanau", "luong_general", "transformer"),
                                      ("Bahdanau", "Luong general with input feeding", "Transformer"), strict=True):
            self.assertEqual(model["pages"], [f"{name}/attention.html"])
            self.assertTrue((self.folder / "family" / model["pages"][0]).exists())
            self.assertIn("source", model["texts"])
            self.assertIn("target", model["texts"])
            self.assertEqual(model["texts"][0], title)
            self.assertTrue(model["texts"][1].startswith("cross-attention, layer "), model["texts"][1])

    def test_every_word_of_a_heatmap_has_its_label_and_words_are_in_their_boxes(self):
        self.show("family/report.html", 1400, 900)
        for words, labels in self.browser.run("""[...document.querySelectorAll(".model")].filter(each => each.querySelector("svg"))
                .map(model => [model.querySelector("p[dir]").textContent.trim().split(" "),
                               [...model.querySelectorAll("svg text")].map(text => text.firstChild.data)])"""):
            self.assertLessEqual(set(words) - {""}, set(labels))  # a model may have written nothing
        self.assertTrue(self.browser.run("""(() => {
            const text = [...document.querySelectorAll("figure text")].find(each => each.textContent === "the whole sentence");
            const [inner, outer] = [text, text.previousElementSibling].map(each => each.getBoundingClientRect());
            return inner.left > outer.left + 3 && inner.right < outer.right - 3;
        })()"""))

    def test_marked_words_are_as_many_as_it_says(self):
        self.show("family/report.html", 1000, 900)
        for said, marked in self.browser.run("""[...document.querySelectorAll(".model")].map(model => [
                model.querySelector(".quiet").textContent,
                [...model.querySelectorAll("mark")].flatMap(each => each.textContent.split(" ")).length])"""):
            self.assertRegex(said, rf"; {marked} words? wrong, \d+ missing$")

    def test_on_a_telephone_a_row_is_a_block_with_the_names_of_its_cells(self):
        self.show("family/report.html", 390, 900)
        self.assertEqual(self.browser.run("""[...document.querySelectorAll("table.blocks thead")]
            .map(each => getComputedStyle(each).display)"""), ["none", "none"])
        names = self.browser.run("""[...document.querySelector("table.blocks tbody tr").cells].slice(1)
            .map(each => getComputedStyle(each, "::before").content)""")
        self.assertEqual(names[0], '"1-10, n = 4"')


class Faithful(LayoutTest):
    """The page of `heed faithful` against its table."""

    def rows(self, model):
        with open(self.folder / f"faithful-{model}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["name"] = row["evidence"].replace("integrated", "integrated gradients")
            if row["layer"]:
                head = "mean of heads" if row["head"] == "mean" else f"head {row['head']}"
                row["name"] = f"layer {row['layer']}, {head}"
        return {row["name"]: row for row in rows}

    def shown(self):
        return self.browser.run("""[...document.querySelectorAll("tbody tr")].map(row => [...row.cells].map(cell => {
            const part = name => cell.querySelector(".bar " + name)?.getBoundingClientRect();
            const bar = part(".value"), zero = part(".zero"), interval = part(".interval");
            return { text: cell.querySelector("span")?.textContent ?? cell.textContent, drawn: bar && {
                left: bar.left - zero.left, right: bar.right - zero.left, low: interval.left - zero.left,
                high: interval.right - zero.left } };
        }))""")

    def test_every_picture_has_its_numbers_and_bars(self):
        self.show("faithful-transformer.html", 1400, 900)
        rows, shown = self.rows("transformer"), self.shown()
        self.assertEqual({cells[0]["text"] for cells in shown}, rows.keys())
        scale = {}  # pixels of a unit, the same in all bars of it
        for unit, columns in (("tau", ("saliency", "erasure")), ("moved", ("moved",))):
            ends = [float(row[column + end]) for row in rows.values() for column in columns if row[column]
                    for end in ("_low", "_high")]
            scale[unit] = 96 / (max(ends) - min(0, *ends))
        for name, verdict, saliency, erasure, moved, entropy, aer in shown:
            row = rows[name["text"]]
            for key, cell in (("saliency", saliency), ("erasure", erasure), ("moved", moved)):
                if not row[key]:
                    self.assertIsNone(cell.get("drawn"))
                    continue
                value, low, high = (float(row[key + part]) for part in ("", "_low", "_high"))
                self.assertAlmostEqual(float(cell["text"]), value, delta=0.0051)
                pixels = scale["moved" if key == "moved" else "tau"]
                for end, number in (("left", min(value, 0)), ("right", max(value, 0)), ("low", low), ("high", high)):
                    self.assertAlmostEqual(cell["drawn"][end], number * pixels, delta=1.5)
            self.assertAlmostEqual(float(entropy["text"]), float(row["entropy"]), delta=0.0051)
            self.assertAlmostEqual(float(aer["text"]), 100 * float(row["aer"]), delta=0.051)

    def test_the_headline_counts_the_heads_that_may_be_believed(self):
        for model, heads in (("transformer", 4), ("bahdanau", 1), ("none", 0)):
            self.show(f"faithful-{model}.html", 1000, 900)
            headline = self.browser.run("document.querySelector('.headline').textContent")
            verdicts = [cells[1]["text"] for cells in self.shown() if ", head" in cells[0]["text"]]
            believed = verdicts.count("may be believed")
            self.assertEqual(len(verdicts), heads)
            expected = {0: "This model has no attention", 1: f"The attention may {'' if believed else 'not '}be believed",
                        4: {0: "None of the 4", 4: "All 4"}.get(believed, f"{believed} of 4") + " heads may be believed"}
            self.assertTrue(headline.startswith(expected[heads]), headline)
            self.assertEqual(verdicts, sorted(verdicts, key=["may be believed", "agrees, moves little",
                                                             "moves, agrees less", "neither"].index))


class Units(LayoutTest):
    """Pieces or words on the page of `heed attention`."""

    def texts_of(self, side):
        return self.browser.run(f"view.{side}")

    def test_the_page_switches_between_words_and_pieces(self):
        self.open()
        words, weights = self.texts_of("source"), self.browser.run("Array.from(view.weights)")
        self.assertEqual(words, toy.TWELVE + ["</s>"])
        self.select("unit", "pieces")
        pieces = self.texts_of("source")
        self.assertGreater(len(pieces), len(words))
        self.assertEqual("".join(pieces).replace("\u2581", ""), "".join(words))
        self.assertEqual(self.texts("source"), pieces)
        self.select("unit", "words")
        self.assertEqual(self.browser.run("Array.from(view.weights)"), weights)

    def test_a_choice_of_layer_and_head_stays(self):
        self.open()
        self.select("layer", "1")
        self.select("head", "2")
        self.select("unit", "pieces")
        self.assertEqual(self.state(), {"kind": "cross-attention", "layer": "1", "head": "2"})
        self.assertEqual(len(self.boxes("#heads button")), toy.LAYERS * (toy.HEADS + 1))


if __name__ == "__main__":
    unittest.main()
