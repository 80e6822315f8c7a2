#!/usr/bin/env bash
# nltk 3.10.4 and galechurch 0.1.0 (PyPI): one empty line in one of two texts that are the same line by line takes all links from
# the aligner by Gale and Church, those of the lines before it, too.
#
# - nltk.translate.gale_church.align_blocks looks for the smallest cost. Where two lengths are both 0 it catches the division by
#   zero and returns minus infinity, as if it were a log-probability: the least likely link becomes the cheapest of all. Ten
#   lines beside the same ten lines and an empty one have no link in the result.
# - galechurch.align gives five links of two lines with one, and five empty ones, for the same texts: none of the ten is right.
# - Without the empty line both link each of the ten lines with itself. So blank lines are to be taken out before either is called.
#
# Source: align_log_prob() in nltk/translate/gale_church.py; galechurch is compiled, so only its result was looked at.
# Seen on 30 November 2026.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nltk==3.10.4 galechurch==0.1.0
cat > "$folder/align.py" <<'PY'
import importlib.metadata
import sys

import galechurch
from nltk.translate import gale_church

LENGTHS = [40, 60, 55, 30, 70, 42, 51, 66, 38, 59]
lines = ["x" * length for length in LENGTHS]
blank = lines[:5] + [""] + lines[5:]


def by_nltk(target):
    return gale_church.align_blocks(LENGTHS, [len(line) for line in target])


def by_galechurch(target):
    return galechurch.align(lines, target).to_pharaoh_lines()


for package in ("nltk", "galechurch"):
    print(package, importlib.metadata.version(package))
whole, broken = by_nltk(lines), by_nltk(blank)
print("nltk, the same lines:      ", whole)
print("nltk, an empty line more:  ", broken)
fast_whole, fast_broken = by_galechurch(lines), by_galechurch(blank)
print("galechurch, the same lines:    ", fast_whole)
print("galechurch, an empty line more:", fast_broken)
wanted = [f"[{i}]:[{i + (i >= 5)}]" for i in range(10)]
as_described = (whole == [(i, i) for i in range(10)] and broken == [] and fast_whole == [f"[{i}]:[{i}]" for i in range(10)]
                and not set(wanted) & set(fast_broken))
print("as described" if as_described else "changed")
sys.exit(not as_described)
PY
"$folder/venv/bin/python" "$folder/align.py"
