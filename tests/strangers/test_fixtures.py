"""Tiny models that other programs wrote: heed imports them, and computes what the programs computed with them."""

import json
import re
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

from fixtures import FIXTURES, LARGEST_FILE, LARGEST_SUM, size_of
from heed import Heed, Run
from program_marian import searched
from strangers import Result, count_no_worse, with_wordless_lines


class Fixtures(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check(self, fixture):
        expected = json.loads((fixture / "expected.json").read_text(encoding="utf-8"))
        options = [option.replace("{folder}", str(fixture)) for option in expected["options"]]
        work = self.folder / fixture.name
        work.mkdir()
        run = Run(fixture / "model", work, options, expected["settings"])
        lines, targets = expected["lines"], expected["targets"]
        for beam, theirs in expected["translations"].items():
            self.assert_equal(run.translate(lines, beam), with_wordless_lines(lines, theirs), expected["equal"].get(beam, 1))
        scores = run.score(lines, targets)
        self.assertEqual(len(scores), len(lines))
        for line, ours, theirs in zip(lines, scores, expected["scores"], strict=True):
            self.assertLess(abs(ours - theirs), expected["bound"], line)
        if "links" in expected:
            share = expected["equal"].get("links", 1)
            self.assert_equal(run.align(lines, targets), expected["links"], share)

    def assert_equal(self, ours, theirs, share):
        """At least this share of the lines."""
        same = sum(a == b for a, b in zip(ours, theirs, strict=True))
        if same < share * len(theirs):
            self.assertEqual(ours, theirs)

    def test_each(self):
        fixtures = sorted(path.parent for path in FIXTURES.glob("*/expected.json"))
        self.assertGreater(len(fixtures), 3)
        for fixture in fixtures:
            with self.subTest(fixture.name):
                self.check(fixture)

    def test_each_says_who_made_it(self):
        for fixture in FIXTURES.iterdir():
            with self.subTest(fixture.name):
                text = (fixture / "made_by").read_text(encoding="utf-8")
                self.assertTrue(re.search(r"made on \d{4}-\d\d-\d\d by python3 tests/strangers/fixtures.py", text), text)
                self.assertTrue((fixture / "expected.json").exists())

    def test_they_are_small(self):
        self.assertLessEqual(size_of(FIXTURES), LARGEST_SUM)
        for path in FIXTURES.rglob("*"):
            self.assertLessEqual(path.stat().st_size, LARGEST_FILE, path)

    def test_proof_that_differences_are_seen(self):
        """Weights of another fixture of the same shape, or scores of other lines, are not the expected ones."""
        fixture = min(FIXTURES.glob("marian-*/expected.json")).parent
        expected = json.loads((fixture / "expected.json").read_text(encoding="utf-8"))
        run = Run(fixture / "model", self.folder)
        turned = run.score(expected["lines"], expected["targets"][::-1])
        differences = [abs(a - b) for a, b in zip(turned, expected["scores"])]
        self.assertGreater(max(differences), 100 * expected["bound"])

    def test_a_damaged_one_is_refused(self):
        fixture = min(FIXTURES.glob("marian-*/expected.json")).parent
        copy = self.folder / "copy"
        copy.mkdir()
        for path in (fixture / "model").iterdir():
            data = path.read_bytes()
            (copy / path.name).write_bytes(data[: len(data) // 2] if path.suffix == ".npz" else data)
        with self.assertRaisesRegex(Heed, "ended with 2: .*npz"):
            Run(copy, self.folder)


class Criterion(unittest.TestCase):
    """How translations that differ are judged."""

    def test_marian_orders_by_length_and_penalty(self):
        scores = ["-3 ||| WordScores= -1 -1.5 -0.5", "-2 ||| WordScores= -2"]
        self.assertEqual(searched(scores, {"normalize": "0", "word-penalty": "0"}), [-3, -2])
        normalized = searched(scores, {"normalize": "0.5", "word-penalty": "0.4"})
        self.assertAlmostEqual(normalized[0], -4.2 / 3**0.5)
        self.assertAlmostEqual(normalized[1], -2.4)

    def judged(self, share):
        ranks = {"equal": -9.0, "a": -1.0, "b": -1.00005, "c": -1.5, "d": -1.0}
        case = SimpleNamespace(no_worse=share, ordered=lambda folder, python, lines, texts: [ranks[text] for text in texts])
        result = Result(case, equal={"beam 4": "1/4"})
        # b is as good as a but for rounding, and c is not.
        count_no_worse(result, "beam 4", list("1234"), ["equal", "b", "c", "d"], ["equal", "a", "d", "c"], None, None)
        return result

    def test_one_of_four_is_worse(self):
        passed, failed = self.judged(0.75), self.judged(0.76)
        self.assertEqual(passed.equal, {"beam 4": "1/4 + 2 no worse"})
        self.assertEqual(passed.failures, [])
        self.assertEqual(len(failed.failures), 1)
        self.assertIn("1 of 4 are worse", failed.failures[0])
        self.assertIn("'3'", failed.failures[0])


if __name__ == "__main__":
    unittest.main()
