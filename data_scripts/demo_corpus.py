#!/usr/bin/env python3
"""Writes the demo corpus: English-like sentences and their translation into an invented language.

The target language has three genders, adjectives after nouns, verbs at the end of subordinate
clauses and number agreement. "it" takes the gender of what it stands for, which only the rest of
its clause tells, and words like "bank" and "bat" have two translations. The same seed writes the
same bytes.

  train.src train.tgt   70,000 pairs, 3 to 64 words, more short ones than long ones; half are two
                        clauses, the second about one of two nouns of the first
  valid.src valid.tgt   lengths spread evenly from 3 to 60 source words
  test.src test.tgt     the same; no sentence of valid, test or sets is in train
  {valid,test}.align         gold word alignments, Pharaoh i-j, counted from 0
  {valid,test}.antecedents   TSV of every "it": line, pronoun, antecedent (source positions),
                             position of the translated pronoun, gender m/f/n of the antecedent;
                             all counted from 0
  sets/lengths.*        test, and after it sentences of 61 to 120 source words
  sets/classic.*        the animal did not cross the street because it was too tired / wide, and the
                        trophy and the suitcase; lines 0-1 and 2-3 differ in one source word
  sets/contrast.*       more such pairs with other words
  sets/*.wrong          their translations with the pronoun, and the adjective that agrees with it, in
                        the gender of the other noun; sets/*.neither: in the third gender
"""

import hashlib
import random
from pathlib import Path
from typing import Callable, Iterable, List, Set

from demo.clauses import Choice, Pair
from demo.sentences import (
    BUCKETS,
    LONG_BUCKETS,
    Contrast,
    classic_pairs,
    even_lengths,
    more_contrasts,
    pronoun_sentence,
    sentence,
    training_length,
)
from script import Parser, note, output_folder, run, whole_number, write_lines

SOURCE, TARGET = "src", "tgt"
ANTECEDENT_COLUMNS = ("line", "pronoun", "antecedent", "target_pronoun", "gender")
TRIES = 1000  # for a sentence that is not in another split


def stream(seed: int, name: str) -> Choice:
    """Each file has its own random numbers, so that the size of one leaves the others alone."""
    return Choice(random.Random(f"{seed}/{name}").random)


def key(pair: Pair) -> str:
    return " ".join(pair.source)


def fresh(draw: Callable[[], Pair], taken: Set[str]) -> Pair:
    for _ in range(TRIES):
        pair = draw()
        if key(pair) not in taken:
            return pair
    raise RuntimeError(f"no new sentence in {TRIES} tries")


def held_out(seed: int, name: str, lengths: List[int], taken: Set[str]) -> List[Pair]:
    choice, pairs = stream(seed, name), []
    for length in lengths:
        pairs.append(fresh(lambda: sentence(choice, length), taken))
        taken.add(key(pairs[-1]))
    return pairs


def training(seed: int, count: int, pronouns: float, taken: Set[str]) -> List[Pair]:
    """A share of `pronouns` are short and about "it"."""
    choice = stream(seed, "train")

    def draw() -> Pair:
        if choice.happens(pronouns):
            return pronoun_sentence(choice)
        return sentence(choice, training_length(choice))

    return [fresh(draw, taken) for _ in range(count)]


def contrasts(seed: int, count: int, taken: Set[str]):
    """The classic pairs and `count` others, each as the list of its lines."""
    choice = stream(seed, "sets")
    sets = []
    for pairs in (classic_pairs(choice), more_contrasts(choice, count)):
        sets.append([half for pair in pairs for half in pair])
        taken.update(key(half.pair) for half in sets[-1])
    return sets


def alignment_lines(pairs: Iterable[Pair]) -> Iterable[str]:
    for pair in pairs:
        yield " ".join(f"{source}-{target}" for source, target in sorted(pair.links))


def antecedent_lines(pairs: Iterable[Pair]) -> Iterable[str]:
    yield "\t".join(ANTECEDENT_COLUMNS)
    for line, pair in enumerate(pairs):
        for found in pair.antecedents:
            yield "\t".join(map(str, (line, *found)))


def write_split(folder: Path, name: str, pairs: List[Pair], gold: bool) -> List[Path]:
    files = {
        SOURCE: (" ".join(pair.source) for pair in pairs),
        TARGET: (" ".join(pair.target) for pair in pairs),
    }
    if gold:
        files.update(align=alignment_lines(pairs), antecedents=antecedent_lines(pairs))
    paths = []
    for ending, lines in files.items():
        paths.append(folder / f"{name}.{ending}")
        write_lines(paths[-1], lines)
    return paths


def write_contrasts(folder: Path, name: str, contrasts: List[Contrast]) -> List[Path]:
    paths = write_split(folder, name, [one.pair for one in contrasts], gold=True)
    for ending in ("wrong", "neither"):
        paths.append(folder / f"{name}.{ending}")
        write_lines(paths[-1], (" ".join(getattr(one, ending).target) for one in contrasts))
    return paths


def report(paths: Iterable[Path], folder: Path) -> None:
    for path in paths:
        data = path.read_bytes()
        print(
            hashlib.sha256(data).hexdigest(),
            f"{data.count(10):>6}",
            path.relative_to(folder).as_posix(),
            sep="  ",
        )


def main() -> None:
    parser = Parser(__doc__)
    parser.add_argument("--output", default="data/demo", help="folder to write to (%(default)s)")
    parser.add_argument(
        "--seed", type=whole_number(0), default=1, help="another seed, another corpus (%(default)s)"
    )
    parser.add_argument(
        "--train", type=whole_number(1), default=70000, help="training pairs (%(default)s)"
    )
    parser.add_argument(
        "--valid", type=whole_number(1), default=1000, help="validation pairs (%(default)s)"
    )
    parser.add_argument(
        "--test", type=whole_number(1), default=2400, help="test pairs (%(default)s)"
    )
    parser.add_argument(
        "--pronouns",
        type=whole_number(0),
        default=50,
        help="per cent of the training pairs that are short and about \"it\" (%(default)s)",
    )
    parser.add_argument(
        "--contrasts",
        type=whole_number(1),
        default=200,
        help="minimal pairs in sets/contrast (%(default)s)",
    )
    parser.add_argument(
        "--long",
        type=whole_number(1),
        default=600,
        help="pairs of over 60 words in sets/lengths (%(default)s)",
    )
    options = parser.parse_args()
    folder = output_folder(options.output)

    taken: Set[str] = set()
    classic, contrast = contrasts(options.seed, options.contrasts, taken)
    test = held_out(options.seed, "test", even_lengths(options.test, BUCKETS), taken)
    valid = held_out(options.seed, "valid", even_lengths(options.valid, BUCKETS), taken)
    train = training(options.seed, options.train, options.pronouns / 100, taken)
    long = held_out(options.seed, "long", even_lengths(options.long, LONG_BUCKETS), taken)
    paths = write_split(folder, "train", train, gold=False)
    paths += write_split(folder, "valid", valid, gold=True) + write_split(
        folder, "test", test, gold=True
    )
    paths += write_split(folder / "sets", "lengths", test + long, gold=True)
    paths += write_contrasts(folder / "sets", "classic", classic)
    paths += write_contrasts(folder / "sets", "contrast", contrast)
    note("sha256, lines, file:")
    report(paths, folder)


if __name__ == "__main__":
    run(main)
