"""Models that Marian itself trained: `heed import` computes what Marian computes with them.

pip install pymarian==1.12.42 (600 MB) into an environment of its own; HEED_PYMARIAN is its Python.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_import import require_fp32
from twins import HEED, heed

PYTHON = os.environ.get("HEED_PYMARIAN", sys.executable)
HAS_MARIAN = not subprocess.run([PYTHON, "-c", "import _pymarian"], capture_output=True).returncode
if not HAS_MARIAN:
    print("NO-PYMARIAN: HEED_PYMARIAN names a Python with pymarian, to hold imported models to it")

TOLERANCE = 5e-4  # of a sentence's log-probability
# Marian adds 1e-6 to a variance, and heed 1e-5: that is seen where states are small, before the
# norms that are before sublayers, or where word vectors are multiplied by nothing.
SMALL_STATES = 1e-2
WORDS = {
    "de": "rot grün blau gelb weiß schwarz eins zwei drei vier fünf sechs haus baum hund katze",
    "en": "red green blue yellow white black one two three four five six house tree dog cat",
}
SHAPE = [
    *("--type", "transformer", "--dim-emb", "32", "--transformer-dim-ffn", "48"),
    *("--transformer-heads", "4", "--enc-depth", "2", "--dec-depth", "2"),
]
TRAINING = [
    *("--cpu-threads", "1", "-w", "300", "--mini-batch", "64", "-l", "0.003", "--lr-warmup", "50"),
    *("--seed", "7", "--data-threads", "1", "--quiet"),
    *("--sentencepiece-options", "--hard_vocab_limit=false"),
]


def marian(*arguments, text=None):
    command = [PYTHON, "-m", "pymarian", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, input=text)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}:\n{done.stderr[-3000:]}")
    return done.stdout


@unittest.skipUnless(HAS_MARIAN, "no pymarian")
class Marian(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        chance = random.Random(1)
        for split, count in (("train", 3000), ("test", 30)):
            lines = [chance.choices(range(16), k=chance.randint(1, 6)) for _ in range(count)]
            for language, words in WORDS.items():
                word = words.split()
                text = "".join(" ".join(word[i] for i in line) + "\n" for line in lines)
                (cls.folder / f"{split}.{language}").write_text(text, encoding="utf-8")

    def train(self, name, vocabularies, *options, updates=300):
        folder = self.folder / name
        folder.mkdir()
        corpora = [self.folder / f"train.{language}" for language in WORDS]
        files = [folder / file for file in vocabularies]
        model = folder / "model.npz"
        given = [*SHAPE, *TRAINING, *options, "--dim-vocabs", "60", "60"]
        given += ["--after-batches", updates, "-m", model]
        marian("train", *given, "-t", *corpora, "-v", *files)
        return folder

    def assert_same(self, name, vocabularies, *options, decodes=True, tolerance=TOLERANCE):
        folder = self.train(name, vocabularies, *options)
        run = folder.with_name(name + "-run")
        heed("import", folder, "-o", run)
        require_fp32(run)
        files = [self.folder / f"test.{language}" for language in WORDS]
        sides = [folder / file for file in vocabularies]
        alone = ["--cpu-threads", "1", "-w", "200", "--quiet"]
        alone += ["--mini-batch", "1", "--maxi-batch", "1"]
        wanted = marian("score", "-m", folder / "model.npz", "-v", *sides, "-t", *files, *alone)
        scores = self.scores(run, *files)
        for ours, theirs in zip(scores, map(float, wanted.split()), strict=True):
            self.assertLess(abs(ours - theirs), tolerance)
        self.assertGreater(max(scores) - min(scores), 1, "scores all alike prove little")
        if not decodes:
            return
        text = files[0].read_text(encoding="utf-8")
        decoder = folder / "model.npz.decoder.yml"
        for beam in (1, 4):
            wanted = marian("decode", "-c", decoder, "-b", beam, *alone, text=text).splitlines()
            found = heed("translate", run, files[0], f"--set=decoding.beam_size={beam}")
            same = [
                ours == theirs for ours, theirs in zip(found.splitlines(), wanted, strict=True)
            ]
            # Beams end by other rules: now and then one program alone finds the better one.
            self.assertGreaterEqual(sum(same), len(same) if beam == 1 else 0.9 * len(same))
            self.assertGreater(len(set(wanted)), 15, "translations all alike prove little")

    def scores(self, run, source, target):
        lines = heed("score", run, source, target).splitlines()
        return [float(line.split("\t")[0]) for line in lines]

    def test_joint(self):
        self.assert_same("joint", ["vocab.spm"] * 2, "--tied-embeddings-all")

    def test_separate_in_decoder_ymls_order(self):
        """The alphabet has the other one of two .spm files first."""
        names = ["vocab.yy.spm", "vocab.xx.spm"]
        self.assert_same("separate", names, "--normalize", "0.6", "--beam-size", "6")

    def test_without_positions(self):
        """Marian then multiplies word vectors by nothing, either."""
        options = ["--tied-embeddings-all", "--transformer-disable-position-embeddings"]
        self.assert_same("bag", ["vocab.spm"] * 2, *options, tolerance=SMALL_STATES)

    def test_norms_before_sublayers(self):
        """Scores alone: with these options Marian's decoder and its scorer disagree."""
        self.assert_same(
            *("pre", ["vocab.spm"] * 2, "--tied-embeddings-all", "--transformer-no-affine"),
            *("--transformer-preprocess", "n", "--transformer-postprocess", "da"),
            *("--transformer-postprocess-top", "n", "--transformer-ffn-activation", "relu"),
            decodes=False,
            tolerance=SMALL_STATES,
        )

    def test_word_penalty(self):
        """The last column of both n-best lists: (log-probability - penalty n) / n^normalize."""
        given = ["--normalize", "0.6", "--word-penalty", "0.4", "--beam-size", "4"]
        folder = self.train("penalty", ["vocab.spm"] * 2, "--tied-embeddings-all", *given)
        run = folder.with_name("penalty-run")
        heed("import", folder, "-o", run)
        source = self.folder / "test.de"
        decoder = folder / "model.npz.decoder.yml"
        alone = ["--cpu-threads", "1", "-w", "200", "--quiet", "--mini-batch", "1"]
        text = source.read_text(encoding="utf-8")
        lists = []
        for lines in (
            heed("translate", run, source, "--n-best", "4"),
            marian("decode", "-c", decoder, "--n-best", *alone, "--maxi-batch", "1", text=text),
        ):
            fields = [line.split(" ||| ") for line in lines.splitlines()]
            lists.append({(one[0], one[1]): float(one[3]) for one in fields})
        common = lists[0].keys() & lists[1].keys()
        self.assertGreater(len(common), 60)
        for key in common:
            self.assertLess(abs(lists[0][key] - lists[1][key]), TOLERANCE, key)

    def test_guided_alignment(self):
        """Marian's soft alignments are the weights of the head that decoding.alignment names."""
        links = self.folder / "train.align"
        lines = (self.folder / "train.de").read_text(encoding="utf-8").splitlines()
        words = [range(len(line.split())) for line in lines]
        links.write_text("".join(" ".join(f"{i}-{i}" for i in one) + "\n" for one in words))
        given = ["--guided-alignment", links, "--transformer-guided-alignment-layer", "1"]
        folder = self.train("guided", ["vocab.spm"] * 2, "--tied-embeddings-all", *given)
        run = folder.with_name("guided-run")
        heed("import", folder, "-o", run)
        config = (run / "config.yaml").read_text(encoding="utf-8")
        self.assertIn("alignment:\n    layer: 0\n    head: 0\n", config)
        source = self.folder / "test.de"
        decoder = folder / "model.npz.decoder.yml"
        alone = ["--cpu-threads", "1", "-w", "200", "--quiet", "--mini-batch", "1"]
        text = source.read_text(encoding="utf-8")
        soft = marian("decode", "-c", decoder, "--alignment", "soft", *alone, text=text)
        pairs = [line.split(" ||| ") for line in soft.splitlines()]
        target = self.folder / "guided.en"
        target.write_text("".join(one[0] + "\n" for one in pairs), encoding="utf-8")
        which = ["--layer", "0", "--head", "0"]
        table = heed("attention", run, "--input", source, "--target-file", target, *which)
        ours = [{} for _ in pairs]
        for row in csv.DictReader(table.splitlines()):
            place = (int(row["target_position"]), int(row["source_position"]))
            ours[int(row["sentence"]) - 1][place] = float(row["weight"])
        compared = 0
        for mine, (_, rows) in zip(ours, pairs, strict=True):
            weights = [[float(one) for one in row.split(",")] for row in rows.split()]
            theirs = {(t, s): w for t, row in enumerate(weights) for s, w in enumerate(row)}
            if mine.keys() != theirs.keys():
                continue  # the search wrote other pieces than those of the text
            compared += 1
            for place, weight in theirs.items():
                self.assertLess(abs(mine[place] - weight), 1e-4)
        self.assertGreater(compared, 10)

    def test_from_right_to_left_is_refused(self):
        folder = self.train("turned", ["vocab.spm"] * 2, "--right-left", updates=2)
        command = [HEED, "import", str(folder), "-o", str(folder / "out")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("option right-left is true", done.stderr)


if __name__ == "__main__":
    unittest.main()
