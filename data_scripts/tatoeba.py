#!/usr/bin/env python3
"""Fetches German-English sentences of Tatoeba: short, everyday, and good for a low-resource test.

Home: https://www.manythings.org/anki (tab-delimited pairs of https://tatoeba.org), CC BY 2.0 FR.
The file grows from year to year, so that there is no checksum of it. The first download's is kept
beside it: to take a larger one, delete data/downloads/tatoeba.

There are no official splits. The SHA-256 of the lowercased English sentence decides: of 10,000
values the first 100 are valid, the next 100 test. Training pairs that share either side with those
are left out.

Writes OUTPUT/{train,valid,test}.{de,en}.
--from takes deu-eng.zip, or deu.txt, or {train,valid,test}.{de,en}[.gz] that are already split.
"""

import hashlib
from pathlib import Path
from typing import Dict, List, Tuple

from fetching import (
    clean,
    corpus_options,
    corpus_parser,
    download,
    find_local,
    lines_in_zip,
    parallel_lines,
    read_lines,
    write_split,
)
from script import UserMistake, run

ADDRESS = "https://www.manythings.org/anki/deu-eng.zip"
INSIDE = "deu.txt"
SPLITS = ("train", "valid", "test")
LANGUAGES = ("de", "en")
VALUES, VALID, TEST = 10000, 100, 200

Pair = Tuple[str, str]  # German, English


def pairs_of(lines: List[str], path) -> List[Pair]:
    """Of `English TAB German [TAB licence]`."""
    pairs = []
    for number, line in enumerate(lines, 1):
        fields = line.split("\t")
        if len(fields) < 2:
            raise UserMistake(f"{path}:{number}: no tab; a line is English TAB German")
        pairs.append((clean(fields[1]), clean(fields[0])))
    return [(german, english) for german, english in pairs if german and english]


def split_of(english: str) -> str:
    value = int(hashlib.sha256(english.lower().encode("utf-8")).hexdigest(), 16) % VALUES
    return "valid" if value < VALID else "test" if value < TEST else "train"


def split_pairs(pairs: List[Pair]) -> Dict[str, List[Pair]]:
    splits: Dict[str, List[Pair]] = {split: [] for split in SPLITS}
    for pair in dict.fromkeys(pairs):
        splits[split_of(pair[1])].append(pair)
    held_out = {side.lower() for split in ("valid", "test") for pair in splits[split] for side in pair}
    splits["train"] = [
        pair for pair in splits["train"] if not held_out & {side.lower() for side in pair}
    ]
    return splits


def read_ready(folder: Path) -> Dict[str, List[Pair]]:
    splits = {}
    for split in SPLITS:
        paths = [find_local(folder, (f"{split}.{language}.gz",)) for language in LANGUAGES]
        splits[split] = list(zip(*parallel_lines(paths)))
    return splits


def read_archive(path: Path) -> List[str]:
    return lines_in_zip(path, [INSIDE])[0] if path.suffix == ".zip" else read_lines(path)


def load(options) -> Dict[str, List[Pair]]:
    if options.folder is None:
        path = download(ADDRESS, options.downloads)
    elif (options.folder / "train.de").is_file() or (options.folder / "train.de.gz").is_file():
        if options.folder.resolve() == options.output.resolve():
            raise UserMistake(f"--output {options.output}: --from reads it; name another folder")
        return read_ready(options.folder)
    else:
        path = find_local(options.folder, ("deu-eng.zip", INSIDE))
    return split_pairs(pairs_of(read_archive(path), path))


def main() -> None:
    parser = corpus_parser(__doc__, "tatoeba")
    parser.add_argument(
        "--pairs",
        type=int,
        metavar="N",
        help="keep N training pairs, those with the smallest hash of both sides",
    )
    options = corpus_options(parser, "tatoeba")
    splits = load(options)
    if options.pairs is not None:
        ranked = sorted(
            splits["train"], key=lambda pair: hashlib.sha256("\t".join(pair).encode()).digest()
        )
        if not 0 < options.pairs <= len(ranked):
            raise UserMistake(
                f"--pairs {options.pairs}: must be in [1, {len(ranked)}], the training pairs there are"
            )
        splits["train"] = ranked[: options.pairs]
    for split, pairs in splits.items():
        sides = zip(*pairs) if pairs else ((), ())
        write_split(options.output, split, {k: list(v) for k, v in zip(LANGUAGES, sides)})


if __name__ == "__main__":
    run(main)
