"""The page of `heed attention --step`: numbers worked by hand, the numbers of models of every kind, and what a person does."""
import functools
import itertools
import math
import re
import unittest

import layout
import toy
from page import ModelsTest, models, rgb

WIDTHS = (390, 960, 1000, 1400, 1920)  # 960: 1920 pixels at 200 %

# The results of the examples, by name: for each step the scores, the weights and the context.
NONE = -math.inf
WORKED = {
    # Q K^T = [[1, 1, 2], [1, 2, 1], [2, 1, 1]]; e^(1 / sqrt 3) = 1.7813, e^(2 / sqrt 3) = 3.1731, of 6.7357.
    "the cat slept: three by three": [
        ([0.5774, 0.5774, 1.1547], [0.2645, 0.2645, 0.4711], [0.2645, 0.2645, 0.4711]),
        ([0.5774, 1.1547, 0.5774], [0.2645, 0.4711, 0.2645], [0.2645, 0.4711, 0.2645]),
        ([1.1547, 0.5774, 0.5774], [0.4711, 0.2645, 0.2645], [0.4711, 0.2645, 0.2645])],
    # W s = (0.5, 0.5 - 1) = (0.5, -0.5), U h = (0.5, 0.5), (-0.5, 1), (0, -0.5): tanh 1 + 2 tanh 0, tanh 0 + 2 tanh 0.5 and
    # tanh 0.5 - 2 tanh 1, with tanh 1 = 0.76159 and tanh 0.5 = 0.46212; powers 2.1417, 2.5199, 0.3461 of 5.0077.
    "Bahdanau: the additive score, term by term": [
        ([0.7616, 0.9242, -1.0611], [0.4277, 0.5032, 0.0691], [-0.0378, 0.7014])],
    # 4, 2, 0 divided by 2; e^2, e, 1 of 11.1073.
    "Scaled dot product in four steps": [([2, 1, 0], [0.6652, 0.2447, 0.0900], [0.7553, 0.3348])],
    # q = (2, 1), (0, 2); k = (1, 1), (2, 0); v = (4, 2), (0, 2): 3, 4 and 2, 0 divided by sqrt 2.
    "Projections: queries, keys and values": [
        ([2.1213, 2.8284], [0.3302, 0.6698], [1.3209, 2]), ([1.4142, 0], [0.8044, 0.1956], [3.2177, 2])],
    "Softmax at / 1, / 4 and x 10": [([2, 1, 0.1], [0.6590, 0.2424, 0.0986], [0.7576, 0.3410])],
    # 8, 0 and -8, divided by 8; 16, 0 and -16, divided by 16.
    "\u221ad: d = 64, divided and not": [([1, 0, -1], [0.6652, 0.2447, 0.0900], [0.7553, 0.3348])],
    "\u221ad: d = 256, divided and not": [([1, 0, -1], [0.6652, 0.2447, 0.0900], [0.7553, 0.3348])],
    "The causal mask of three tokens": [
        ([1, NONE, NONE], [1, 0, 0], [1, 0, 0]), ([1, 1, NONE], [0.5, 0.5, 0], [0.5, 0.5, 0]),
        ([0, 1, 2], [0.0900, 0.2447, 0.6652], [0.0900, 0.2447, 0.6652])],
}

# e^0.5, e^0.25, e^0.025 of 3.9580; e^0, e^-10, e^-19. Undivided e^-8, e^-16 and e^-16, e^-32.
COMPARED = {
    "Softmax at / 1, / 4 and x 10": [[0.6590, 0.2424, 0.0986], [0.4165, 0.3244, 0.2590], [0.99995, 0.0000454, 5.6e-9]],
    "\u221ad: d = 64, divided and not": [[0.6652, 0.2447, 0.0900], [0.99966, 0.000335, 1.1e-7]],
    "\u221ad: d = 256, divided and not": [[0.6652, 0.2447, 0.0900], [0.9999999, 1.1e-7, 1.3e-14]],
}

