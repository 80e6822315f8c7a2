"""The page of `heed serve` in headless Chromium: typing, two models, forced words, attention in a frame."""
import itertools
import json
import os
import re
import subprocess
import unittest

import layout
import page
import toy

SENTENCE = "der Hund läuft quick ."
LONG = " ".join(["a"] * 150)
TOO_LONG = r"^The sentence has \d+ pieces; attention is shown of up to 128\.$"


class PlayTest(unittest.TestCase):
    """A test of a page with the models `model` and `other` at `address`."""

    decoding = ()  # arguments of heed translate that make it translate as the page does

    def setUp(self):
        self.browser.errors.clear()
        self.browser.requests.clear()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        for address in self.browser.requests:
            self.assertTrue(address.startswith((self.address, "blob:", "data:")), address)

    # --- what a person does

    def open(self, width=1400, height=1000, dark=False, text=SENTENCE):
        self.browser.open(self.address, width, height, dark)
        if text:
            self.enter(text)

    def enter(self, text):
        self.browser.run("element('q').focus()")
        self.browser.run("element('q').select()")
        self.browser.type(text)
        self.settle()

    def settle(self):
        """Until both models have answered what is typed."""
        self.browser.run("new Promise(done => setTimeout(done, PAUSE + 50))")
        self.browser.wait("!document.querySelector('.waiting')")
        self.browser.painted()

    def words(self, panel=0):
        return self.browser.run(
            f"[...panels[{panel}].translation.querySelectorAll('button:not(.more)')].map(one => one.textContent)")

    def note(self, panel=0):
        return self.browser.run(f"panels[{panel}].note.textContent")

    def translated(self, model, text=SENTENCE, prefix=None):
        line = text if prefix is None else f"{text}\t{prefix}"
        run = subprocess.run([toy.HEED, "translate", model, *self.decoding, *([] if prefix is None else ["--prefix-column"])],
                             cwd=self.folder, input=line + "\n", capture_output=True, text=True, check=True,
                             env={**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""})
        return run.stdout.rstrip("\n")

    def click(self, expression):
        self.browser.run(f"{expression}.scrollIntoView({{block: 'center'}})")
        self.browser.painted()
        x, y = self.browser.run(f"""(() => {{
            const box = {expression}.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()""")
        self.browser.click(x, y)

    def in_frame(self, script, panel=0):
        """The value of an expression inside the attention page of a panel."""
        return self.browser.run(f"""(() => {{
            const page = panels[{panel}].frame.contentWindow, made = page.document.createElement("script");
            made.textContent = "window.answer = (" + {json.dumps(script)} + ")";
            page.document.head.append(made);  // eval() is forbidden there
            made.remove();
            return page.answer;
        }})()""")


