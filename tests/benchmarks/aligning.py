#!/usr/bin/env python3
"""Word alignments of a statistical aligner, eflomal (Östling and Tiedemann 2016), and their error rate.

  pip install eflomal
  python3 tests/benchmarks/aligning.py --source data/europarl/train.de --target data/europarl/train.en \\
      --gold data/europarl/gold.align -o data/europarl/train.align

It learns from all pairs in both directions and joins them by grow-diag-final-and (Koehn et al. 2003), the default of
`heed align --reverse`. The first pairs are those of --gold. -o gets one line of links i-j for each pair, for
`data.train[].alignment`.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import time

# heed separates words at these too.
CONTROLS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def links(line):
    """Sure and possible links of a Pharaoh line; the possible ones contain the sure ones."""
    sure, possible = set(), set()
    for source, mark, target in re.findall(r"(\d+)([-?p])(\d+)", line):
        possible.add((int(source), int(target)))
        if mark == "-":
            sure.add((int(source), int(target)))
    return sure, possible


def grow_diag_final_and(forward, backward):
    """The intersection, grown over neighbouring links of the union, then links of two unaligned words."""
    union, joined = forward | backward, forward & backward
    rows, columns = {i for i, _ in joined}, {j for _, j in joined}

    def add(link):
        joined.add(link)
        rows.add(link[0])
        columns.add(link[1])

    waiting = sorted(joined)
    while waiting:
        i, j = waiting.pop(0)
        for down, right in NEIGHBOURS:
            link = (i + down, j + right)
            if link in union and link not in joined and (link[0] not in rows or link[1] not in columns):
                add(link)
                waiting.append(link)
    for direction in (forward, backward):
        for link in sorted(direction):
            if link[0] not in rows and link[1] not in columns:
                add(link)
    return joined


def rates(found, gold):
    """Error rate 1 - (|A and S| + |A and P|) / (|A| + |S|), precision |A and P| / |A| and recall |A and S| / |S|
    over all lines (Och and Ney 2003)."""
    links = wanted = in_sure = in_possible = 0
    for line, (sure, possible) in zip(found, gold):
        links, wanted = links + len(line), wanted + len(sure)
        in_sure, in_possible = in_sure + len(line & sure), in_possible + len(line & possible)
    return 1 - (in_sure + in_possible) / (links + wanted), in_possible / links, in_sure / wanted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", required=True, help="tokenised sentences")
    parser.add_argument("--target", required=True, help="their translations")
    parser.add_argument("--gold", required=True, help="correct alignments of the first pairs")
    parser.add_argument("--eflomal", default="eflomal-align", help="its program")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="write the alignment here")
    args = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        texts, files = [f"{folder}/source", f"{folder}/target"], [f"{folder}/forward", f"{folder}/backward"]
        for given, text in zip((args.source, args.target), texts):
            lines = pathlib.Path(given).read_bytes().decode("utf-8")
            pathlib.Path(text).write_bytes(CONTROLS.sub(" ", lines).encode("utf-8"))
        start = time.perf_counter()
        try:
            command = [args.eflomal, "-s", texts[0], "-t", texts[1], "--model", "3", "-f", files[0], "-r", files[1]]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        except FileNotFoundError:
            sys.exit(f"{args.eflomal} is not there; install it with: pip install eflomal")
        seconds = time.perf_counter() - start
        directions = [[links(line)[0] for line in pathlib.Path(file).read_text(encoding="utf-8").splitlines()]
                      for file in files]
    joined = [grow_diag_final_and(*line) for line in zip(*directions)]
    with open(args.gold, encoding="utf-8") as file:
        gold = [links(line) for line in file]
    for name, found in (("forward", directions[0]), ("backward", directions[1]), ("grow-diag-final-and", joined)):
        error, precision, recall = (100 * rate for rate in rates(found, gold))
        print(f"{name:20} AER {error:.1f} %  precision {precision:.1f} %  recall {recall:.1f} %")
    print(f"{len(joined)} pairs in {seconds:.0f} s")
    if args.output:
        text = "".join(" ".join(f"{i}-{j}" for i, j in sorted(line)) + "\n" for line in joined)
        args.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