# Models of one update: every attention of the registries, and what can be around it. Widths are odd where they can be.
RECURRENT = "model.type=rnn model.embedding_size=5 model.hidden_size=14"
TRANSFORMER = "model.width=20 model.heads=2 model.feed_forward=7"
MODELS = {
    "none": f"{RECURRENT} model.attention=none",
    "bahdanau": f"{RECURRENT} model.attention=bahdanau model.readout=maxout",
    "luong_dot": f"{RECURRENT} model.attention=luong_dot model.window=local_m model.window_size=2",
    "luong_general": f"{RECURRENT} model.attention=luong_general model.input_feeding=true model.attention_normaliser=sparsemax",
    "luong_concat": f"{RECURRENT} model.attention=luong_concat model.window=local_p model.window_size=2",
    "luong_location": f"{RECURRENT} model.attention=luong_location model.max_positions=40",
    "covered": f"{RECURRENT} model.attention=bahdanau model.coverage=neural model.coverage_size=3 model.attention_normaliser=entmax15",
    "heads": f"{RECURRENT} model.attention=luong_concat model.attention_heads=2 model.coverage=linguistic",
    "softmax": f"{TRANSFORMER} model.sliding_window=2 model.attention_normaliser=entmax15 model.kv_heads=1",
    "linear": f"{TRANSFORMER} model.self_attention=linear",
    "linear_rotary": f"{TRANSFORMER} model.self_attention=linear model.positions=rotary",
    "sparse": f"{TRANSFORMER} model.self_attention=sparse model.sliding_window=1 model.global_tokens=1 model.positions=learned",
    "alibi": f"{TRANSFORMER} model.positions=alibi model.attention_normaliser=sparsemax",
    "relative": f"{TRANSFORMER} model.positions=relative model.attention_scale=none",
    "t5": f"{TRANSFORMER} model.positions=t5 model.decoder=ssru",
}


@functools.lru_cache(maxsize=None)
def pages():
    """The folder with examples.html, step.html of the toy model, and NAME.html of each of MODELS."""
    folder, _ = models()
    toy.heed("attention", "--step", "-o", "examples.html", folder=folder)
    toy.write_pairs(folder, "steps", [toy.TWELVE, toy.UNKNOWN])
    toy.heed("attention", "model", "--input", "steps.src", "--target-file", "steps.tgt", "--step", "-o", "step.html", folder=folder)
    few = ["data.vocabulary.size=140", "model.tie=none", "model.encoder_layers=1", "model.decoder_layers=1", "training.updates=1"]
    for name, settings in MODELS.items():
        changes = [f"output={folder / name}", *few, *settings.split()]
        toy.heed("train", "toy.yaml", *itertools.chain.from_iterable(("--set", one) for one in changes), folder=folder)
        toy.heed("attention", name, "--text", "der Hund quick ,", "--target", "fox a", "--step", "-o", f"{name}.html", folder=folder)
    return folder


def near(one, other, error=6e-5):
    return len(one) == len(other) and all(a == b or (abs(a - b) < error) for a, b in zip(one, other))


