"""`heed lengths` against sacrebleu and compare-mt (Neubig et al. 2019) on the same files.

sacrebleu is at hand where heed is. The numbers of compare-mt 0.2.10 are recorded. These commands
give them again:

    python3 test_lengths.py FOLDER && cd FOLDER
    compare-mt reference one other --decimals 6 --compare_scores score_type=bleu \\
        --compare_sentence_buckets bucket_type=length,statistic_type=score,score_measure=bleu

They differ from heed in four points:

- compare-mt has buckets of the reference's length, 10 to 19 words in one; heed of the source's,
  11 to 20. Here the source is the reference, and the buckets are set.
- compare-mt counts an n-gram of each order in lines that are too short for one. Here no line is.
- compare-mt does not smooth BLEU. Here each order has matches.
- `sacrebleu --paired-bs` takes the differences of the draws without their signs, and counts how
  often they are above their mean by more than the real difference. Its p is far smaller where
  systems are close. heed keeps the signs and is two-sided. So counted, sacrebleu's own draws of
  these files have p = 0.80; it says 0.29.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from twins import heed

SYLLABLES = "ka lo mi ne ru sa to vu".split()
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]
BUCKETS = {"1": (53.081971, 61.531754), "10": (62.180241, 59.407694),
           "20": (60.105116, 63.110611), "30": (62.290571, 62.115409)}
BLEU = (60.937495, 61.827518)


def numbers(seed):
    while True:
        seed = (1103515245 * seed + 12345) % 2**31
        yield seed >> 16


def texts():
    """60 lines of 6 to 34 words, and two outputs with known errors: `one` has other words and
    exchanges the first two of every fourth line, `other` has other or repeated words and lacks the
    last two of every third line."""
    draw = numbers(7)
    reference, one, other = [], [], []
    for line in range(60):
        words = [
            WORDS[min(next(draw) % 64, next(draw) % 64, next(draw) % 64)]
            for _ in range(6 + 29 * line // 60)
        ]
        a, b = list(words), list(words)
        for i in range(len(words)):
            what = next(draw) % 24
            if what < 4:
                a[i] = WORDS[63 - next(draw) % 20]
            elif what < 7:
                b[i] = WORDS[63 - next(draw) % 40]
            elif what < 8 and i:
                b[i] = b[i - 1]
        if line % 4 == 1:
            a[0], a[1] = a[1], a[0]
        if line % 3 == 1:
            del b[-2:]
        reference.append(words)
        one.append(a)
        other.append(b)
    return {"reference": reference, "one": one, "other": other}


def write(folder, name, lines):
    path = folder / name
    path.write_text("".join(" ".join(words) + "\n" for words in lines))
    return path


def sacrebleu(*arguments):
    program = os.environ.get("HEED_SACREBLEU") or shutil.which("sacrebleu")
    found = [program] if program else [sys.executable, "-m", "sacrebleu"]
    plain = {name: value for name, value in os.environ.items() if name != "SACREBLEU_FORMAT"}
    done = subprocess.run([*found, *map(str, arguments), "-w", "6"], capture_output=True,
                          text=True, timeout=120, env=plain)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Lengths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.texts = texts()
        cls.files = {name: write(cls.folder, name, lines) for name, lines in cls.texts.items()}

    def lengths(self, ends):
        """Rows of both systems by the lowest length of each bucket, and what is printed."""
        result, reference = self.folder / "lengths.csv", self.files["reference"]
        told = heed("lengths", "--hypothesis", self.files["one"], "--hypothesis",
                    self.files["other"], "--source", reference, "--reference", reference,
                    "--baseline", "one", "--csv", result, "--set", "evaluation.bootstrap=10000",
                    "--set", f"evaluation.length_buckets={ends}")
        rows = {}
        with open(result, newline="") as file:
            for row in csv.DictReader(file):
                rows.setdefault(row["bucket_low"], []).append(row)
        return rows, told

    def close(self, rows, expected, column="bleu", delta=0.006):
        self.assertEqual(len(rows), len(expected))
        for row, number in zip(rows, expected):
            self.assertAlmostEqual(float(row[column]), number, delta=delta)

    def test_bleu_is_that_of_compare_mt(self):
        self.close(self.lengths([39])[0]["1"], BLEU)

    def test_bleu_by_length_is_that_of_compare_mt(self):
        rows, _ = self.lengths([9, 19, 29, 39])
        self.assertEqual([row["bleu"] for row in rows.pop("40")], ["", ""])
        self.assertEqual(rows.keys(), BUCKETS.keys())
        for low, found in rows.items():
            self.close(found, BUCKETS[low])

    def test_a_bucket_has_the_bleu_that_sacrebleu_has_of_its_sentences(self):
        lines = [i for i, words in enumerate(self.texts["reference"]) if 10 <= len(words) <= 19]
        rows = self.lengths([9, 19, 29, 39])[0]["10"]
        self.assertEqual(int(rows[0]["sentences"]), len(lines))
        reference = write(self.folder, "part", [self.texts["reference"][i] for i in lines])
        for name, found in zip(("one", "other"), rows):
            part = write(self.folder, f"part.{name}", [self.texts[name][i] for i in lines])
            self.close([found], [json.loads(sacrebleu(reference, "-i", part))["score"]])

    def test_bootstrap_intervals_are_those_of_sacrebleu(self):
        found = json.loads(sacrebleu(self.files["reference"], "-i", self.files["one"],
                                     self.files["other"], "--paired-bs", "--paired-bs-n", 10000))
        rows, told = self.lengths([39])
        means = [system["BLEU"]["mean"] for system in found]
        widths = [system["BLEU"]["ci"] for system in found]
        for column, sign in (("bleu_low", -1), ("bleu_high", 1)):
            ends = [mean + sign * width for mean, width in zip(means, widths)]
            self.close(rows["1"], ends, column, delta=0.4)
        self.assertAlmostEqual(found[1]["BLEU"]["p_value"], 0.295, delta=0.02)
        p = float(re.search(r"p = ([0-9.]+)", told)[1])
        self.assertAlmostEqual(p, 0.80, delta=0.03)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for title, sentences in texts().items():
        write(target, title, sentences)
