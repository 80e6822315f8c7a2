#!/usr/bin/env bash
# pymarian 1.12.42 (PyPI, Marian 1.12): with layer norms before sublayers the decoder does not compute what training and the scorer
# compute.
#
# A Transformer is trained with `--transformer-preprocess n --transformer-postprocess da --transformer-postprocess-top n`. The
# n-best list of `decode` says for each translation its log-probability. `score` says another one for the same pair, off by
# whole nats. The same network with the usual norms after sublayers is tried beside it: there both agree to the digits that are
# printed, except where a translation reached the limit of length and has no end, which the scorer adds.
# So who compares another implementation with Marian must take the scorer's numbers for such a model: they are those of training.
#
# Source: the output of both commands. About 600 MB are fetched.
# Seen on 29 November 2026.
set -euo pipefail
unset CDPATH  # by which cd may go elsewhere
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pymarian==1.12.42
cd "$folder"
"$folder/venv/bin/python" - <<'PY'
import random

chance = random.Random(1)
words = "red green blue one two three house tree dog cat".split()
for name, count in (("train", 2000), ("test", 20)):
    with open(name + ".a", "w") as source, open(name + ".b", "w") as target:
        for _ in range(count):
            line = [chance.choice(words) for _ in range(chance.randint(2, 6))]
            print(*line, file=source)
            print(*[word[::-1] for word in line], file=target)
PY
marian() { "$folder/venv/bin/python" -m pymarian "$@" --cpu-threads 1 -w 200 --quiet 2> log || { tail -5 log; exit 1; }; }
try() {  # NAME OPTIONS...
  local name=$1
  shift
  marian train --type transformer -m "$name.npz" -t train.a train.b -v v.spm v.spm --dim-vocabs 60 60 --dim-emb 16 \
    --sentencepiece-options "--hard_vocab_limit=false" --transformer-dim-ffn 32 --transformer-heads 2 --enc-depth 1 \
    --dec-depth 1 --tied-embeddings-all --mini-batch 32 --after-batches 250 -l 0.01 --lr-warmup 20 --seed 7 \
    --data-threads 1 "$@"
  marian decode -m "$name.npz" -v v.spm v.spm -b 1 --n-best --mini-batch 1 --maxi-batch 1 < test.a > "$name.nbest"
  awk -F ' [|][|][|] ' '{ print $2 }' "$name.nbest" > "$name.b"
  marian score -m "$name.npz" -v v.spm v.spm -t test.a "$name.b" --mini-batch 1 --maxi-batch 1 > "$name.scores"
}
try after
try before --transformer-preprocess n --transformer-postprocess da --transformer-postprocess-top n
"$folder/venv/bin/python" - <<'PY'
import importlib.metadata
import sys

print("pymarian", importlib.metadata.version("pymarian"))
agree = {}
for name in ("after", "before"):
    with open(name + ".nbest") as nbest, open(name + ".scores") as scores:
        pairs = [(float(line.rsplit("|||", 1)[1]), float(score)) for line, score in zip(nbest, scores, strict=True)]
    agree[name] = sum(abs(decoded - scored) < 1e-3 for decoded, scored in pairs)
    print(f"norms {name} sublayers: decoder and scorer agree on {agree[name]} of {len(pairs)}; the first ones: {pairs[:3]}")
good = agree["after"] >= 15 and agree["before"] <= 2
print("as described" if good else "changed")
sys.exit(not good)
PY
