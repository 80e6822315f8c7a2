"""The page of `heed attention` as a person sees it."""
import atexit
import functools
import itertools
import pathlib
import re
import tempfile
import unittest

import chromium
import toy

@functools.lru_cache(maxsize=None)
def models():
    """A folder with two models, and the browser: made for the first test, gone at the end."""
    program = chromium.find_or_skip("pages of models were")
    temporary = tempfile.TemporaryDirectory()
    atexit.register(temporary.cleanup)
    folder = pathlib.Path(temporary.name)
    toy.train(folder)
    toy.train_other(folder)
    browser = chromium.Chromium(program)
    atexit.register(browser.close)
    return folder, browser


@functools.lru_cache(maxsize=None)
def looked_at():
    """The folder of models() with what toy.look makes of them, and its matrices by kind."""
    folder, _ = models()
    toy.look(folder)
    return {kind: toy.read_matrices(folder / f"look/attention-{kind}.csv") for kind in ("cross", "encoder", "decoder")}


BOXES = """
  const seen = element => {
    const box = element.getBoundingClientRect(), style = getComputedStyle(element);
    const name = element.querySelector("span") ?? element;
    return {text: name.textContent, small: element.querySelector("small")?.textContent ?? "",
            left: box.left, top: box.top, right: box.right, bottom: box.bottom,
            cut: name.scrollWidth > name.clientWidth + 1, ink: style.color,
            paper: style.backgroundColor, outline: style.outlineStyle, width: style.outlineWidth,
            size: parseFloat(style.fontSize)};
  };
"""


def rgb(colour):
    """Red, green, blue of a computed colour; None for transparent."""
    *parts, alpha = ([float(part) for part in re.findall(r"[\d.]+", colour)] + [1.0])[:4]
    return tuple(parts) if alpha else None


def luminance(colour):
    linear = [c / 3294.6 if c <= 10.3 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def overlaps(boxes):
    """Pairs of texts whose boxes share more than a hair."""
    return [(a["text"], b["text"]) for a, b in itertools.combinations(boxes, 2)
            if min(a["right"], b["right"]) - max(a["left"], b["left"]) > 0.5
            and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > 0.5]


class ModelsTest(unittest.TestCase):
    """A test of pages with the browser and the folder of models()."""

    @classmethod
    def setUpClass(cls):
        cls.folder, cls.browser = models()

    def setUp(self):
        self.browser.errors.clear()
        self.browser.requests.clear()
        self.opened = []

    def tearDown(self):
        """Nothing went wrong and nothing was loaded but the files themselves."""
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.requests, [path.resolve().as_uri() for path in self.opened])

    def show(self, file, width, height, dark=False, scale=1):
        self.opened.append(self.folder / file)
        self.browser.open(self.opened[-1], width, height, dark, scale)

    def boxes(self, selector):
        return self.browser.run(
            f"(() => {{{BOXES} return [...document.querySelectorAll('{selector}')].map(seen)}})()")

    def point_at(self, selector, index=0):
        """Moves the mouse over the index-th such element, as far into view as it must be."""
        found = f"document.querySelectorAll('{selector}')[{index}]"
        self.browser.run(f"{found}.scrollIntoView({{block: 'center', inline: 'center'}})")
        self.browser.painted()  # or the mouse would still find what was there before
        x, y = self.browser.run(f"""(() => {{
            const box = {found}.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];
        }})()""")
        self.browser.move(x, y)
        return x, y


class PageTest(ModelsTest):
    """A test of the page of `heed attention` in the folders of toy.look."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.matrices = looked_at()

    def open_as_it_is(self, file="look/attention.html", width=1200, height=900, dark=False):
        self.show(file, width, height, dark)
        self.browser.wait("document.querySelector('td')")
        self.dark = dark

    def open(self, sentence=1, width=1200, height=900, dark=False):
        self.open_as_it_is(width=width, height=height, dark=dark)
        if sentence != 1:
            self.select("sentence", str(sentence - 1))
        self.begin_at_the_first_head()

    def begin_at_the_first_head(self):
        """Goes where the tests begin, with nothing lit; the page begins where it aligns best."""
        self.browser.run("""(async () => {
            for (const id of ["layer", "head"]) element(id).selectedIndex = 0;
            await choose();
            clear();
        })()""")

    def select(self, chooser, value):
        """Chooses from a list, which must be in sight."""
        self.assertFalse(self.browser.run(f"element('{chooser}').parentElement.hidden"))
        self.assertEqual(value, self.browser.run(f"""(() => {{
            const chooser = element("{chooser}");
            chooser.value = "{value}";
            chooser.dispatchEvent(new Event("change", {{bubbles: true}}));
            return chooser.value;
        }})()"""))
        self.browser.wait("sentence === sentences[element('sentence').selectedIndex]")
        self.browser.painted()

    def state(self):
        """{kind, layer, head} that the choosers show."""
        return self.browser.run("""Object.fromEntries(["kind", "layer", "head"].map(id =>
            [id, element(id).selectedOptions[0].textContent]))""")

    def tokens(self, side):
        return self.boxes(f"#{side} > .token")

    def texts(self, side):
        return [token["text"] for token in self.tokens(side)]

    def status(self):
        """Without the marks that isolate tokens of either direction."""
        return re.sub("[\u2068\u2069]", "", self.browser.run("element('status').textContent"))

    def strength(self, token):
        """How far a token's ground is from the paper, towards ink or, in the dark, light."""
        paper = rgb(token["paper"])
        if paper is None:
            return 0
        return sum(paper) - 75 if self.dark else 765 - sum(paper)

    def expect_lit(self, side, weights):
        """The tokens of a side are lit as the weights say: the more, the stronger, where a colour can tell them apart."""
        strengths = [self.strength(token) for token in self.tokens(side)]
        self.assertEqual(len(strengths), len(weights))
        best = max(range(len(weights)), key=weights.__getitem__)
        self.assertGreater(strengths[best], 0)
        for i, j in itertools.permutations(range(len(weights)), 2):
            if weights[i] > weights[j] + 0.02:
                self.assertGreater(strengths[i], strengths[j], (i, j, weights[i], weights[j]))

    def expect_unlit(self, side):
        for token in self.tokens(side):
            self.assertEqual(token["small"], "")
