#!/usr/bin/env python3
"""Damages 30 % of a corpus in six ways, and counts what `heed clean` finds of each (docs/training_text.md).

  python3 tests/benchmarks/clean.py data/multi30k/train.de data/multi30k/train.en --heed build/release/heed
  python3 tests/benchmarks/clean.py ... --lines 4000 --options --model runs/multi30k_quick   # scores, too
  python3 tests/benchmarks/clean.py ... --keep data/damaged         # source, target, clean.source, clean.target: train on them

Recall is the share of the damaged pairs that any rule finds; precision that of the damaged ones among those that a rule finds.
"""
import argparse
import collections
import pathlib
import random
import subprocess
import tempfile


def damaged_encoding(line):
    return line.encode("utf-8").decode("cp1252", errors="replace")


def first_quarter(line):
    words = line.split()
    return " ".join(words[:max(1, len(words) // 4)])


KINDS = {
    "earlier pair again": None,
    "target is the source": lambda pairs, i: (pairs[i][0], pairs[i][0]),
    "sides exchanged": lambda pairs, i: (pairs[i][1], pairs[i][0]),
    "another line's target": lambda pairs, i: (pairs[i][0], pairs[(i + 7) % len(pairs)][1]),
    "a quarter of the target": lambda pairs, i: (pairs[i][0], first_quarter(pairs[i][1])),
    "wrong encoding": lambda pairs, i: (damaged_encoding("„Ä" + pairs[i][0]), pairs[i][1]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--heed", default="heed")
    parser.add_argument("--lines", type=int, default=10**9)
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the damaged and the cleaned corpus")
    parser.add_argument("--options", nargs=argparse.REMAINDER, default=[], help="for heed clean")
    args = parser.parse_args()
    read = [pathlib.Path(path).read_text(encoding="utf-8").splitlines()[:args.lines] for path in (args.source, args.target)]
    pairs, chance = list(zip(*read)), random.Random(1)
    damage = {i: kind for i in chance.sample(range(len(pairs)), 3 * len(pairs) // 10) for kind in [chance.choice(list(KINDS))]}
    dirty = []
    for i, pair in enumerate(pairs):
        if damage.get(i) == "earlier pair again":
            dirty.append(dirty[chance.randrange(i)] if i else pair)
        else:
            dirty.append(KINDS[damage[i]](pairs, i) if i in damage else pair)
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or temporary
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        files = [pathlib.Path(folder, name) for name in ("source", "target")]
        for side, path in enumerate(files):
            path.write_text("".join(pair[side] + "\n" for pair in dirty), encoding="utf-8")
        subprocess.run([args.heed, "clean", *files, "--remove", "all", "-o", pathlib.Path(folder, "clean"), *args.options], check=True,
                       stdout=subprocess.DEVNULL)
        removed = pathlib.Path(folder, "clean.removed.tsv").read_text(encoding="utf-8").splitlines()
    rules = {int(line.split("\t")[0]) - 1: line.split("\t")[1].split(",") for line in removed}
    print("| damage | pairs | found | by |\n| --- | --- | --- | --- |")
    for kind in KINDS:
        those = [i for i in damage if damage[i] == kind]
        by = collections.Counter(rule for i in those for rule in rules.get(i, ()))
        print(f"| {kind} | {len(those):,} | {sum(i in rules for i in those) / len(those):.1%} | "
              f"{', '.join(f'{rule} {count / len(those):.0%}' for rule, count in by.most_common(3))} |")
    print("\n| rule | pairs | of them damaged |\n| --- | --- | --- |")
    for rule, count in collections.Counter(rule for found in rules.values() for rule in found).most_common():
        right = sum(i in damage for i, found in rules.items() if rule in found)
        print(f"| `{rule}` | {count:,} | {right / count:.1%} |")
    right = sum(i in damage for i in rules)
    print(f"| any | {len(rules):,} | {right / len(rules):.1%} |\n\nfound of all damage: {right / len(damage):.1%}")


if __name__ == "__main__":
    main()
