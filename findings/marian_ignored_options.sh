#!/usr/bin/env bash
# pymarian 1.12.42 (PyPI, Marian 1.12): three options of the Transformer are accepted, stored in the model, and ignored.
#
# With `--type transformer`, `--transformer-train-position-embeddings`, `--transformer-no-bias` and `--transformer-no-affine`
# are in the help and end in the `special:model.yml` of the model as true. The model has the same tensors, biases and gains of
# layer norms among them, no tensor of positions, and after some updates the same numbers, bit for bit, as without the option.
# So a reader of such files must not conclude from the options what a model has: the names of its tensors say it.
# An option that does have an effect, `--transformer-disable-position-embeddings`, is tried beside them.
#
# Source: `pymarian train --help` and the files that it writes. About 600 MB are fetched.
# Seen on 29 November 2026.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymarian==1.12.42 numpy==1.26.4
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import random

chance = random.Random(1)
words = "red green blue one two three house tree dog cat".split()
with open("a", "w") as source, open("b", "w") as target:
    for _ in range(400):
        line = [chance.choice(words) for _ in range(chance.randint(2, 6))]
        print(*line, file=source)
        print(*[word[::-1] for word in line], file=target)
PY
train() {  # NAME OPTIONS...
  local name=$1
  shift
  "$folder/venv/bin/python" -m pymarian train --type transformer -m "$name.npz" -t a b -v v.spm v.spm \
    --sentencepiece-options "--hard_vocab_limit=false" --dim-vocabs 60 60 --dim-emb 16 --transformer-dim-ffn 32 \
    --transformer-heads 2 --enc-depth 1 --dec-depth 1 --tied-embeddings-all --cpu-threads 1 -w 200 --mini-batch 32 \
    --after-batches 5 --seed 7 --data-threads 1 --quiet "$@" > "$name.log" 2>&1 || { tail -5 "$name.log"; exit 1; }
}
train plain
for option in transformer-train-position-embeddings transformer-no-bias transformer-no-affine \
              transformer-disable-position-embeddings; do
  train "$option" "--$option"
done
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import sys

import numpy


def read(name):
    with numpy.load(name + ".npz") as file:
        arrays = {key: file[key] for key in file.files}
    return bytes(arrays.pop("special:model.yml").tobytes()).decode(), arrays


print("pymarian", importlib.metadata.version("pymarian"))
_, plain = read("plain")
good = True
for option, has_effect in (("transformer-train-position-embeddings", False), ("transformer-no-bias", False),
                           ("transformer-no-affine", False), ("transformer-disable-position-embeddings", True)):
    text, arrays = read(option)
    stored = f"{option}: true" in text
    same = arrays.keys() == plain.keys() and all(numpy.array_equal(arrays[key], plain[key]) for key in plain)
    print(f"{option}: stored as true: {stored}; {len(arrays)} tensors, the same bits as without it: {same}")
    good = good and stored and same != has_effect
print("as described" if good else "changed")
sys.exit(not good)
PY
