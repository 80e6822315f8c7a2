#!/usr/bin/env python3
"""Fetches German-English sentences of the European Parliament with word alignments made by hand.

Homes: https://github.com/clab/sp2016.11-731 (an exercise of Carnegie Mellon's course on machine
translation) has pairs of Europarl (https://www.statmt.org/europarl), of which the first 150 are
aligned, with sure links, `i-j`, and possible ones, `i?j`. https://github.com/bicici/SMTData has
100 more aligned pairs, all links sure (Bicici 2011).

Writes OUTPUT/train.{de,en}, of which the first pairs are the 150; OUTPUT/valid.{de,en}, the last 500
of the corpus; and twice aligned pairs: OUTPUT/gold.{de,en,align}, the 150, and OUTPUT/tune.{de,en,align},
the 100. All text is lowercased, with blanks between words and punctuation. An aligner may learn
from sentences that it will align, but not from their alignments.
--from takes dev-test-train.de-en, dev.align and German-English_WordAlignment.zip, or a folder with
europarl-deen/train.{de,en}[.gz] and alignment-gold/{europarl150,europarl100}-deen/test.{de,en,gold}[.gz].
"""

import re
from pathlib import Path
from typing import List, NamedTuple, Tuple

from fetching import (
    clean,
    corpus_options,
    corpus_parser,
    download,
    find_local,
    lines_in_zip,
    parallel_lines,
    read_lines,
    same_count,
    write_split,
)
from script import UserMistake, run, whole_number, write_lines

GITHUB = "https://raw.githubusercontent.com/"  # at a commit, so that no file changes
HOME = GITHUB + "clab/sp2016.11-731/985cc65b59b53726f40e5e4e12ba0a34efa71646/hw1/data/"
TEXT, LINKS = "dev-test-train.de-en", "dev.align"
ARCHIVE = "German-English_WordAlignment.zip"
ARCHIVE_HOME = GITHUB + "bicici/SMTData/eb81ef33c1d77412eee2b5a0ab8dd97936d23cb0/"
# That of TEXT is not known: the first download's counts.
SHA256 = {
    LINKS: "d0b725d53da20f9a170d3c9e69ef6baaa720af2b792056309b70cb275d74f712",
    ARCHIVE: "8e5a80cf26e7f48e675960c097069c29db5ed50d59fef1cd264571a2ee596d7d",
}
LANGUAGES = ("de", "en")
ALIGNED, VALID = 150, 500
# Numbers, words with inner hyphens, abbreviations with inner points, 's, and every other sign alone.
TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|\w+(?:-\w+)*\.(?=\w)|\w+(?:-\w+)*|'\w+|[^\w\s]")

Pair = Tuple[str, str]


class Aligned(NamedTuple):
    pairs: List[Pair]
    links: List[str]
    name: str


def tokens(line: str) -> str:
    return " ".join(TOKEN.findall(clean(line)))


def letters(line: str) -> str:
    return re.sub(r"\W", "", line).lower()


def joined(path: Path) -> List[Pair]:
    """Of `German ||| English`."""
    pairs = []
    for number, line in enumerate(read_lines(path), 1):
        sides = [clean(side) for side in line.split("|||")]
        if len(sides) != 2:
            raise UserMistake(f"{path}:{number}: no ||| between two sentences")
        pairs.append((sides[0], sides[1]))
    return pairs


def in_files(folder: Path, name: str) -> List[Pair]:
    paths = [find_local(folder, [f"{name}.{language}"]) for language in LANGUAGES]
    return list(zip(*parallel_lines(paths)))


def in_archive(path: Path) -> Aligned:
    names = [f"{path.stem}/{name}" for name in ("test.de", "test.en", "de-en.wa")]
    german, english, links = lines_in_zip(path, names)
    pairs = list(zip(map(clean, german), map(clean, english)))
    return Aligned(pairs, links, f"{path}: de-en.wa")


def original(paths: List[Path]) -> Tuple[List[Pair], Aligned, Aligned]:
    text, links, archive = paths
    corpus = joined(text)
    gold = Aligned(corpus[:ALIGNED], read_lines(links), str(links))
    return corpus, gold, in_archive(archive)


def copied(folder: Path) -> Tuple[List[Pair], Aligned, Aligned]:
    """The corpus of such a copy is neither tokenised nor free of the aligned pairs."""

    def aligned(name: str) -> Aligned:
        place = folder / "alignment-gold" / name
        links = find_local(place, ["test.gold"])
        return Aligned(in_files(place, "test"), read_lines(links), str(links))

    gold = aligned("europarl150-deen")
    seen = {letters(german) for german, _ in gold.pairs}
    corpus = in_files(folder / "europarl-deen", "train")
    rest = [(tokens(de), tokens(en)) for de, en in corpus if letters(de) not in seen]
    return gold.pairs + rest, gold, aligned("europarl100-deen")


def load(options) -> Tuple[List[Pair], Aligned, Aligned]:
    if options.folder is None:
        homes = {TEXT: HOME, LINKS: HOME, ARCHIVE: ARCHIVE_HOME}
        return original(
            [
                download(home + name, options.downloads, SHA256.get(name))
                for name, home in homes.items()
            ]
        )
    if (options.folder / "europarl-deen").is_dir():
        return copied(options.folder)
    return original([find_local(options.folder, [name]) for name in (TEXT, LINKS, ARCHIVE)])


def links_inside(aligned: Aligned) -> List[str]:
    """Links from 0 to words that are there. One outside its sentences is a mistake of the file; more
    mean that text and links do not belong together."""
    same_count(aligned.pairs, aligned.links, "the aligned text", aligned.name)
    lines, outside = [], []
    for number, (pair, line) in enumerate(zip(aligned.pairs, aligned.links), 1):
        words = [len(side.split()) for side in pair]
        kept = []
        for link in line.split():
            places = re.fullmatch(r"(\d+)[-?p](\d+)", link)
            inside = places and all(int(place) < count for place, count in zip(places.groups(), words))
            (kept if inside else outside).append(link if inside else f"{number}: {link}")
        lines.append(" ".join(kept))
    if len(outside) > 1:
        raise UserMistake(f"{aligned.name}:{outside[0]}: no such words in the text")
    return lines


def lowered(pairs: List[Pair]) -> List[Pair]:
    return [(german.lower(), english.lower()) for german, english in pairs]


def main() -> None:
    parser = corpus_parser(__doc__, "europarl")
    parser.add_argument(
        "--pairs", type=whole_number(ALIGNED), metavar="N", help="train on the first N pairs"
    )
    options = corpus_options(parser, "europarl")
    corpus, gold, tune = load(options)
    pairs = [pair for pair in lowered(corpus) if all(pair)]
    if len(pairs) <= ALIGNED + VALID:
        raise UserMistake(f"the corpus has {len(pairs)} pairs, too few to hold out {VALID}")
    splits = {"train": pairs[:-VALID][: options.pairs], "valid": pairs[-VALID:]}
    for name, aligned in (("gold", gold), ("tune", tune)):
        splits[name] = lowered(aligned.pairs)
        write_lines(options.output / f"{name}.align", links_inside(aligned))
    for split, chosen in splits.items():
        write_split(options.output, split, dict(zip(LANGUAGES, map(list, zip(*chosen)))))


if __name__ == "__main__":
    run(main)