class StepTest(ModelsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        pages()

    def open_steps(self, file="step.html", width=1400, height=1000, dark=False):
        self.show(file, width, height, dark)
        self.browser.wait("document.querySelector('section')")

    def choose_value(self, chooser, value):
        self.browser.run(f"""(() => {{ const one = element({chooser!r}); one.value = {str(value)!r};
            one.dispatchEvent(new Event("change", {{bubbles: true}})); }})()""")

    def choose_example(self, name):
        self.choose_value("sentence", self.browser.run(f"sentences.findIndex(one => one.name === {name!r})"))

    def click(self, selector, index=0):
        self.browser.click(*self.point_at(selector, index))

    def section(self, number):
        """The texts of the cells of the first table in a section, row by row."""
        return self.browser.run(f"""(() => {{
            const own = [...document.querySelectorAll("section")].find(one => one.querySelector("h2").textContent.startsWith("{number}."));
            return [...own.querySelector("table").rows].map(row => [...row.cells].map(cell => cell.textContent));
        }})()""")

    def texts(self, selector):
        return self.browser.run(f"[...document.querySelectorAll({selector!r})].map(each => each.textContent)")


class Examples(StepTest):
    def test_every_example_gives_what_is_worked_by_hand(self):
        self.open_steps("examples.html")
        self.assertEqual(self.browser.run("sentences.map(one => one.name)"), list(WORKED))
        for name, steps in WORKED.items():
            for step, (scores, weights, context) in enumerate(steps):
                found = self.browser.run(f"""(() => {{
                    const own = complete(sentences.find(one => one.name === {name!r}).heads[0]), now = stepOf(own, {step});
                    return [now.scores.map(x => x === -Infinity ? null : x), now.weights, contextOf(now.weights, own.values)];
                }})()""")
                found[0] = [NONE if x is None else x for x in found[0]]
                for what, one, other in zip(("scores", "weights", "context"), found, (scores, weights, context)):
                    self.assertTrue(near(one, other), (name, step, what, one, other))

    def test_temperatures_beside_each_other(self):
        self.open_steps("examples.html")
        for name, columns in COMPARED.items():
            self.choose_example(name)
            rows = self.section(4)[1:4]
            for column, weights in enumerate(columns):
                written = [float(row[len(row) - len(columns) + column].replace("\u2212", "-")) for row in rows]
                for one, other in zip(written, weights):
                    self.assertLess(abs(one - other), max(5.1e-5, 0.05 * other) if other > 5e-5 else 0.05 * other, (name, written))

    def test_scores_are_shown_term_by_term(self):
        self.open_steps("examples.html")
        self.choose_example("Bahdanau: the additive score, term by term")
        self.click("section table button", 0)
        rows = self.browser.run("[...document.querySelectorAll('#terms tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertEqual(rows, [["i", "W s(t\u22121)", "U h(i)", "tanh", "v", "term"],
                                ["0", "0.5000", "0.5000", "0.7616", "1.0000", "0.7616"],
                                ["1", "\u22120.5000", "0.5000", "0.0000", "2.0000", "0.0000"],
                                ["sum", "", "", "", "", "0.7616"]])

    def test_projections_are_shown_number_by_number(self):
        self.open_steps("examples.html")
        self.choose_example("Projections: queries, keys and values")
        cells = self.texts("td")
        for sum_of in ("1\u00b71 + 0\u00b70 + 1\u00b71 = 2.0000", "1\u00b71 + 0\u00b70 + 1\u00b73 = 4.0000", "0\u00b72 + 2\u00b71 + 0\u00b70 = 2.0000"):
            self.assertIn(sum_of, cells)

    def test_a_mask_is_minus_infinity_and_a_weight_of_nothing(self):
        self.open_steps("examples.html")
        self.choose_example("The causal mask of three tokens")
        self.assertEqual([row[1] for row in self.section(3)[1:]], ["1.0000", "\u2212\u221e", "\u2212\u221e"])
        self.assertEqual(len(self.boxes("svg path")), 3)
        self.assertIn("KV cache holds keys and values of the 1 positions", self.texts("section:last-child p")[0])
        self.click("#forward")
        self.assertIn("KV cache holds keys and values of the 2 positions", self.texts("section:last-child p")[0])


