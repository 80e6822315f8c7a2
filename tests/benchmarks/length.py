#!/usr/bin/env python3
"""What a target piece costs against the length of the source: milliseconds for each of some models and lengths.

    python3 tests/benchmarks/length.py runs/demo/bahdanau runs/demo/transformer --source data/demo/test.src

`heed-bench translate` translates the same sources into a longer and a shorter target, whose lengths it is told. The
difference of the two times, divided by the pieces that one has more, is the time of a step: what the encoder takes is
in both. Attention over a sentence of n pieces is n dot products a step: what grows, and how fast, shows here.
"""

import argparse
import csv
import itertools
import pathlib
import subprocess
import tempfile

LONG = 144  # pieces of the longer target


def sentences_of(lines, count, words):
    """`count` texts of so many words or more, of the lines one after the other. A word is a piece or more, and heed
    cuts each source at its number of pieces."""
    lines = [line for line in lines if line.split()]
    if not lines:
        raise SystemExit("the source has no lines to translate")
    rest, texts = itertools.cycle(lines), []
    for _ in range(count):
        text = []
        while len(text) < words:
            text += next(rest).split()
        texts.append(" ".join(text))
    return texts


def short_target(length):
    """The shortest target, from 16 pieces, to which decoding.max_length_ratio, at least 0.1, can hold a search."""
    return max(16, 10 + -(-length // 10))


def settings_of(length, target):
    """The settings with which sources of `length` pieces are translated into `target` pieces each."""
    ratio = max(0.1, (target - 10) / length)
    return {"max_source_length": length, "min_length": target - 1, "max_length_ratio": ratio, "n_best": 1}


def seconds(args, model, folder, length, target):
    command = [args.bench, "--quiet", "translate", model, "--source", str(folder / "source"), "--lines",
               str(args.sentences), "--batch", str(args.sentences), "--beam", str(args.beam), "--repeats",
               str(args.repeats), "-o", str(folder / "out")]
    for key, value in settings_of(length, target).items():
        command += ["--set", f"decoding.{key}={value}"]
    if args.weights:
        command += ["--weights", args.weights]
    if args.threads:
        command += ["--threads", str(args.threads)]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    with open(folder / "out" / "translate.csv", encoding="utf-8", newline="") as file:
        return args.sentences / float(next(csv.DictReader(file))["sentences_per_second"])


def milliseconds_per_piece(args, model, folder, length):
    short = short_target(length)
    difference = seconds(args, model, folder, length, LONG) - seconds(args, model, folder, length, short)
    return 1000 * difference / ((LONG - short) * args.sentences)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", help="folders that heed train wrote")
    parser.add_argument("--source", required=True, help="lines to make sentences of")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("--lengths", default="16,32,64,128,256", help="of the source in pieces")
    parser.add_argument("--sentences", type=int, default=32, help="translated together")
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--weights", help="fp32, bf16, int8, auto; default: the model's decoding.weights")
    parser.add_argument("--threads", type=int, help="default: every core")
    args = parser.parse_args()
    lines = pathlib.Path(args.source).read_text(encoding="utf-8").splitlines()
    lengths = [int(length) for length in args.lengths.split(",")]
    print("model,length,ms_per_piece,of_first")
    for model in args.models:
        first = None
        for length in lengths:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                text = "".join(one + "\n" for one in sentences_of(lines, args.sentences, length))
                (folder / "source").write_text(text, encoding="utf-8")
                cost = milliseconds_per_piece(args, model, folder, length)
            first = first or cost
            print(f"{model},{length},{cost:.4f},{cost / first:.2f}", flush=True)


if __name__ == "__main__":
    main()
