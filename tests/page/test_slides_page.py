"""The slides of docs/slides as a person shows them: keys, clicks, notes, and every picture in its place."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import chromium

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = os.environ.get("HEED_BINARY", ROOT / "build/release/heed")
SLIDES = ROOT / "docs/slides/slides.html"


class SlidesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = chromium.find_or_skip("the slides were")
        cls.opened = 0
        cls.browser = cls.enterClassContext(contextlib.closing(chromium.Chromium(program)))

    def setUp(self):
        self.browser.errors.clear()
        self.browser.requests.clear()

    def tearDown(self):
        self.assertEqual(self.browser.errors, [])
        for address in self.browser.requests:
            self.assertTrue(address.startswith((ROOT / "docs").as_uri()), address)

    def open(self, width=1920, height=1080):
        """Anew: an address that differs from the one on show in its # alone would not be loaded."""
        type(self).opened += 1
        self.browser.open(f"{SLIDES.as_uri()}?{self.opened}", width, height)

    def shown(self):
        """The numbers of the slides in sight."""
        return self.browser.run("slides.map((each, i) => [each.offsetHeight, i + 1]).filter(([high]) => high > 0).map(([, i]) => i)")

    def count(self):
        return self.browser.run("slides.length")

    def test_keys_and_clicks_go_forward_and_back(self):
        self.open()
        self.assertEqual(self.shown(), [1])
        for key, number in (("ArrowRight", 2), (" ", 3), ("ArrowDown", 4), ("ArrowLeft", 3), ("End", self.count()),
                            ("ArrowRight", self.count()), ("Home", 1), ("ArrowUp", 1)):
            self.browser.press(key)
            self.assertEqual(self.shown(), [number], key)
        self.browser.click(1500, 500)
        self.assertEqual(self.shown(), [2])
        self.browser.click(100, 500)
        self.assertEqual(self.shown(), [1])
        self.browser.run("location.hash = '#3'")
        self.browser.painted()
        self.assertEqual(self.shown(), [3])

    def test_notes_and_command_come_and_go(self):
        self.open()
        seen = "slides[now].querySelector('aside').offsetHeight > 0"
        self.assertFalse(self.browser.run(seen))
        for expected in (True, False):
            self.browser.run("document.dispatchEvent(new KeyboardEvent('keydown', {key: 'n'}))")
            self.assertEqual(self.browser.run(seen), expected)

    def test_every_picture_is_there_and_fits(self):
        for width, height in ((1920, 1080), (1000, 700), (390, 800)):
            self.open(width, height)
            for number in range(1, self.count() + 1):
                self.browser.wait("slides[now].querySelector('img').complete")
                name, natural, box, over = self.browser.run("""(() => {
                    const image = slides[now].querySelector("img"), box = image.getBoundingClientRect();
                    return [image.getAttribute("src"), image.naturalWidth, [box.left, box.top, box.right, box.bottom],
                            document.documentElement.scrollWidth - innerWidth];
                })()""")
                self.assertGreater(natural, 0, name)
                self.assertLessEqual(over, 0, name)
                self.assertGreaterEqual(min(box), 0, name)
                self.assertLessEqual(box[2], width, name)
                self.assertLessEqual(box[3], height, name)
                self.assertGreater(box[3] - box[1], height / 2, name)
                self.browser.press("ArrowRight")
                self.assertEqual(self.shown(), [min(number + 1, self.count())])


class SlidesMadeTest(unittest.TestCase):
    """docs/slides/make, into a folder of its own."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def make(self, *arguments):
        done = subprocess.run([sys.executable, ROOT / "docs/slides/make", "--output", self.folder, *arguments],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_page_is_made_of_the_notes(self):
        self.make("--page")
        self.assertEqual((self.folder / "slides.html").read_text(encoding="utf-8"), SLIDES.read_text(encoding="utf-8"))

    def test_a_picture_is_made_by_its_command(self):
        """A picture of literal numbers needs no model."""
        if not chromium.find():
            self.skipTest("no chromium, chromium-browser or google-chrome in PATH")
        self.make(self.folder, "--heed", HEED, "--only", "additive_score")
        picture = xml.etree.ElementTree.parse(self.folder / "additive_score.svg").getroot()
        texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
        for number in ("0.7616", "0.9242", "\u22121.0611"):  # 1 tanh 1 + 2 tanh 0, 1 tanh 0 + 2 tanh 0.5, 1 tanh 0.5 - 2 tanh 1
            self.assertIn(number, texts)
        self.assertNotIn("4. Weights", texts)


if __name__ == "__main__":
    unittest.main()