class Models(StepTest):
    def test_the_kinds_are_those_of_the_registries(self):
        names = set()
        for registry, macro in (("recurrent/attention", "HEED_ATTENTION"), ("transformer/attention", "HEED_SELF_ATTENTION")):
            text = (toy.ROOT / f"src/model/{registry}/registry.def").read_text(encoding="utf-8")
            names |= set(re.findall(rf"^{macro}\((\w+)", text, flags=re.M))
        self.assertGreater(len(names), 8)
        self.assertLessEqual(names, MODELS.keys())

    def test_the_page_computes_what_the_model_did(self):
        for name in [*MODELS, "step"]:
            self.open_steps(f"{name}.html")
            heads = self.browser.run("""sentences.filter(one => one.id).flatMap(one => one.heads.map(head => {
                complete(head);
                const out = { name: `${head.kind} ${head.layer} ${head.head}`, own: head.score, scores: 0, weights: 0, context: 0,
                              explained: true };
                const far = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));
                for (let t = 0; head.score !== "none" && t < head.query.length; ++t) {
                    const now = stepOf(head, t), seen = now.scores.map((x, i) => i).filter(i => now.scores[i] > -Infinity);
                    out.explained &&= now.explained && seen.length > 0;
                    if (!head.adds) out.scores = Math.max(out.scores, ...seen.map(i =>
                        Math.abs(now.own[i].scaled - now.scores[i]) / Math.max(1, Math.abs(now.scores[i]))));
                    out.weights = Math.max(out.weights, far(now.weights, head.weights[t]));
                    out.context = Math.max(out.context, far(contextOf(now.weights, head.values), head.context[t]));
                    if (head.weights[t].some((x, i) => now.scores[i] === -Infinity && x !== 0)) out.weights = 1;
                }
                return out;
            }))""")
            self.assertGreater(len(heads), 0, name)
            if name != "none":
                self.assertEqual({head["own"] for head in heads} - {"dot", "additive"}, set(), name)
            for head in heads:
                with self.subTest(model=name, head=head["name"]):
                    self.assertTrue(head["explained"])
                    for part in ("scores", "weights", "context"):
                        self.assertLess(head[part], 1e-4, part)

    def test_what_alibi_adds_is_its_slope_times_the_distance(self):
        self.open_steps("alibi.html")
        for head, slope in ((0, 1 / 16), (1, 1 / 256)):
            added = self.browser.run(f"""(() => {{
                const own = complete(sentences[0].heads.find(one => one.kind === "encoder" && one.head === {head}));
                return own.scores.map((row, t) => row.map((x, i) => x - scored(own, t, i).scaled));
            }})()""")
            for t, row in enumerate(added):
                for i, x in enumerate(row):
                    self.assertAlmostEqual(x, -slope * abs(t - i), delta=1e-5)

    def test_the_words_and_weights_are_those_of_the_table(self):
        self.open_steps()
        table = toy.heed("attention", "model", "--input", "steps.src", "--target-file", "steps.tgt", "--head", "1", "--layer", "1",
                         folder=self.folder)
        rows = [line.split(",") for line in table.splitlines()[1:] if line.startswith("2,")]
        self.choose_value("sentence", 1)
        self.choose_value("layer", 1)
        self.choose_value("head", 1)
        weights = self.browser.run("head.weights.flat()")
        self.assertEqual(len(weights), len(rows))
        for row, weight in zip(rows, weights):
            self.assertAlmostEqual(float(row[-1]), weight, delta=1e-5)

    def test_the_output_is_that_of_the_model(self):
        self.open_steps()
        chosen, likely = self.browser.run("[sentences[0].chosen, sentences[0].likely]")
        scored = toy.heed("score", "model", "steps.src", "steps.tgt", folder=self.folder).splitlines()
        self.assertAlmostEqual(sum(math.log(p) for p in chosen), float(re.findall(r"-?\d+\.\d+", scored[0])[0]), delta=1e-2)
        for row in likely:
            shares = [p for _, p in row]
            self.assertEqual((len(row), shares), (10, sorted(shares, reverse=True)))

    def test_without_attention_there_is_one_vector(self):
        self.open_steps("none.html")
        self.assertEqual(self.texts("h2"), ["1. Source states", "6. Output"])
        before = self.section(1)
        self.click("#forward")
        self.assertEqual(self.section(1), before)

    def test_with_attention_the_one_vector_stands_beside_the_context(self):
        self.open_steps("bahdanau.html")
        one, first, last = self.browser.run("[oneVector().numbers, head.values[0], head.values.at(-1)]")
        self.assertEqual(one, last[:7] + first[7:])


