#!/usr/bin/env python3
"""Fetches IWSLT15 English-Vietnamese: TED talks, the corpus of Luong & Manning 2015.

Home: https://nlp.stanford.edu/projects/nmt/ (the files of TensorFlow's NMT tutorial); the talks are
TED Conference LLC, CC BY-NC-ND. The text is tokenised and cased as published; its HTML entities are
undone.

Writes OUTPUT/{train,valid,test}.{en,vi}: 133,317 pairs, tst2012 (1,553) and tst2013 (1,268).
--from takes a folder with {train,tst2012,tst2013}.{en,vi}, each plain or .gz.
"""

import html
from pathlib import Path

from fetching import (
    AGAIN,
    check,
    clean,
    corpus_options,
    corpus_parser,
    download,
    find_local,
    read_lines,
    same_count,
    write_split,
)
from script import run

HOME = "https://nlp.stanford.edu/projects/nmt/data/iwslt15.en-vi/"
LANGUAGES = ("en", "vi")
OFFICIAL = {"train": ("train", 133317), "valid": ("tst2012", 1553), "test": ("tst2013", 1268)}


def main() -> None:
    options = corpus_options(corpus_parser(__doc__, "iwslt15"), "iwslt15")
    for split, (name, count) in OFFICIAL.items():
        sides, paths = [], []
        for language in LANGUAGES:
            if options.folder:
                paths.append(
                    find_local(options.folder, (f"{name}.{language}", f"{split}.{language}"))
                )
            else:
                paths.append(download(f"{HOME}{name}.{language}", options.downloads))
            sides.append([clean(html.unescape(line)) for line in read_lines(paths[-1])])
        same_count(*sides, *paths)
        check(
            len(sides[0]) == count,
            f"{paths[0]}: {len(sides[0])} lines, not {count}; {AGAIN}",
            options.no_check,
        )
        # A pair without words on one side teaches nothing; held-out sets stay whole.
        if split == "train":
            pairs = [pair for pair in zip(*sides) if all(pair)]
            sides = [list(side) for side in zip(*pairs)] if pairs else [[], []]
        write_split(options.output, split, dict(zip(LANGUAGES, sides)))


if __name__ == "__main__":
    run(main)
