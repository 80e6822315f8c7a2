#!/usr/bin/env bash
# ctranslate2 4.8.5 (PyPI): the stored type of `scale_embeddings` decides what it means, and a model without a table of
# positions still has positions.
#
# - A bool is a switch: True multiplies word vectors by the root of their width. A float is the factor itself. So the float 1.0
#   and the bool True, which are equal in Python, give two different models, and the float sqrt(width) is the model of True.
# - A file without `position_encodings/encodings` gets sinusoids: those of OpenNMT-tf, all sines before all cosines, with the
#   first token at position 1 and frequencies 10000^(-i / (width / 2 - 1)). A table with these numbers gives the same scores; the
#   table of the paper "Attention Is All You Need" gives others.
#
# Source: in the library's converters, fairseq.py and transformers.py store the factor of a module under this name, and
# opennmt_py.py stores False; its specification begins with True. The script makes one tiny Transformer of random numbers by that
# specification, saves it with each variant and scores the same pair.
# Seen on 29 November 2026.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ctranslate2==4.8.5 numpy==2.4.6 setuptools==80.9.0
cat > "$folder/variants.py" <<'PY'
import os
import sys

import ctranslate2
import numpy as np

WIDTH, INNER, PIECES = 8, 16, ["<unk>", "<s>", "</s>", "a", "b", "c"]


def sinusoids(first, denominator, pairs):
    places = np.arange(first, first + 32)[:, None]
    angles = places * 10000.0 ** (-np.arange(WIDTH // 2)[None] / denominator)
    if pairs:
        table = np.zeros((32, WIDTH))
        table[:, 0::2], table[:, 1::2] = np.sin(angles), np.cos(angles)
    else:
        table = np.concatenate([np.sin(angles), np.cos(angles)], axis=1)
    return table.astype(np.float32)


def score(name, scale, table):
    numbers = np.random.RandomState(1)
    spec = ctranslate2.specs.TransformerSpec.from_config((1, 1), 2, pre_norm=True)

    def random(*shape):
        return (0.4 * numbers.randn(*shape)).astype(np.float32)

    def linear(layer, outputs, inputs):
        layer.weight, layer.bias = random(outputs, inputs), random(outputs)

    def norm(layer):
        layer.gamma, layer.beta = 1 + random(WIDTH), random(WIDTH)

    vectors = random(len(PIECES), WIDTH)
    for side, embeddings in ((spec.encoder, spec.encoder.embeddings[0]), (spec.decoder, spec.decoder.embeddings)):
        embeddings.weight = vectors
        side.scale_embeddings = scale
        if table is not None:
            side.position_encodings.encodings = table
        for layer in side.layer:
            linear(layer.self_attention.linear[0], 3 * WIDTH, WIDTH)
            linear(layer.self_attention.linear[1], WIDTH, WIDTH)
            norm(layer.self_attention.layer_norm)
            if side is spec.decoder:
                linear(layer.attention.linear[0], WIDTH, WIDTH)
                linear(layer.attention.linear[1], 2 * WIDTH, WIDTH)
                linear(layer.attention.linear[2], WIDTH, WIDTH)
                norm(layer.attention.layer_norm)
            linear(layer.ffn.linear_0, INNER, WIDTH)
            linear(layer.ffn.linear_1, WIDTH, INNER)
            norm(layer.ffn.layer_norm)
        norm(side.layer_norm)
    spec.decoder.projection.weight, spec.decoder.projection.bias = vectors, random(len(PIECES))
    spec.register_source_vocabulary(PIECES)
    spec.register_target_vocabulary(PIECES)
    spec.validate()
    spec.optimize()
    folder = os.path.join(sys.argv[1], name)
    os.mkdir(folder)
    spec.save(folder)
    translator = ctranslate2.Translator(folder, device="cpu", compute_type="float32")
    total = sum(translator.score_batch([["a", "b", "c"]], [["c", "a"]])[0].log_probs)
    print(f"{name:28} {total:.5f}")
    return total


print("ctranslate2", ctranslate2.__version__)
paper = sinusoids(0, WIDTH / 2, pairs=True)
switch = score("scale_True", True, paper)
one = score("scale_1.0", 1.0, paper)
root = score("scale_root_of_width", float(np.sqrt(WIDTH)), paper)
off = score("scale_False", False, paper)
without = score("no_table", True, None)
tensorflow = score("table_of_OpenNMT-tf", True, sinusoids(1, WIDTH / 2 - 1, pairs=False))


def near(a, b):
    return abs(a - b) < 1e-4


expected = [near(switch, root), near(one, off), not near(one, switch), near(without, tensorflow), not near(without, switch)]
print("as described" if all(expected) else f"changed: {expected}")
sys.exit(not all(expected))
PY
"$folder/venv/bin/python" "$folder/variants.py" "$folder"
