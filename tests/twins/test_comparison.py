"""`heed compare` against sacrebleu and compare-mt (Neubig et al. 2019) on the same files.

sacrebleu is at hand where heed is. The numbers of compare-mt 0.2.10 are recorded. These commands
give them again:

    python3 test_comparison.py FOLDER && cd FOLDER
    compare-mt reference one other --decimals 6 --compare_scores score_type=bleu \\
        --compare_word_accuracies bucket_type=freq,acc_type=prec+rec+fmeas \\
            bucket_type=freq,acc_type=fmeas,freq_corpus_file=other \\
        --compare_sentence_buckets bucket_type=length,statistic_type=score,score_measure=bleu \\
        --compare_ngrams compare_type=match,report_length=16 --compare_sentence_examples

They differ from heed in six points:

- compare-mt has buckets of the reference's length, 10 to 19 words in one; heed of the source's,
  11 to 20. Here the source is the reference, and the buckets are set.
- compare-mt counts an n-gram of each order in lines that are too short for one. Here no line is.
- compare-mt does not smooth BLEU. Here each order has matches.
- compare-mt 0.2.10 prints recall as `prec` and precision as `rec`.
- compare-mt sorts sentences by smoothed BLEU, heed by chrF2.
- `sacrebleu --paired-bs` takes the differences of the draws without their signs, and counts how
  often they are above their mean by more than the real difference. Its p is far smaller where
  systems are close. heed keeps the signs and is two-sided. So counted, sacrebleu's own draws of
  these files have p = 0.80; it says 0.29.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from twins import heed

SYLLABLES = "ka lo mi ne ru sa to vu".split()
WORDS = [first + second for first in SYLLABLES for second in SYLLABLES]
BUCKETS = {"1-9": (53.081971, 61.531754), "10-19": (62.180241, 59.407694),
           "20-29": (60.105116, 63.110611), "30-39": (62.290571, 62.115409)}
BLEU = (60.937495, 61.827518)
# Recall, precision and F1 of `one`, then of `other`; compare-mt prints the first two under each
# other's name, but computes them as heed does.
FREQUENCIES = {
    "0": ((0, 0, 0), (0, 0, 0)),
    "1": ((1, 0.076923, 0.142857), (1, 0.25, 0.4)),
    "2": ((0.833333, 0.185185, 0.30303), (0.333333, 0.222222, 0.266667)),
    "3": ((0.777778, 0.2, 0.318182), (0.777778, 0.4375, 0.56)),
    "4": ((0.875, 0.325581, 0.474576), (0.75, 0.444444, 0.55814)),
    "5-9": ((0.762712, 0.714286, 0.737705), (0.813559, 0.615385, 0.70073)),
    "10-99": ((0.830896, 1, 0.907639), (0.815356, 0.912999, 0.86142)),
    "100-999": ((0, 0, 0), (0, 0, 0)),
    ">= 1000": ((0, 0, 0), (0, 0, 0)),
}
# F1 where the frequency is that in the file `other`.
COUNTED = {"0": (0, 0), "1": (0, 0), "2": (0.090909, 0.333333), "3": (0.181818, 0.214286),
           "4": (0.235294, 0.333333), "5-9": (0.391608, 0.571429), "10-99": (0.904281, 0.853839),
           "100-999": (0, 0), ">= 1000": (0, 0)}
# Matches of `one` and of `other`. As many more have the share of the last ones.
FIRST_RIGHT = {"kane loka": (3, 0), "kalo ruvu": (2, 0), "kami nesa": (2, 0), "kasa nesa": (2, 0),
               "loto loto": (2, 0), "lone neto": (2, 0), "losa loru": (2, 0), "kasa kavu": (2, 0),
               "lovu lolo": (2, 0), "kami loka": (2, 0), "lovu kasa": (2, 0), "tosa": (2, 0),
               "kami kane": (2, 0), "lone mika": (2, 0), "lomi lone": (4, 1),
               "savu": (4, 1)}
THIS_RIGHT = {"kami loto": (0, 2), "mine kasa": (0, 2), "kalo sasa": (0, 2),
              "mine loto kalo": (0, 2), "rulo kasa": (0, 2), "mika mika": (0, 2),
              "kasa lovu": (0, 2), "mine loka": (0, 2), "lomi kasa": (0, 2), "loru loka": (0, 2),
              "lone losa": (0, 2), "mivu loto": (0, 2), "lomi loto": (0, 2), "lone kasa": (0, 2),
              "losa milo": (0, 2), "lomi kane": (0, 2)}


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


def share(counts):
    return (counts[0] + 1) / (sum(counts) + 2)


class Comparison(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.texts = texts()
        cls.files = {name: write(cls.folder, name, lines) for name, lines in cls.texts.items()}
        cls.all = cls.compare("--sentences", 60)

    @classmethod
    def compare(cls, *more):
        result = cls.folder / "compare.json"
        reference = cls.files["reference"]
        heed("compare", cls.files["one"], cls.files["other"], "--source", reference,
             "--reference", reference, "--json", result, "--set", "evaluation.bootstrap=10000",
             "--set", "evaluation.length_buckets=[9, 19, 29, 39]", *more)
        return json.loads(result.read_text())

    def close(self, found, expected, places=6):
        self.assertEqual(len(found), len(expected))
        for one, other in zip(found, expected):
            self.assertAlmostEqual(one, other, places)

    def test_bleu_is_that_of_compare_mt(self):
        self.close([system["bleu"]["score"] for system in self.all["systems"]], BLEU)

    def test_bleu_by_length_is_that_of_compare_mt(self):
        rows = {row["words"]: [s and s["bleu"] for s in row["systems"]]
                for row in self.all["bleu_by_length"]}
        self.assertEqual(rows.pop("> 39"), [None, None])
        self.close(rows.pop("all"), BLEU)
        self.assertEqual(rows.keys(), BUCKETS.keys())
        for words, found in rows.items():
            self.close(found, BUCKETS[words])

    def test_a_bucket_has_the_bleu_that_sacrebleu_has_of_its_sentences(self):
        lines = [i for i, words in enumerate(self.texts["reference"]) if 10 <= len(words) <= 19]
        row = self.all["bleu_by_length"][1]
        self.assertEqual(row["sentences"], len(lines))
        reference = write(self.folder, "part", [self.texts["reference"][i] for i in lines])
        for name, found in zip(("one", "other"), row["systems"]):
            part = write(self.folder, f"part.{name}", [self.texts[name][i] for i in lines])
            self.close([found["bleu"]], [json.loads(sacrebleu(reference, "-i", part))["score"]])

    def test_words_by_frequency_are_those_of_compare_mt(self):
        rows = {row["times"]: row["systems"] for row in self.all["words_by_frequency"]}
        self.assertEqual(rows.keys(), FREQUENCIES.keys())
        for times, systems in rows.items():
            for found, expected in zip(systems, FREQUENCIES[times]):
                self.close([found[key] for key in ("recall", "precision", "f1")], expected)

    def test_words_by_their_frequency_in_another_text_are_those_of_compare_mt(self):
        for row in self.compare("--counts", self.files["other"])["words_by_frequency"]:
            self.close([system["f1"] for system in row["systems"]], COUNTED[row["times"]])

    def test_ngrams_are_those_of_compare_mt(self):
        ngrams = self.all["systems"][1]["ngrams"]
        for found, expected in ((ngrams["first_right"], FIRST_RIGHT),
                                (ngrams["this_right"], THIS_RIGHT)):
            counts = [(row["first"], row["second"]) for row in found]
            self.assertEqual(counts, [expected[row["ngram"]] for row in found])
            self.close(map_list(share, counts), map_list(share, expected.values())[: len(found)])
            self.assertEqual(len(found), 15)

    def test_the_p_of_approximate_randomisation_is_that_of_sacrebleu(self):
        found = self.paired("--paired-ar", "--paired-ar-n", 10000)[1]["BLEU"]
        # Two standard deviations of 10,000 trials are 0.008.
        against = self.all["systems"][1]["against_first"]
        self.assertAlmostEqual(against["p_randomisation"], found["p_value"], delta=0.03)
        self.close([against["bleu"]], [found["score"] - self.all["systems"][0]["bleu"]["score"]])

    def test_bootstrap_intervals_are_those_of_sacrebleu(self):
        found = self.paired("--paired-bs", "--paired-bs-n", 10000)
        for system, expected in zip(self.all["bleu_by_length"][-1]["systems"], found):
            mean, width = expected["BLEU"]["mean"], expected["BLEU"]["ci"]
            self.assertAlmostEqual(system["high"] - system["low"], 2 * width, delta=0.4)
            self.assertAlmostEqual(system["low"], mean - width, delta=0.4)
        self.assertAlmostEqual(found[1]["BLEU"]["p_value"], 0.295, delta=0.02)
        p = self.all["systems"][1]["against_first"]["p_bootstrap"]
        self.assertAlmostEqual(p, 0.80, delta=0.03)

    def test_chrf_of_sentences_is_that_of_sacrebleu(self):
        rows = sorted(self.all["sentences"], key=lambda row: row["line"])
        self.assertGreater(len(rows), 50)
        for system, name in enumerate(("one", "other")):
            told = sacrebleu(self.files["reference"], "-i", self.files[name], "-m", "chrf",
                             "--sentence-level")
            # "SIGNATURE = 53.259070" of each line.
            scores = [float(part.split()[0]) for part in told.split(" = ")[1:]]
            self.close([row["outputs"][system]["chrf"] for row in rows],
                       [scores[row["line"] - 1] for row in rows], 4)

    def paired(self, *options):
        return json.loads(sacrebleu(self.files["reference"], "-i", self.files["one"],
                                    self.files["other"], *options))


def map_list(function, values):
    return [function(value) for value in values]


if __name__ == "__main__":
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    for title, sentences in texts().items():
        write(target, title, sentences)
