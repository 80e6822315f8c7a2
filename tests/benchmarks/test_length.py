"""length.py: sentences, targets, and times out of tables."""

import csv
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

from length import sentences_of, settings_of, short_target

HERE = pathlib.Path(__file__).resolve().parent
# A second to begin, and a tenth of one for each target piece, of all sentences together.
FAKE = """#!{python}
import csv, pathlib, sys
words = sys.argv[1:]
after = lambda name: words[words.index(name) + 1]
made = dict(word.split("=") for before, word in zip(words, words[1:]) if before == "--set")
folder = pathlib.Path(after("-o"))
folder.mkdir(exist_ok=True)
seconds = 1 + 0.1 * (int(made["decoding.min_length"]) + 1)
with open(folder / "translate.csv", "w") as file:
    csv.writer(file).writerows([["sentences_per_second"], [int(after("--lines")) / seconds]])
assert len(open(after("--source")).readlines()) == 5
sys.exit(words[words.index("translate") + 1] == "broken")
"""


class Length(unittest.TestCase):
    def test_sentences_are_made_of_lines_that_follow_each_other(self):
        self.assertEqual(sentences_of(["a b", "", "c", "d e f"], 3, 3), ["a b c", "d e f", "a b c"])
        with self.assertRaisesRegex(SystemExit, "no lines"):
            sentences_of(["", " "], 1, 3)

    def test_a_target_has_the_length_that_is_asked_for(self):
        # A search may make ratio x source + 10 pieces, and the ratio is 0.1 or more.
        for length, short in ((16, 16), (60, 16), (61, 17), (256, 36)):
            self.assertEqual(short_target(length), short)
            for target in (short, 144):
                settings = settings_of(length, target)
                most = int(settings["max_length_ratio"] * length + 1e-9) + 10
                self.assertGreaterEqual(settings["max_length_ratio"], 0.1)
                self.assertEqual(settings["min_length"] + 1, max(target, most))

    def run_script(self, *models):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            bench, source = folder / "heed-bench", folder / "source"
            bench.write_text(FAKE.format(python=sys.executable), encoding="utf-8")
            bench.chmod(bench.stat().st_mode | stat.S_IXUSR)
            source.write_text("one two\nthree\n", encoding="utf-8")
            return subprocess.run([sys.executable, str(HERE / "length.py"), *models, "--bench", str(bench), "--source", str(source),
                                   "--lengths", "16,256", "--sentences", "5"], capture_output=True, text=True, check=False)

    def test_what_the_beginning_takes_is_in_no_number(self):
        rows = list(csv.reader(self.run_script("a", "b").stdout.splitlines()))
        # 100 ms for a piece of five sentences.
        expected = [[model, length, "20.0000", "1.00"] for model in "ab" for length in ("16", "256")]
        self.assertEqual(rows, [["model", "length", "ms_per_piece", "of_first"], *expected])

    def test_a_command_that_fails_ends_it(self):
        ended = self.run_script("broken")
        self.assertNotEqual(ended.returncode, 0)
        self.assertIn("translate broken", ended.stderr)


if __name__ == "__main__":
    unittest.main()
