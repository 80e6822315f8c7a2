"""The page of `heed watch` in headless Chromium, beside runs that come while it is open."""
import itertools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

import chromium
import layout
import toy


class Watch:
    """A running `heed watch`; use it in a `with`."""

    def __init__(self, *places, folder):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        self.process = subprocess.Popen([toy.HEED, "watch", *places, "--port", "0"], cwd=folder, env=environment,
                                        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        first = self.process.stderr.readline()
        if "yet" in first:
            first = self.process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", first)
        if not found:
            self.close()
            raise RuntimeError(first)
        self.url = found[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.process.terminate()
        status = self.process.wait(20)
        self.process.stderr.close()
        return status

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=20) as answer:
            return answer.read().decode("utf-8")


def train(folder, name, *settings):
    """Three validations, at 40, 80 and 120."""
    toy.heed("train", "toy.yaml", "--set", f"output=runs/{name}", "--set", "training.validate_every=40", "--set",
             "training.log_every=10", *[part for one in settings for part in ("--set", one)], folder=folder)


def files_of(folder):
    return {str(path): path.stat().st_mtime_ns for path in pathlib.Path(folder).rglob("*")}


class WatchPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = chromium.find_or_skip("the page of heed watch was")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        toy.write_corpora(cls.folder)
        (cls.folder / "runs").mkdir()
        cls.browser = chromium.Chromium(program)
        cls.addClassCleanup(cls.browser.close)
        cls.watch = Watch("runs", folder=cls.folder)
        cls.addClassCleanup(cls.watch.close)
        # The page is open before there is a run.
        cls.browser.open(cls.watch.url, 1400, 1000)
        cls.browser.wait("!element('nothing').hidden")
        cls.empty = cls.browser.run("element('validation').hidden && element('curves').hidden")
        train(cls.folder, "one")
        cls.appeared = cls.browser.wait("document.querySelectorAll('.run').length === 1")
        train(cls.folder, "two", "seed=2", "training.updates=80")
        cls.before = files_of(cls.folder / "runs")

    def setUp(self):
        self.browser.errors.clear()
        self.browser.requests.clear()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        for request in self.browser.requests:  # nothing comes from elsewhere
            self.assertTrue(request.startswith((self.watch.url, "data:")), request)

    def open(self, width=1400, height=1000, dark=False):
        self.browser.open(self.watch.url, width, height, dark)
        self.browser.wait("document.body.dataset.shown")
        self.browser.painted()

    def slide(self, place):
        self.browser.run(f"""(() => {{
            const slider = element("slider");
            slider.value = "{place}";
            slider.dispatchEvent(new Event("input", {{bubbles: true}}));
        }})()""")
        self.browser.wait(f"document.body.dataset.shown === `${{chosen}} ${{run().validations[{place}]}}`")

    def text(self, selector):
        return self.browser.run(f"document.querySelector('{selector}').textContent")

    def kept(self, run, update):
        """The attention and the translations that a validation of the run has left."""
        left = self.folder / "runs" / run / "validations"
        return (json.loads((left / f"{update}.attention.json").read_text(encoding="utf-8")),
                (left / f"{update}.txt").read_text(encoding="utf-8"))

    def test_a_run_appears_on_the_open_page_when_it_has_begun(self):
        self.assertTrue(self.empty)
        self.open()
        self.assertEqual(self.browser.run("[...document.querySelectorAll('.run .name span:nth-child(2)')].map("
                                          "name => name.textContent)"), ["one", "two"])
        card = self.text(".run")
        for part in ("finished", "update120 of 120", "validationloss ", " at 120", "Transformer, 2+2 layers, width 24"):
            self.assertIn(part, card)

    def test_no_number_of_an_axis_is_clipped(self):
        self.open()
        beside = self.browser.run("""(() => {
            const box = document.querySelector(".chart .drawing");
            drawChart(box, { title: "rates", x: "update", now: null,
                             lines: [{ name: "a", color: "#000", dashed: false, points: [[0, 0.0001], [900, 0.000125]] }] });
            const frame = box.firstElementChild.getBoundingClientRect();
            return Math.min(...[...box.querySelectorAll("text")].map(each => each.getBoundingClientRect().left - frame.left));
        })()""")
        self.assertGreaterEqual(beside, 0)

    def test_the_slider_shows_the_attention_and_the_translations_of_each_validation(self):
        self.open()
        means = []
        for place, update in enumerate((40, 80, 120)):
            self.slide(place)
            attention, samples = self.kept("one", update)
            titles = self.browser.run("[...document.querySelectorAll('#map rect title')].map(each => each.textContent)")
            # The model has two layers; the first of them, the one before the last, is on show.
            weights = attention["layers"][0]["weights"]
            names, numbers = zip(*(title.removesuffix(" %").rsplit(": ", 1) for title in titles))
            self.assertEqual(list(names), [f"{target} → {source}" for target in attention["target"]
                                           for source in attention["source"]])
            for number, weight in zip(numbers, itertools.chain(*weights), strict=True):
                self.assertAlmostEqual(float(number), 100 * weight, delta=0.051)
            shown = self.browser.run("[...document.querySelectorAll('.sample dd:last-child')].map(each => each.textContent)")
            self.assertEqual(shown, [line[11:] for line in samples.splitlines() if line.startswith("output ")])
            self.assertIn(f"update {update} ({place + 1} of 3)", self.text("#which"))
            means.append(sum(map(max, weights)) / len(weights))
            said = re.search(r"is (\d+) % on average", self.text("#map-name"))
            self.assertAlmostEqual(int(said[1]), 100 * means[-1], delta=0.51)
        self.assertGreater(len(set(means)), 1)  # the weights are of different updates

    def test_another_layer_and_another_run_can_be_chosen(self):
        self.open()
        self.browser.run("element('layer').value = '1'; element('layer').dispatchEvent(new Event('change'))")
        self.browser.wait("element('map-name').textContent.includes('layer 2 of 2')")
        weight = self.kept("one", 120)[0]["layers"][1]["weights"][0][0]
        shown = float(self.text("#map rect title").removesuffix(" %").rsplit(": ", 1)[1])
        self.assertAlmostEqual(shown, 100 * weight, delta=0.051)
        self.browser.run("document.querySelectorAll('.run')[1].click()")
        self.browser.wait("document.body.dataset.shown.endsWith('two 80')")
        self.assertEqual(self.text("#validation-name"), "Validations of two")

    def test_the_film_goes_through_all_validations(self):
        self.open()
        self.browser.run("""(() => {
            window.seen = [];
            new MutationObserver(() => seen.push(document.body.dataset.shown.split(" ")[1]))
                .observe(document.body, {attributes: true, attributeFilter: ["data-shown"]});
            element("play").click();
        })()""")
        self.browser.wait("playing === null && seen.includes('120')")
        self.assertEqual(self.browser.run("[...new Set(seen)]"), ["40", "80", "120"])

    def test_curves_have_both_runs_and_their_numbers_under_the_pointer(self):
        self.open()
        names = self.browser.run("[...document.querySelectorAll('#chart-loss polyline title')].map(each => each.textContent)")
        self.assertEqual(names, ["one, training", "one, validation", "two, training", "two, validation"])
        self.assertEqual(self.browser.run("document.querySelectorAll('#charts figure').length"), 3)  # loss, speed, rate
        x, y = self.browser.run("""(() => {
            const box = document.querySelector("#chart-loss svg").getBoundingClientRect();
            return [box.right - 12, box.top + 60];
        })()""")
        self.browser.move(x, y)
        self.browser.wait("!document.querySelector('#chart-loss .reading').hidden")
        metrics = [json.loads(line) for line in (self.folder / "runs/one/metrics.jsonl").read_text().splitlines()]
        last = [event["loss"] for event in metrics if event["event"] == "train"][-1]
        self.assertIn(f"one, training: {float(f'{last:.4g}'):g} at 120", self.text("#chart-loss .reading"))
        self.browser.run("element('against').value = 'seconds'; element('against').dispatchEvent(new Event('change'))")
        self.assertEqual(self.text("#chart-rate svg > text:last-of-type"), "minutes")

    def test_a_run_can_be_hidden_and_the_reading_lies_below_its_chart(self):
        self.open()
        self.browser.run("document.querySelector('#key button').click()")
        names = "[...document.querySelectorAll('#chart-loss polyline title')].map(each => each.textContent)"
        self.assertEqual(self.browser.run(names), ["two, training", "two, validation"])
        self.browser.run("document.querySelector('#key button').click()")
        self.assertEqual(len(self.browser.run(names)), 4)
        self.browser.run("document.querySelector('#chart-loss').scrollIntoView({block: 'center'})")
        self.browser.painted()
        x, y = self.browser.run("""(() => {
            const box = document.querySelector("#chart-loss svg").getBoundingClientRect();
            return [box.left + box.width / 2, box.top + 60];
        })()""")
        self.browser.move(x, y)
        self.browser.wait("!document.querySelector('#chart-loss .reading').hidden")
        below = self.browser.run("""document.querySelector("#chart-loss .reading").getBoundingClientRect().top -
            document.querySelector("#chart-loss svg").getBoundingClientRect().bottom""")
        self.assertGreaterEqual(below, 0)

    def test_runs_in_training_come_first_and_keep_their_colours(self):
        self.open()
        before, after = self.browser.run("""(() => {
            const [one, two] = runs, colours = () => Object.fromEntries(runs.map((each, i) => [each.id, colourOf(i)]));
            const before = colours();
            show("changed", { runs: [one, { ...two, state: "training" }], damaged: [] });
            const names = [...document.querySelectorAll(".run")].map(each => each.dataset.run);
            return [[names, before], [[two.id, one.id], colours()]];
        })()""")
        self.assertEqual(before, after)

    def test_nothing_is_cut_or_overlaps_at_any_width(self):
        self.open()
        for width in (1920, 1400, 1000, 390):
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    self.browser.resize(width, 900, dark)
                    self.assertEqual(layout.faults(self.browser), [])
                    cut = self.browser.run("""[...document.querySelectorAll("dd, dt, label, p, h1, h2, .name")]
                        .filter(each => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0)
                        .map(each => each.textContent)""")
                    self.assertEqual(cut, [])

    def test_names_of_wide_letters_stay_within_the_map(self):
        self.open()
        self.browser.run("""drawMap(element("map"), {
            source: ["\\u4e2d\\u6587".repeat(4), "a".repeat(40)], target: ["\\uac00".repeat(30), "</s>"],
            weights: [[0.5, 0.5], [1, 0]]}, shade)""")
        self.browser.painted()
        self.assertEqual(layout.faults(self.browser), [])
        names = self.browser.run("[...document.querySelectorAll('#map text')].map(each => each.firstChild.data)")
        self.assertEqual(names[0], "\u4e2d\u6587" * 4)
        self.assertEqual([name[-1] for name in names[1:]], ["\u2026", "\u2026", ">"])

    def test_what_has_not_changed_is_not_drawn_again(self):
        self.open()
        self.browser.run("window.sample = document.querySelector('.sample'); drawValidation()")
        self.browser.painted()
        self.assertTrue(self.browser.run("sample.isConnected"))
        self.slide(0)
        self.assertFalse(self.browser.run("sample.isConnected"))

    def test_the_score_that_decides_comes_first(self):
        folder = self.folder / "decided"
        for name, metric in (("by_chrf", "chrf"), ("by_command", "command"), ("by_ter", "ter")):
            (folder / name).mkdir(parents=True)
            (folder / name / "config.yaml").write_text(f"training: {{early_stopping: {{metric: {metric}}}}}\n")
            lines = [{"event": "validation", "update": update, "seconds": update, "loss": loss, "bleu": 31.2, "chrf": chrf,
                      "command": command, "best": update == 20}
                     for update, loss, chrf, command in ((20, 2.25, 55.21, 0.8312), (30, 2.0, 50.5, 0.75))]
            if metric == "ter":
                lines[0]["ter"], lines[1]["ter"] = 48.12, 49.5
            (folder / name / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        with Watch("decided", folder=self.folder) as other:
            self.browser.open(other.url, 1000, 900)
            self.browser.wait("document.querySelectorAll('.run').length === 3")
            titles = self.browser.run("[...document.querySelectorAll('.chart figcaption')].map(each => each.textContent)")
            said = self.browser.run("""[...document.querySelectorAll(".run")].map(run => Object.fromEntries(
                [...run.querySelectorAll("dt")].map(name => [name.textContent, name.nextElementSibling.textContent])))""")
        self.assertEqual(said[0]["best"], "chrF 55.21, loss 2.250, BLEU 31.20, command 0.8312 at 20")
        self.assertEqual(said[0]["validation"], "chrF 50.50, loss 2.000, BLEU 31.20, command 0.75 at 30")
        self.assertEqual(said[1]["best"], "command 0.8312, loss 2.250, BLEU 31.20, chrF 55.21 at 20")
        self.assertEqual(said[2]["best"], "TER 48.12, loss 2.250, BLEU 31.20, chrF 55.21, command 0.8312 at 20")
        self.assertEqual(titles, ["Loss per piece", "BLEU", "chrF", "TER", "What the command says"])
        self.browser.requests.clear()
        self.browser.errors.clear()  # of the connection

    def test_a_folder_that_is_not_there_yet_is_waited_for(self):
        with Watch("later/future", folder=self.folder) as other:
            self.assertEqual(json.loads(other.get("snapshot.json")), {"runs": [], "damaged": []})
            self.browser.open(other.url, 1000, 900)
            self.browser.wait("!element('nothing').hidden")
            shutil.copytree(self.folder / "runs/one", self.folder / "later/future")
            self.browser.wait("document.body.dataset.shown === 'later/future 120'")
            self.browser.requests.clear()
        self.browser.errors.clear()  # of the connection

    def test_it_says_when_its_server_is_gone(self):
        with Watch("runs/one", folder=self.folder) as other:
            self.browser.open(other.url, 1000, 900)
            self.browser.wait("document.body.dataset.shown")
            self.assertEqual(self.text(".run .name span:nth-child(2)"), "one")
        self.browser.wait("element('status').className === 'lost'")
        self.assertIn("does not answer", self.text("#status"))
        self.browser.errors.clear()  # of the connection
        self.browser.requests.clear()

    def test_a_run_that_trains_is_seen_while_it_does_and_when_it_stops(self):
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
        (self.folder / "live").mkdir()
        settings = ("output=live/run", "training.updates=1000000", "training.validate_every=40", "training.log_every=10")
        training = subprocess.Popen(
            [toy.HEED, "train", "toy.yaml", *[part for one in settings for part in ("--set", one)]],
            cwd=self.folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            with Watch("live", folder=self.folder) as other:
                self.browser.open(other.url, 1000, 900)
                self.browser.wait("runs.length === 1 && run().validations.length > 0 && run().left !== null")
                for part in ("training", " of 1,000,000", " left", " tokens/s"):
                    self.assertIn(part, self.text(".run"))
                seen = self.browser.run("(window.card = document.querySelector('.run')).focus(), run().validations.length")
                self.browser.wait(f"run().validations.length > {seen}")  # nobody has loaded the page again
                self.assertTrue(self.browser.run("document.activeElement === card"))
                self.assertEqual(self.text("#status"), "1 run in training")
                self.assertIn("seen at", self.text("#seen"))
                training.send_signal(signal.SIGINT)
                training.wait(20)
                self.browser.wait("run().state === 'stopped'")
                self.assertIn("stopped", self.text(".run"))
                self.assertNotIn(" left", self.text(".run"))
        finally:
            training.kill()
            training.wait()
        self.browser.errors.clear()  # of the connection
        self.browser.requests.clear()

    def test_what_is_nowhere_is_refused(self):
        for path in ("validation.json?run=runs/one&update=41", "validation.json?run=../etc&update=40", "nowhere",
                     "validation.json?run=runs/one&update=../40"):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                self.watch.get(path)
            self.assertIn(refused.exception.code, (400, 404))
            refused.exception.close()

    def test_runs_are_left_as_they_are(self):
        self.open()
        self.slide(0)
        self.assertEqual(files_of(self.folder / "runs"), self.before)


if __name__ == "__main__":
    unittest.main()