class Person(StepTest):
    def step(self):
        return self.browser.run("step")

    def test_it_begins_with_the_sentence_to_remember(self):
        self.open_steps()
        first = self.browser.run("document.querySelector('h1').nextElementSibling.textContent.replace(/\\s+/g, ' ')")
        self.assertTrue(first.startswith("Attention compares one query with a key of every position"))

    def test_forward_back_a_word_and_the_ends(self):
        self.open_steps()
        words = self.texts("#steps button")
        self.assertEqual(words, self.browser.run("sentence.target"))
        self.click("#back")
        self.assertEqual(self.step(), 0)
        self.click("#forward")
        self.click("#forward")
        self.click("#back")
        self.assertEqual(self.step(), 1)
        self.click("#steps button", len(words) - 1)
        self.click("#forward")
        self.assertEqual(self.step(), len(words) - 1)
        self.assertEqual(self.boxes("#steps [aria-pressed=true]")[0]["text"], "</s>")

    def test_what_has_the_focus_keeps_it(self):
        self.open_steps()
        self.browser.run("document.querySelectorAll('#steps button')[2].focus()")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run("[step, document.activeElement.textContent === sentence.target[2]]"), [2, True])
        self.browser.run("document.querySelectorAll('main th > button')[20].focus()")
        before = self.browser.run("document.activeElement.closest('.scroll').scrollTop")
        self.browser.press("Enter")
        self.assertEqual(self.browser.run("""[chosen, document.activeElement.closest("th")?.textContent === sentence.source[20],
            document.activeElement.closest(".scroll").scrollTop]"""), [20, True, before])
        self.assertGreater(before, 0)

    def test_playing_goes_on_until_it_is_stopped(self):
        self.open_steps()
        self.click("#play")
        self.browser.wait("step >= 1")
        self.click("#play")
        self.assertEqual(self.texts("#play"), ["Play"])
        self.assertIsNone(self.browser.run("timer"))

    def test_all_numbers_of_a_vector_can_be_looked_at(self):
        self.open_steps()
        self.assertEqual(self.browser.run("document.querySelectorAll('details.vector ol').length"), 0)
        self.click("details.vector summary")
        self.browser.wait("document.querySelector('details.vector ol')")
        shown = [float(x.replace("\u2212", "-")) for x in self.texts("details.vector li")]
        self.assertTrue(near(shown, self.browser.run("head.keys[0]"), 5.1e-5))

    def test_a_temperature_flattens_and_sharpens(self):
        self.open_steps()
        largest = []
        for power in (-2, 0, 2):
            self.browser.run(f"""(() => {{ const one = element("temperature"); one.value = {power};
                one.dispatchEvent(new Event("input")); }})()""")
            rows = self.section(4)
            column = rows[0].index("weight a")
            weights = [float(row[column].replace("\u2212", "-")) for row in rows[1:-1]]
            self.assertAlmostEqual(sum(weights), 1, delta=1e-3)
            scores = [x / 2 ** power for x in self.browser.run("head.scores[step]")]
            powers = [math.exp(x - max(scores)) for x in scores]
            self.assertTrue(near(weights, [x / sum(powers) for x in powers]))
            largest.append(max(weights))
        self.assertEqual(largest, sorted(largest, reverse=True))

    def test_kind_layer_and_head_are_chosen(self):
        self.open_steps()
        self.assertEqual(self.texts("#kind option"), ["cross-attention", "encoder self-attention", "decoder self-attention"])
        self.assertEqual((len(self.texts("#layer option")), len(self.texts("#head option"))), (toy.LAYERS, toy.HEADS))
        self.choose_value("kind", "encoder")
        self.assertEqual(self.texts("#steps button"), self.browser.run("sentence.source"))
        self.assertNotIn("6. Output", self.texts("h2"))

    def test_nothing_is_cut_covered_or_small(self):
        for file in ("step.html", "examples.html", "luong_concat.html"):
            self.open_steps(file)
            for kind in self.browser.run("[...element('kind').options].map(each => each.value)"):
                self.choose_value("kind", kind)
                self.click("#forward")
                self.browser.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
                self.browser.run("scrollTo(0, 0)")
                for width, dark in itertools.product(WIDTHS, (False, True)):
                    with self.subTest(file=file, kind=kind, width=width, dark=dark):
                        self.browser.resize(width, 900, dark)
                        self.assertEqual(layout.faults(self.browser), [])
                        self.assertEqual(sum(rgb(self.boxes("html")[0]["paper"])) < 120, dark)
                        small = self.browser.run("""[...document.querySelectorAll("body *")].filter(each =>
                            each.getClientRects().length && [...each.childNodes].some(node => node.nodeType === 3 && node.data.trim()) &&
                            !["SCRIPT", "STYLE", "TITLE"].includes(each.tagName) && parseFloat(getComputedStyle(each).fontSize) < 14)
                            .map(each => each.outerHTML)""")
                        self.assertEqual(small, [])


class CommandLine(StepTest):
    def expect_mistake(self, arguments, *parts):
        run = toy.try_heed("attention", *arguments, folder=self.folder)
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(len(run.stderr.strip().splitlines()), 1, run.stderr)
        for part in parts:
            self.assertIn(part, run.stderr)

    def test_mistakes_are_told_in_a_line(self):
        text = ("model", "--text", "a", "--step")
        self.expect_mistake(text, "-o")
        self.expect_mistake(("--text", "a"), "name a model")
        self.expect_mistake((*text, "--words", "-o", "x.html"), "--step", "--kind, --layer and --head")
        self.expect_mistake((*text, "--kind", "erasure", "-o", "x.html"), "none of these kinds")
        self.expect_mistake((*text, "--layer", "7", "-o", "x.html"), "none of these kinds, layers and heads")
        self.expect_mistake(("model", "--text", " ", "--step", "-o", "x.html"), "no line has a word")
        self.expect_mistake((*text, "-o", "model/config.yaml"), "config.yaml")
        self.assertFalse((self.folder / "x.html").exists())

    def test_layers_and_heads_are_those_that_were_asked_for(self):
        toy.heed("attention", "model", "--text", "der Hund", "--step", "--kind", "decoder,cross", "--layer", "last", "--head", "0,2",
                 "-o", "few.html", folder=self.folder)
        self.open_steps("few.html")
        self.assertEqual(self.browser.run("sentences[0].heads.map(one => [one.kind, one.layer, one.head])"),
                         [["cross", 1, 0], ["cross", 1, 2], ["decoder", 1, 0], ["decoder", 1, 2]])


if __name__ == "__main__":
    unittest.main()
