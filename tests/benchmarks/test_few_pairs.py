"""few_pairs.py with a program that only plays heed: which pairs are taken, what is run, and the rows."""

import contextlib
import gzip
import io
import pathlib
import sys
import tempfile
import unittest

import few_pairs

# Writes its arguments to calls, and what heed would.
FAKE = """#!{python}
import json, pathlib, sys
words = sys.argv[1:]
with open("{calls}", "a") as file:
    file.write(words[0] + "\\n")
if words[0] == "init":
    count = len(pathlib.Path("corpus.src").read_text().splitlines())
    pathlib.Path("few.yaml").write_text("model:\\n  type: " + ("rnn" if count < 3 else "transformer") + "\\n")
elif words[0] == "train":
    pathlib.Path("runs/few").mkdir(parents=True)
    pathlib.Path("runs/few/summary.json").write_text(json.dumps({{"minutes": 2.6}}))
else:
    print("BLEU 12.34 (BP 1.000)\\nchrF2 8.99 (x)")
"""


class FewPairs(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.heed = self.folder / "heed"
        self.heed.write_text(FAKE.format(python=sys.executable, calls=self.folder / "calls"))
        self.heed.chmod(0o755)
        with gzip.open(self.folder / "all.de.gz", "wt") as file:
            file.write("a\nb\u2028\nc\nd\n")  # no line ends at U+2028
        (self.folder / "all.en").write_text("A\nB\nC\nD\n")

    def rows(self, pairs):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            few_pairs.main([str(self.folder / "all.de.gz"), str(self.folder / "all.en"), "--test", "t.de", "t.en", "--pairs", pairs,
                            "--output", str(self.folder / "out"), "--heed", str(self.heed)])
        return out.getvalue().splitlines()

    def test_a_larger_corpus_has_the_pairs_of_a_smaller_one(self):
        self.rows("2,4")
        small, large = ((self.folder / "out" / count / "corpus.src").read_text().split("\n")[:-1] for count in ("2", "4"))
        self.assertEqual(large[:2], small)
        self.assertEqual(sorted(large), ["a", "b\u2028", "c", "d"])
        self.assertEqual((self.folder / "out/4/corpus.tgt").read_text().split("\n")[:-1], [text[0].upper() for text in large])

    def test_a_row_has_the_model_the_minutes_and_the_score(self):
        rows = self.rows("2,4")[2:]
        for row, wanted in zip(rows, ("| the corpus, recurrent | 2 | 12.34 | 3 minutes of ", "| the corpus, Transformer | 4 | 12.34 | 3 minutes of "),
                               strict=True):
            self.assertTrue(row.startswith(wanted), row)
        self.assertEqual((self.folder / "calls").read_text().split(), ["init", "train", "evaluate"] * 2)
        self.rows("2")  # is trained already
        self.assertEqual((self.folder / "calls").read_text().split()[6:], ["evaluate"])

    def test_more_pairs_than_there_are_is_a_mistake(self):
        with self.assertRaisesRegex(SystemExit, "--pairs 5: the corpus has 4"):
            self.rows("2,5")


if __name__ == "__main__":
    unittest.main()
