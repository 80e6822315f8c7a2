#!/usr/bin/env python3
"""Prepares your own corpus: two files, line i of one the translation of line i of the other.

Writes OUTPUT/{train,valid,test}.SUFFIX. Carriage returns, byte order marks and stray line
separators become blanks; pairs with an empty side are left out and counted. Which pairs are held
out depends on the text alone, not on its order: pairs that share a sentence on either side stay in
one split, so nothing that is tested was trained on. Files are UTF-8, plain or .gz.
"""

import hashlib
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from fetching import parallel_lines, write_split
from script import Parser, UserMistake, note, output_folder, run, whole_number

Pairs = List[Tuple[str, str]]
NAMED = 5  # line numbers shown of what was left out


def read_pairs(source: Path, target: Path) -> Pairs:
    pairs = list(zip(*parallel_lines((source, target))))
    empty = [number for number, pair in enumerate(pairs, 1) if not all(pair)]
    if empty:
        lines = ", ".join(map(str, empty[:NAMED])) + (", ..." if len(empty) > NAMED else "")
        note(
            f"left out {len(empty)} pairs with an empty side: line{'s' * (len(empty) > 1)} {lines}"
        )
    return [pair for pair in pairs if all(pair)]


def without_repeats(pairs: Pairs) -> Pairs:
    kept = list(dict.fromkeys(pairs))
    note(f"left out {len(pairs) - len(kept)} repeated pairs")
    return kept


def families(pairs: Pairs) -> List[List[int]]:
    """Pairs joined by a shared source or target sentence, directly or through others."""
    parent = list(range(len(pairs)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for side in (0, 1):
        first: Dict[str, int] = {}
        for index, pair in enumerate(pairs):
            parent[root(index)] = root(first.setdefault(pair[side], index))
    groups: Dict[int, List[int]] = {}
    for index in range(len(pairs)):
        groups.setdefault(root(index), []).append(index)
    return list(groups.values())


def split(pairs: Pairs, sizes: Sequence[Tuple[str, int]]) -> Dict[str, List[int]]:
    """Fills each split with whole families in the order of their hash; the rest is training."""

    def rank(family: List[int]) -> bytes:
        return min(
            hashlib.sha256("\n".join(pairs[index]).encode("utf-8")).digest() for index in family
        )

    waiting = sorted(families(pairs), key=rank)
    chosen: Dict[str, List[int]] = {}
    for name, size in sizes:
        taken: List[int] = []
        rest = []
        for family in waiting:
            if len(taken) + len(family) <= size:
                taken += family
            else:
                rest.append(family)
        chosen[name], waiting = sorted(taken), rest
    chosen["train"] = sorted(index for family in waiting for index in family)
    return chosen


def statistics(name: str, lines: Sequence[str]) -> str:
    lengths = sorted(len(line.split()) for line in lines)
    if not lengths:
        return f"  {name}: empty"
    at = lambda share: lengths[min(len(lengths) - 1, int(share * len(lengths)))]
    shares = "  ".join(
        f">{limit}: {100 * sum(n > limit for n in lengths) / len(lengths):.1f} %"
        for limit in (10, 20, 30, 40, 50, 60)
    )
    return (
        f"  {name}: words mean {sum(lengths) / len(lengths):.1f}  median {at(0.5)}  "
        f"90 % {at(0.9)}  longest {lengths[-1]}  {shares}"
    )


def suffix(path: Path, fallback: str) -> str:
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    return Path(name).suffix.lstrip(".") or fallback


def require_other_files(outputs: Sequence[Path], inputs: Sequence[Path]) -> None:
    read = {path.resolve() for path in inputs}
    for path in outputs:
        if path.resolve() in read:
            raise UserMistake(
                f"{path} would be written over the corpus; give another folder with --output"
            )


def main() -> None:
    parser = Parser(__doc__)
    parser.add_argument("source", type=Path, help="sentences to translate from")
    parser.add_argument("target", type=Path, help="their translations")
    parser.add_argument("--output", required=True, help="folder to write to")
    parser.add_argument(
        "--valid", type=whole_number(0), default=1000, help="pairs to validate on (%(default)s)"
    )
    parser.add_argument(
        "--test", type=whole_number(0), default=1000, help="pairs to test on (%(default)s)"
    )
    parser.add_argument(
        "--source-suffix", help="ending of the source files (that of the given file)"
    )
    parser.add_argument(
        "--target-suffix", help="ending of the target files (that of the given file)"
    )
    parser.add_argument(
        "--dedup", action="store_true", help="keep only the first of pairs that are the same"
    )
    options = parser.parse_args()
    suffixes = (
        options.source_suffix or suffix(options.source, "source"),
        options.target_suffix or suffix(options.target, "target"),
    )
    if suffixes[0] == suffixes[1]:
        raise UserMistake(
            f"both sides would be written to train.{suffixes[0]}; "
            "give --source-suffix and --target-suffix"
        )
    wished = (("test", options.test), ("valid", options.valid))
    held_out = [(name, size) for name, size in wished if size]
    require_other_files(
        [
            Path(options.output) / f"{name}.{ending}"
            for name in ("train", *dict(held_out))
            for ending in suffixes
        ],
        (options.source, options.target),
    )
    corpus = {options.source.resolve(), options.target.resolve()}
    for name, size in wished:
        for ending in suffixes:
            older = Path(options.output) / f"{name}.{ending}"
            if not size and older.exists() and older.resolve() not in corpus:
                raise UserMistake(
                    f"{older} is of an earlier call, and its pairs would now be trained on; "
                    "delete it, or give another folder with --output"
                )
    pairs = read_pairs(options.source, options.target)
    if options.dedup:
        pairs = without_repeats(pairs)
    if options.valid + options.test >= len(pairs):
        raise UserMistake(
            f"{options.source} has {len(pairs)} usable pairs, too few to hold out "
            f"{options.valid} + {options.test}; lower --valid and --test"
        )
    folder = output_folder(options.output)
    splits = split(pairs, held_out)
    if not splits["train"]:
        raise UserMistake(
            f"{options.source}: nothing is left to train on; lower --valid and --test"
        )
    for name in ("train", "valid", "test"):
        if name not in splits:
            continue
        sides = {
            ending: [pairs[index][side] for index in splits[name]]
            for side, ending in enumerate(suffixes)
        }
        write_split(folder, name, sides)
        for ending, lines in sides.items():
            print(statistics(ending, lines))


if __name__ == "__main__":
    run(main)
