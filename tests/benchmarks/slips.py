#!/usr/bin/env python3
"""Lines that have slipped: the right pairs that `heed clean --realign` gives back, beside other aligners.

    pip install nltk==3.10.4 galechurch==0.1.0
    python3 tests/benchmarks/slips.py data/newstest2012.de data/newstest2012.en --lines 2000

Plants each slip into the first --lines pairs of a corpus, half way, aligns the two files anew, and compares the pairs with those
that were not touched. Prints a row for each slip and aligner: the share of the right pairs that came back ("found"), the share of
the written pairs that are right ("right"), and the seconds. NLTK and galechurch see lengths only (Gale and Church 1993). They get
no blank lines, which they cannot align (findings/sentence_aligners_empty_line.sh), and only their links of one line with one line
count as pairs. An aligner that is not installed is left out.
"""

import argparse
import collections
import gzip
import os
import pathlib
import subprocess
import tempfile
import time


def lines_of(path):
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.removesuffix("\r") for line in file.read().removesuffix("\n").split("\n")]


def blank(pairs, middle):
    source, target = map(list, zip(*pairs, strict=True))
    return source, target[:middle] + [""] + target[middle:], pairs


def dropped(pairs, middle):
    return gap(pairs, middle, 1)


def merged(pairs, middle):
    source, target = map(list, zip(*pairs, strict=True))
    target[middle:middle + 2] = [f"{target[middle]} {target[middle + 1]}"]
    return source, target, pairs[:middle] + pairs[middle + 2:]


def gap(pairs, middle, count):
    """`count` lines of the target are missing."""
    source, target = map(list, zip(*pairs, strict=True))
    return source, target[:middle] + target[middle + count:], pairs[:middle] + pairs[middle + count:]


def two(pairs, middle):
    """A line of the target is missing, and 100 lines later one of the source."""
    source, target = map(list, zip(*pairs, strict=True))
    later = middle + 100
    return source[:later] + source[later + 1:], target[:middle] + target[middle + 1:], [
        pair for i, pair in enumerate(pairs) if i not in (middle, later)]


SLIPS = {
    "a blank line": blank,
    "a dropped line": dropped,
    "a merged line": merged,
    "10 lines are missing": lambda pairs, middle: gap(pairs, middle, 10),
    "100 lines are missing": lambda pairs, middle: gap(pairs, middle, 100),
    "1,000 lines are missing": lambda pairs, middle: gap(pairs, middle, 1000),
    "two slips within 100 lines": two,
}


def by_heed(source, target, heed):
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("slipped.source", "slipped.target")]
        for name, lines in zip(names, (source, target), strict=True):
            pathlib.Path(name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        out = os.path.join(folder, "realigned")
        subprocess.run([heed, "-q", "clean", *names, "--realign", "-o", out], check=True, stdout=subprocess.DEVNULL)
        return list(zip(lines_of(out + ".source"), lines_of(out + ".target"), strict=True))


def filled(lines):
    return [line for line in lines if line.strip()]


def by_nltk(source, target, _):
    from nltk.translate import gale_church
    source, target = filled(source), filled(target)
    links = gale_church.align_blocks([len(line) for line in source], [len(line) for line in target])
    sources, targets = (collections.Counter(link[side] for link in links) for side in (0, 1))
    return [(source[i], target[j]) for i, j in links if sources[i] == 1 and targets[j] == 1]


def by_galechurch(source, target, _):
    import galechurch
    source, target = filled(source), filled(target)
    links = galechurch.align(source, target).to_pharaoh_lines()
    numbers = [[[int(number) for number in side.split(",") if number] for side in link.replace("[", "").replace("]", "").split(":")]
               for link in links]
    return [(source[i[0]], target[j[0]]) for i, j in numbers if len(i) == 1 and len(j) == 1]


def shares(found, right):
    """(found, right): of the right pairs those that were found, of those that were written the right ones."""
    common = (collections.Counter(found) & collections.Counter(right)).total()
    return common / len(right), common / max(1, len(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--lines", type=int, default=2000)
    parser.add_argument("--aligners", default="heed,nltk,galechurch")
    parser.add_argument("--heed", default="heed")
    args = parser.parse_args()
    aligners = {"heed": by_heed, "nltk": by_nltk, "galechurch": by_galechurch}
    pairs = list(zip(lines_of(args.source), lines_of(args.target), strict=True))[:args.lines]
    print("| slip | aligner | found | right | s |\n| --- | --- | --- | --- | --- |")
    for name, plant in SLIPS.items():
        if len(pairs) < 2200 and name.startswith("1,000"):
            continue
        source, target, right = plant(pairs, len(pairs) // 2)
        for aligner in args.aligners.split(","):
            begin = time.monotonic()
            try:
                found, precise = shares(aligners[aligner](source, target, args.heed), right)
            except ImportError:
                continue
            print(f"| {name} | {aligner} | {found:.2%} | {precise:.2%} | {time.monotonic() - begin:.1f} |", flush=True)


if __name__ == "__main__":
    main()
