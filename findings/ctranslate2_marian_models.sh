#!/usr/bin/env bash
# ctranslate2 4.8.5 and pymarian 1.12.42 (both PyPI): the converter for Marian does not open what this Marian writes, and what it
# opens it gives other positions than Marian's.
#
# - Marian fills the options inside a model ("special:model.yml") up with zeros, to a multiple of 256 bytes. The converter takes
#   off one zero, and YAML allows none. A copy whose options end with one zero is converted.
# - A model file has no positions: Marian computes sinusoids of frequencies 10000^(-i / (width / 2 - 1)). The converter writes a
#   table of frequencies 10000^(-2 i / width), those of the paper "Attention Is All You Need". The converted model's scores are not
#   Marian's; with Marian's table in its place they are. The wider a model is, the less the two differ.
#
# Source: converters/marian.py of ctranslate2, _get_model_config() and _make_sinusoidal_position_encodings(). The script trains a
# tiny model and scores the same pairs with both programs. About 650 MB are fetched.
# Seen on 29 November 2026.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymarian==1.12.42 ctranslate2==4.8.5 numpy==1.26.4 pyyaml==6.0.4 setuptools==80.9.0
cd "$folder"
cat > both.py <<'PY'
import importlib.metadata
import random
import subprocess
import sys

import ctranslate2
import numpy
import yaml
from ctranslate2.converters import MarianConverter

QUIET = ["--cpu-threads", "1", "-w", "200", "--quiet"]


def marian(*arguments):
    command = [sys.executable, "-m", "pymarian", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def convert(model, out, table):
    class Converter(MarianConverter):
        def _load(self):
            spec = super()._load()
            if table is not None:
                spec.encoder.position_encodings.encodings = spec.decoder.position_encodings.encodings = table
            return spec

    Converter(model, ["vocab.yml", "vocab.yml"]).convert(out)
    translator = ctranslate2.Translator(out, device="cpu", compute_type="float32")
    pairs = [[line.split() for line in open(side).read().splitlines()] for side in ("test.a", "test.b")]
    return [sum(one.log_probs) for one in translator.score_batch(*pairs)]


chance = random.Random(1)
words = "red green blue one two three house tree dog cat".split()
for name, count in (("train", 1000), ("test", 12)):
    with open(name + ".a", "w") as source, open(name + ".b", "w") as target:
        for _ in range(count):
            line = [chance.choice(words) for _ in range(chance.randint(2, 8))]
            print(*line, file=source)
            print(*[word.upper() for word in line[::-1]], file=target)
with open("vocab.yml", "w") as file:
    for number, piece in enumerate(["</s>", "<unk>", *words, *map(str.upper, words)]):
        print(f'"{piece}": {number}', file=file)
marian("train", "--type", "transformer", "-m", "model.npz", "-t", "train.a", "train.b", "-v", "vocab.yml", "vocab.yml",
       "--dim-vocabs", "0", "0", "--dim-emb", "16", "--transformer-dim-ffn", "32", "--transformer-heads", "2", "--enc-depth", "1",
       "--dec-depth", "1", "--tied-embeddings-all", "--mini-batch", "32", "-l", "0.005", "--after-batches", "150", "--seed", "7",
       "--data-threads", "1", *QUIET)
print("pymarian", importlib.metadata.version("pymarian") + ", ctranslate2", ctranslate2.__version__)
with numpy.load("model.npz") as file:
    arrays = {name: file[name] for name in file.files}
options = arrays["special:model.yml"].tobytes()
print(f"special:model.yml: {len(options)} bytes, {len(options) - len(options.rstrip(bytes(1)))} of them zeros at its end")
try:
    convert("model.npz", "refused", None)
    refused = False
except yaml.YAMLError as error:
    refused = True
    print("convert: " + str(error).splitlines()[0])
arrays["special:model.yml"] = numpy.frombuffer(options.rstrip(b"\0") + b"\0", numpy.int8)
numpy.savez("one_zero.npz", **arrays)
reference = [float(line) for line in marian("score", "-m", "model.npz", "-v", "vocab.yml", "vocab.yml", "-t", "test.a", "test.b", *QUIET).split()]
angles = numpy.outer(numpy.arange(64), 10000.0 ** (-numpy.arange(8) / 7))
own = numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype(numpy.float32)
apart = {}
for name, table in (("the converter's positions", None), ("Marian's positions", own)):
    scores = convert("one_zero.npz", name, table)
    apart[name] = max(abs(a - b) for a, b in zip(scores, reference))
    print(f"{name}: log-probabilities of 12 pairs differ from Marian's by up to {apart[name]:.4f}")
good = refused and apart["the converter's positions"] > 0.05 and apart["Marian's positions"] < 0.002
print("as described" if good else "changed")
sys.exit(not good)
PY
"$folder/venv/bin/python" both.py
