#!/usr/bin/env python3
"""What a model of few pairs gives: the BLEU and the minutes of configurations that `heed init` writes, by number of pairs.

    python3 tests/benchmarks/few_pairs.py data/multi30k/train.de data/multi30k/train.en \
        --test data/multi30k/test2016.de data/multi30k/test2016.en --pairs 1000,3000,10000,29000

Of the corpus, which may be .gz, the first N pairs of one shuffle are taken, so that a larger N has all pairs of a smaller one.
All models are scored on the test set that is named; `heed init` takes its validation pairs out of the N. Prints the rows of the
table in docs/first_steps.md. What is in --output already is not trained again.
"""

import argparse
import gzip
import json
import os
import pathlib
import random
import re
import subprocess
import sys


def lines_of(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


def shuffled_pairs(source, target, seed):
    sides = lines_of(source), lines_of(target)
    if len(sides[0]) != len(sides[1]):
        raise SystemExit(f"{source} has {len(sides[0])} lines, {target} has {len(sides[1])}")
    pairs = list(zip(*sides, strict=True))
    random.Random(seed).shuffle(pairs)
    return pairs


def write_pairs(pairs, folder):
    for side, name in enumerate(("corpus.src", "corpus.tgt")):
        (folder / name).write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8", newline="\n")


def model_of(config):
    """What `heed init` chose, by the text of its configuration: "recurrent" or "Transformer"."""
    return {"rnn": "recurrent", "transformer": "Transformer"}[re.search(r"^  type: (\w+)$", config, re.MULTILINE)[1]]


def row_of(name, pairs, folder, test, heed):
    """Trains in the folder unless that is done, and returns the row of the table."""
    folder.mkdir(parents=True, exist_ok=True)
    run = folder / "runs/few"
    if not (run / "summary.json").exists():
        write_pairs(pairs, folder)
        subprocess.run([heed, "init", "corpus.src", "corpus.tgt", "--name", "few", "--test", "0", "--force"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([heed, "train", "few.yaml", "--overwrite"], cwd=folder, check=True)
    summary = json.loads((run / "summary.json").read_text())
    score = subprocess.run([heed, "evaluate", str(run), "--source", str(test[0]), "--reference", str(test[1])], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    bleu = float(re.search(r"^BLEU ([0-9.]+) ", score, re.MULTILINE)[1])
    model = model_of((folder / "few.yaml").read_text(encoding="utf-8"))
    cores = len(os.sched_getaffinity(0))
    time = f"{summary['minutes']:.0f} minutes of {cores} core{'s' if cores > 1 else ''}"
    return f"| {name}, {model} | {len(pairs):,} | {bleu:.2f} | {time} |"


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--test", nargs=2, required=True, metavar=("SOURCE", "TARGET"))
    parser.add_argument("--name", default="the corpus", help="what it is called in the rows")
    parser.add_argument("--pairs", default="1000,3000,10000,29000")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("runs/few_pairs"))
    parser.add_argument("--heed", default="build/release/heed")
    args = parser.parse_args(words)
    heed, test = str(pathlib.Path(args.heed).resolve()), [pathlib.Path(path).resolve() for path in args.test]
    pairs = shuffled_pairs(args.source, args.target, args.seed)
    wanted = [int(count) for count in args.pairs.split(",")]
    if max(wanted) > len(pairs):
        raise SystemExit(f"--pairs {max(wanted)}: the corpus has {len(pairs)}")
    print("| corpus | pairs | BLEU | time |\n| --- | --- | --- | --- |")
    for count in wanted:
        print(row_of(args.name, pairs[:count], args.output.resolve() / str(count), test, heed), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
