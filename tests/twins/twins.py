"""Trains small models with heed, and holds what it says of them against their twins."""

import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import files
import kinds
import numpy
import recurrent
import transformer

ROOT = Path(__file__).resolve().parents[2]
HEED = os.environ.get("HEED_BINARY", str(ROOT / "build/release/heed"))
WORDS = {"src": "abcdefghij", "tgt": "klmnopqrst"}
# Sentences of several lengths, so that heed pads where the twins do not.
SOURCES = ["a b c d", "e", "j i h g f a a", "c c", "f b d h j e"]
TARGETS = ["k l m", "t s r q p o n", "m", "k k k k", "o p l s"]
TOLERANCE = 1e-5
# Two large steps away from the first weights, so that biases and norms matter.
TRAINING = {
    "updates": 2,
    "validate_every": 2,
    "save_every": 2,
    "schedule": "constant",
    "warmup": 0,
    "learning_rate": 0.1,
    "validate_bleu": False,
}


def heed(*arguments):
    command = [HEED, *map(str, arguments)]
    blind = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=blind)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


def yaml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {yaml(below)}" for key, below in value.items()) + "}"
    return str(value).lower() if isinstance(value, bool) else str(value)


def pieces(sentence):
    """The words of these corpora are one piece each."""
    return ["\u2581" + word for word in sentence.split()] + ["</s>"]


class TwinTest(unittest.TestCase):
    """A corpus whose words are one piece each, and vocabularies for it."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        chance = random.Random(1)
        for split, count in (("train", 150), ("valid", 4)):
            pairs = [chance.choices(range(10), k=chance.randint(1, 7)) for _ in range(count)]
            for side, words in WORDS.items():
                cls.write(f"{split}.{side}", [" ".join(words[i] for i in pair) for pair in pairs])
        cls.write("sources", SOURCES)
        cls.write("targets", TARGETS)
        # Four special pieces, the mark of a word's start, the letters, and each with the mark.
        for name, sides in (("joint", ["src", "tgt"]), ("src", ["src"]), ("tgt", ["tgt"])):
            texts = [cls.folder / f"train.{side}" for side in sides]
            size = 5 + 20 * len(sides)
            out = cls.folder / f"{name}.spm"
            heed("vocab", *texts, "--size", size, "--algorithm", "bpe", "-o", out)

    @classmethod
    def write(cls, name, lines):
        (cls.folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def train(self, kind, name, **training):
        corpora = {
            split: {
                "source": self.folder / f"{split}.src",
                "target": self.folder / f"{split}.tgt",
            }
            for split in ("train", "valid")
        }
        joint = kind["tie"] == "all"
        vocabulary = {
            "kind": "joint" if joint else "separate",
            "source": self.folder / ("joint.spm" if joint else "src.spm"),
        }
        if not joint:
            vocabulary["target"] = self.folder / "tgt.spm"
        config = {
            "output": self.folder / name,
            "device": "cpu",
            "precision": "fp32",
            "threads": 1,
            "data": {**corpora, "vocabulary": vocabulary},
            "model": kind,
            "training": {**TRAINING, **training},
        }
        self.write("config.yaml", [f"{key}: {yaml(value)}" for key, value in config.items()])
        heed("train", self.folder / "config.yaml")
        return self.folder / name

    def read(self, folder, sources=SOURCES, targets=TARGETS, **changes):
        """For each sentence what the twin makes of it: the log-probability of each target piece,
        and its maps. `changes` of the configuration make it another model."""
        config = files.config(folder / "config.yaml")
        model = {**config["model"], **changes}
        weights = files.weights(folder / "model.safetensors")
        joint = config["data"]["vocabulary"]["kind"] == "joint"
        source_ids, target_ids = (
            files.pieces(folder / ("joint.spm" if joint else f"{side}.spm"))
            for side in ("source", "target")
        )
        twin = recurrent if model["type"] == "rnn" else transformer
        for source, target in zip(sources, targets):
            read = [source_ids[piece] for piece in pieces(source)]
            gold = [target_ids[piece] for piece in pieces(target)]
            begun = [target_ids["<s>"]] + gold[:-1]
            log_probabilities, maps = twin.read(model, weights, read, begun)
            yield log_probabilities[range(len(gold)), gold], maps

    def scores(self, folder, sources="sources", targets="targets"):
        out = heed("score", folder, self.folder / sources, self.folder / targets)
        return [float(line) for line in out.split()]

    def attention(self, folder, wanted):
        """The tables of `heed attention` for the given targets, by kind."""
        pair = ["--input", self.folder / "sources", "--target-file", self.folder / "targets"]
        out = folder / "attention"
        heed("attention", folder, *pair, "--kind", ",".join(wanted), "--head", "all", "-o", out)
        names = {kind: f"attention-{kind}.csv" for kind in wanted}
        if len(wanted) == 1:
            names = {wanted[0]: "attention.csv"}
        return {
            kind: files.attention_table((out / name).read_text(encoding="utf-8"))
            for kind, name in names.items()
        }

    def assert_twins(self, kind):
        folder = self.train(kind, kinds.name(kind))
        read = list(self.read(folder))
        scores = self.scores(folder)
        self.assertEqual(len(scores), len(SOURCES))
        for score, (log_probabilities, _) in zip(scores, read):
            self.assertLess(abs(score - log_probabilities.sum()), TOLERANCE)
        self.assert_maps(folder, [maps for _, maps in read])

    def assert_maps(self, folder, read):
        wanted = sorted({kind for kind, *_ in read[0]})
        tables = self.attention(folder, wanted) if wanted else {}
        for number, (source, target) in enumerate(zip(map(pieces, SOURCES), map(pieces, TARGETS))):
            labels = {
                "cross": (target, source),
                "encoder": (source, source),
                "decoder": (target, ["<s>"] + target[:-1]),
            }
            for kind in wanted:
                self.assertEqual(tables[kind][1][number + 1], labels[kind])
            for kind, layer, head, weights in read[number]:
                difference = tables[kind][0].pop((number + 1, layer, head)) - weights
                self.assertLess(abs(difference).max(), TOLERANCE, (kind, number, layer, head))
        for kind in wanted:
            self.assertFalse(tables[kind][0], "maps that the twin knows nothing of")
        spread = [numpy.ptp(weights, axis=1).max() for maps in read for *_, weights in maps]
        self.assertGreater(max(spread, default=1), 0.01, "weights all alike prove little")

    def assert_noticed(self, kind, *others):
        """The twin of another model with the same weights does not agree."""
        folder = self.train(kind, self.id().rsplit(".", 1)[1])
        scores = self.scores(folder)
        for changes in others:
            read = self.read(folder, **changes)
            difference = max(abs(score - one.sum()) for score, (one, _) in zip(scores, read))
            self.assertGreater(difference, 100 * TOLERANCE, changes)