class PlayPage(PlayTest):
    @classmethod
    def setUpClass(cls):
        cls.folder, cls.browser = page.models()
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        cls.server = subprocess.Popen(
            [toy.HEED, "serve", "model", "other", "--port", "0", "--source-language", "de", "--target-language", "en"],
            cwd=cls.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        cls.address = cls.server.stdout.readline().strip()

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.stdout.close()
        assert cls.server.wait(60) == 0

    # --- tests

    def test_what_is_typed_is_translated_by_both_models(self):
        self.open()
        for panel, model in enumerate(("model", "other")):
            self.assertEqual(" ".join(self.words(panel)), self.translated(model))
            self.assertEqual(self.browser.run(f"panels[{panel}].frame.hidden"), False)
        names = self.browser.run("[...document.querySelectorAll('.name')].map(one => one.textContent)")
        self.assertEqual(names, ["model: German \u2192 English", "other: German \u2192 English"])
        left, right = self.browser.run(
            "panels.map(one => one.frame.getBoundingClientRect()).map(box => [box.left, box.top, box.right])")
        self.assertEqual(left[1], right[1])  # side by side
        self.assertLess(left[2], right[0] + 1)
        self.enter("mama мама")
        self.assertEqual("".join(self.words()), self.translated("model", "mama мама").replace(" ", ""))
        self.enter(" ")
        self.assertEqual(self.words(), [])
        self.assertTrue(self.browser.run("panels.every(one => one.frame.hidden)"))

    def test_the_attention_is_that_of_heed_attention(self):
        self.open()
        source = self.in_frame("view.source")
        self.assertEqual("".join(source).replace("\u2581", " ").strip(), SENTENCE + "</s>")
        table = toy.heed("attention", "model", "--text", SENTENCE, "--layer", "1", "--head", "2", folder=self.folder)
        (self.folder / "play.csv").write_text(table, encoding="utf-8")
        matrix = toy.read_matrices(self.folder / "play.csv")[1, "1", "2"]
        self.in_frame("""[["layer", "1"], ["head", "2"]].forEach(([id, value]) => {
            element(id).value = value;
            element(id).dispatchEvent(new Event("change"));
        })""")
        self.browser.painted()
        self.assertEqual(self.in_frame("view.target"), matrix.targets)
        self.assertEqual(self.in_frame("sentence.views.map(each => each.kind).filter(kind => kind === 'encoder').length"),
                         toy.LAYERS * (toy.HEADS + 1))
        shown = self.in_frame("view.target.map((_, row) => view.source.map((_, column) => weight(view, row, column)))")
        for row, wanted in zip(shown, matrix.weights, strict=True):
            for value, weight in zip(row, wanted, strict=True):
                self.assertAlmostEqual(value, weight, delta=0.00011)
        # Another sentence keeps what is looked at.
        self.enter("mama мама quick")
        self.assertEqual(self.in_frame("[view.layer, view.head]"), [1, 2])

    def test_pointing_at_a_token_lights_its_partners(self):
        self.open()
        self.browser.run("panels[0].frame.scrollIntoView()")
        self.browser.painted()
        frame = self.browser.run("(({left, top}) => [left, top])(panels[0].frame.getBoundingClientRect())")
        x, y = self.in_frame("""(() => {
            const box = element("matrix").tBodies[0].rows[1].cells[0].getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        })()""")
        self.browser.move(frame[0] + x + 1, frame[1] + y + 1)
        self.browser.wait("panels[0].frame.contentDocument.getElementById('status').textContent.includes('looks at')")
        before = self.in_frame("Math.max(...view.source.map((_, column) => weight(view, 1, column)))")
        self.in_frame("(element('temperature').value = '-3', element('temperature').dispatchEvent(new Event('input')))")
        after = self.in_frame("Math.max(...view.source.map((_, column) => weight(view, 1, column)))")
        self.assertGreater(after, before)

    def test_the_temperature_says_where_it_is_not_exact(self):
        self.open()
        self.in_frame("(element('temperature').value = '1', element('temperature').dispatchEvent(new Event('input')))")
        for head, said in (("0", ""), ("-1", "")):  # all heads are here
            self.in_frame(f"(element('head').value = '{head}', element('head').dispatchEvent(new Event('change')))")
            self.browser.painted()
            self.assertEqual(self.in_frame("view.head"), int(head))
            self.assertEqual(self.in_frame("element('temperature-note').hidden ? '' : element('temperature-note').textContent"),
                             said)

    def test_another_word_is_chosen_and_the_rest_follows(self):
        self.open()
        free = self.words()
        self.assertGreater(len(free), 1)
        self.click("panels[0].translation.children[1]")
        self.browser.wait("!panels[0].candidates.hidden")
        offered = self.browser.run("""[...panels[0].candidates.children].map(one =>
            [one.firstElementChild.textContent, parseFloat(one.lastElementChild.textContent), one.disabled])""")
        self.assertGreater(len(offered), 2)
        shares = [share for _, share, _ in offered]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertLessEqual(sum(shares), 101)
        index = next(i for i, (word, _, ends) in enumerate(offered)
                     if not ends and word != free[1] and not word.startswith("\u2010"))
        prefix = f"{free[0]} {offered[index][0]}"
        self.click(f"panels[0].candidates.children[{index}]")
        self.settle()
        self.assertEqual(" ".join(self.words()), self.translated("model", prefix=prefix))
        self.assertTrue(" ".join(self.words()).startswith(prefix))
        self.assertEqual(self.browser.run("panels[0].translation.querySelectorAll('.forced').length"), 2)
        self.assertTrue(self.browser.run("panels[0].candidates.hidden"))
        self.assertEqual(self.words(1), self.translated("other").split())  # the other one goes its own way
        self.click("panels[0].release")
        self.settle()
        self.assertEqual(self.words(), free)
        self.assertTrue(self.browser.run("panels[0].release.hidden"))

    def test_a_click_on_a_word_does_not_end_the_translation_that_is_on_its_way(self):
        self.open()
        first = self.words()[0]
        self.browser.run("""(() => {
            const word = panels[0].translation.children[0];
            panels[0].force(word.textContent);
            word.click();
        })()""")
        self.settle()
        self.assertFalse(self.browser.run("panels[0].release.hidden"))
        self.assertTrue(self.browser.run("panels[0].candidates.hidden"))
        self.assertEqual(" ".join(self.words()), self.translated("model", prefix=first))
        self.click("panels[0].translation.children[0]")
        self.browser.wait("!panels[0].candidates.hidden")

    def test_an_example_is_translated_by_a_click(self):
        self.open(text="")
        examples = self.browser.run("[...document.querySelectorAll('#examples button')].map(one => one.textContent)")
        lengths = [len(text.split()) for text in examples]
        self.assertEqual(lengths, sorted(set(lengths)))
        self.assertLessEqual(set(examples), set((self.folder / "valid.src").read_text(encoding="utf-8").splitlines()))
        self.click("element('examples').firstElementChild")
        self.settle()
        self.assertEqual(self.browser.run("element('q').value"), examples[0])
        self.assertEqual(" ".join(self.words()), self.translated("model", examples[0]))

    def test_a_frame_is_as_high_as_what_is_in_it_and_says_the_translation_once(self):
        self.open()
        for text in ("mama", SENTENCE, " ".join(toy.TWELVE)):
            self.enter(text)
            self.browser.wait("Math.abs(panels[0].frame.contentDocument.body.offsetHeight + 2 - panels[0].frame.offsetHeight) <= 1")
            self.assertLessEqual(self.in_frame("document.documentElement.scrollHeight - innerHeight"), 0)
        self.assertEqual(self.in_frame("element('target').offsetHeight"), 0)

    def test_what_was_cut_is_said(self):
        self.open(text="")
        for answer, said in (("{}", ""), ("{cutTranslations: [1]}", "The translation reached its length limit."),
                             ("{cutLines: [1]}", "Only the beginning of the sentence was translated.")):
            self.assertEqual(self.browser.run(f"remarkOn({answer})"), said)

    def test_a_text_of_any_length_may_be_typed(self):
        self.open(text="")
        self.browser.run("translate = () => {}; element('q').focus()")
        self.browser.type("a " * 1200)
        self.assertEqual(self.browser.run("element('q').value.length"), 2400)

    def test_steps_are_shown_in_numbers_when_they_are_asked_for(self):
        self.open()
        words = self.words()
        tab = "panels[0].tabs.querySelector('[data-shows=steps]')"
        self.assertTrue(self.browser.run("panels[0].steps.hidden"))
        self.click(tab)
        self.settle()
        self.assertTrue(self.browser.run("panels[0].frame.hidden && !panels[0].steps.hidden"))
        told = "panels[0].steps.contentDocument"
        self.assertRegex(self.browser.run(f"{told}.getElementById('about').textContent"), "^Step 1 of ")
        target = self.browser.run(f"[...{told}.getElementById('steps').children].map(one => one.textContent).join('')")
        self.assertEqual(re.sub("\u2581|</s>", "", target), "".join(words))
        self.assertIn("softmax", self.browser.run(f"{told}.getElementById('sections').textContent"))
        # A click on a word of the translation goes to its step, and one on the button after it to the end.
        pieces = self.browser.run(f"[...{told}.getElementById('steps').children].map(one => one.textContent)")
        begins = [i for i, piece in enumerate(pieces) if i == 0 or piece.startswith("\u2581")]
        for word, step in ((len(words) - 1, begins[len(words) - 1]), (len(words), len(pieces) - 1), (0, 0)):
            self.click(f"panels[0].translation.children[{word}]")
            self.settle()
            self.assertRegex(self.browser.run(f"{told}.getElementById('about').textContent"), f"^Step {step + 1} of ")
        # They follow what is typed, and the other page is there again.
        self.enter("der Hund")
        target = self.browser.run(f"[...{told}.getElementById('steps').children].map(one => one.textContent).join('')")
        self.assertEqual(re.sub("\u2581|</s>", "", target), "".join(self.words()))
        self.click("panels[0].tabs.querySelector('[data-shows=attention]')")
        self.settle()
        self.assertFalse(self.browser.run("panels[0].frame.hidden"))

    def test_by_keys_alone(self):
        self.open()
        for _ in range(2):  # from the text to the first word of the translation, and on to the second
            self.browser.press("Tab")
        self.assertEqual(self.browser.run("document.activeElement.textContent"), self.words()[1])
        self.browser.press("Enter")
        self.browser.wait("!panels[0].candidates.hidden")
        self.browser.run("panels[0].candidates.querySelector('button').focus()")
        self.browser.press("Escape")
        self.assertTrue(self.browser.run("panels[0].candidates.hidden"))
        self.assertEqual(self.browser.run("document.activeElement.textContent"), self.words()[1])
        self.browser.press("Enter")
        self.browser.wait("!panels[0].candidates.hidden")
        self.browser.run("panels[0].candidates.querySelector('button:enabled').focus()")
        self.browser.press("Enter")
        self.settle()
        self.browser.wait("document.activeElement.className === 'forced'")
        self.assertEqual(self.browser.run("[...panels[0].translation.children].indexOf(document.activeElement)"), 1)

    def test_a_list_that_was_closed_before_it_came_stays_closed(self):
        self.open()
        self.browser.run("(panels[0].translation.children[0].click(), panels[0].translation.children[0].click())")
        self.browser.wait("!document.querySelector('.waiting')")
        self.assertTrue(self.browser.run("panels[0].candidates.hidden"))

    def test_a_list_that_did_not_come_is_asked_for_again_by_one_click(self):
        self.open()
        self.browser.run("(window.realAsk = ask, ask = async () => { throw new Error('too busy'); })")
        self.click("panels[0].translation.children[0]")
        self.browser.wait("panels[0].note.textContent === 'too busy'")
        self.assertIsNone(self.browser.run("panels[0].translation.querySelector('[aria-expanded=\"true\"]')"))
        self.browser.run("ask = realAsk")
        self.click("panels[0].translation.children[0]")
        self.browser.wait("!panels[0].candidates.hidden")

    def test_an_address_has_the_sentence(self):
        self.open()
        address = self.browser.run("location.href")
        self.browser.open(self.address + "?elsewhere", 800, 600)
        self.browser.open(address, 1400, 1000)
        self.settle()
        self.assertEqual(" ".join(self.words()), self.translated("model"))

    def test_another_address_has_another_sentence(self):
        self.open()
        self.browser.run("location.hash = '#quick%20fox'")  # as a link to the open page
        self.settle()
        self.assertEqual(self.browser.run("element('q').value"), "quick fox")
        self.assertEqual(" ".join(self.words()), self.translated("model", "quick fox"))
        self.browser.run("history.back()")
        self.browser.wait(f"element('q').value === {json.dumps(SENTENCE)}")
        self.settle()
        self.assertEqual(" ".join(self.words()), self.translated("model"))

    def test_an_address_may_have_what_is_no_code(self):
        self.browser.open(self.address + "?elsewhere", 800, 600)
        self.browser.open(self.address + "#50% sind da", 1400, 1000)
        self.settle()
        self.assertEqual(self.browser.run("element('q').value"), "50% sind da")
        self.assertEqual(" ".join(self.words()), self.translated("model", "50% sind da"))
        for address, text in (("100%25%20%", "100% %"), ("caf%C3%A9 %E2%82 %ab", "café %E2%82 %ab"), ("", "")):
            self.browser.run(f"location.hash = '{address}'")
            self.settle()
            self.assertEqual(self.browser.run("element('q').value"), text)

    def test_nothing_is_cut_or_covered(self):
        self.open()
        self.click("panels[0].translation.children[1]")
        self.browser.wait("!panels[0].candidates.hidden")
        self.in_frame("""(() => {
            element("temperature").value = "1";
            element("temperature").dispatchEvent(new Event("input"));
            element("links-on").click();
        })()""")
        for width, dark in itertools.product((1920, 1400, 1000, 390), (False, True)):
            with self.subTest(width=width, dark=dark):
                self.browser.resize(width, 900, dark)
                self.assertEqual(layout.faults(self.browser), [])
                self.assertEqual(self.in_frame(layout.FAULTS), [])
                paper = page.rgb(self.browser.run("getComputedStyle(document.documentElement).backgroundColor"))
                self.assertEqual(sum(paper) < 382, dark)

    def test_what_is_forced_and_what_is_wrong_has_its_place_too(self):
        def look():
            for width, dark in itertools.product((1400, 390), (False, True)):
                with self.subTest(width=width, dark=dark):
                    self.browser.resize(width, 900, dark)
                    self.assertEqual(layout.faults(self.browser), [])

        self.open()
        self.browser.run("panels[0].force(panels[0].translation.children[0].textContent)")
        self.settle()
        self.assertFalse(self.browser.run("panels[0].release.hidden"))
        look()
        self.enter(LONG)
        self.assertRegex(self.note(), TOO_LONG)
        look()
        self.ask_for_nobody()
        look()

    def test_a_sentence_too_long_for_its_attention_is_translated_all_the_same(self):
        self.open()
        self.assertEqual(self.note(), "")
        self.enter(LONG)
        self.assertEqual("".join(self.words()), self.translated("model", LONG).replace(" ", ""))
        self.assertRegex(self.note(), TOO_LONG)
        self.assertTrue(self.browser.run("panels[0].frame.hidden"))
        self.click("panels[0].translation.children[0]")
        self.browser.wait("!panels[0].candidates.hidden && !document.querySelector('.waiting')")
        self.assertRegex(self.note(), TOO_LONG)
        self.enter(SENTENCE)
        self.assertEqual(self.words(), self.translated("model").split())
        self.assertEqual(self.note(), "")
        self.assertFalse(self.browser.run("panels[0].frame.hidden"))

    def ask_for_nobody(self):
        self.browser.run("panels[0].model.name = 'nobody'; panels[0].force('')")
        self.settle()
        self.browser.errors.clear()  # the console tells of the status 400
        self.assertIn("'nobody' is not here", self.note())
        self.browser.run("panels[0].model.name = 'model'")

    def test_what_is_wrong_is_said(self):
        self.open()
        self.ask_for_nobody()
        self.assertEqual(self.words(), self.translated("model").split())  # it stays
        self.enter(SENTENCE)
        self.assertEqual(self.note(), "")


if __name__ == "__main__":
    unittest.main()
