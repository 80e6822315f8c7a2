#!/usr/bin/env python3
"""Plants wrong numbers in right translations, and counts what the rule `numbers` of `heed clean` finds (docs/results.md).

  git clone https://github.com/MicrosoftTranslator/NTREX
  python3 tests/benchmarks/number_flags.py NTREX/NTREX-128 --heed build/release/heed
  python3 tests/benchmarks/number_flags.py NTREX/NTREX-128 --languages spa,swe,pol --list wrong.tsv    # and the pairs that it misjudges

A fault changes one number of a line. It is drawn among those that both sides write in the same digits, whatever groups them: in the
others nobody who does not know the language sees a fault. A line has at most one copy with each fault. For a joined range the number becomes a
range of two (10-15) on both sides, and the ends of the translation's are joined (1015); with the ends apart the pair is a right one. For a changed
part it becomes a number of three parts (2.40.3) on both sides, of which the translation's has another one.
"""
import argparse
import collections
import pathlib
import random
import re
import subprocess
import tempfile
import unicodedata

USUAL = "deu,fra,rus,arb,fas,hin,zho-CN,jpn"
NUMBER = re.compile(r"\d+(?:[.,:/'\u2019\u066b\u066c\u00a0\u202f\u2009\uff0c\uff0e -]\d+)*")
DECIMAL = re.compile(r"\d+[.,\u066b\uff0c\uff0e]\d{1,2}")
POINT_LOST = "a point lost"
GROUPED = re.compile(r"\d{1,3}(?:[.,'\u2019\u066c\u00a0\u202f\u2009\uff0c ]\d{3})+|\d+")


def plain(text):
    return "".join(str(unicodedata.digit(c)) for c in text if c.isdigit())


def like(digit, other):
    """The digit in the script of the other one."""
    return chr(ord(other) - unicodedata.digit(other) + digit)


def places(text):
    return [i for i, c in enumerate(text) if c.isdigit()]


def digit_changed(text, chance):
    i = chance.choice(places(text))
    old = unicodedata.digit(text[i])
    new = chance.choice([d for d in range(10) if d != old and (d or i)])
    return text[:i] + like(new, text[i]) + text[i + 1:]


def two_swapped(text, chance):
    at = [(i, k) for i, k in zip(places(text), places(text)[1:]) if text[i] != text[k] and (i or unicodedata.digit(text[k]))]
    if not at:
        return None
    i, k = chance.choice(at)
    return text[:i] + text[k] + text[i + 1:k] + text[i] + text[k + 1:]


def end_of_first_group(text):
    """Where a whole number has a digit more or less: 30,000 and 300,000."""
    return None if not GROUPED.fullmatch(text) else re.match(r"\d+", text).end()


def zero_more(text, _):
    at = end_of_first_group(text)
    return at and text[:at] + like(0, text[0]) + text[at:]


def zero_less(text, _):
    at = end_of_first_group(text)
    return text[:at - 1] + text[at:] if at and at > 1 and unicodedata.digit(text[at - 1]) == 0 else None


def point_lost(text, _):
    return "".join(text[i] for i in places(text)) if DECIMAL.fullmatch(text) else None


FAULTS = {"a digit changed": digit_changed, "two digits swapped": two_swapped, "a zero too many": zero_more,
          "a zero too few": zero_less, "number dropped": lambda text, _: "", POINT_LOST: point_lost}
RANGE, JOINED = "right ranges flagged", "a range joined"
PARTS, PART_CHANGED = "right parts flagged", "a part changed"


def shared_number(source, target, chance):
    """A whole number of both sides: its matches in both; nothing where there is none."""
    here = {plain(one.group()): one for one in NUMBER.finditer(source) if one.group().isdigit()}
    there = [one for one in NUMBER.finditer(target) if one.group().isdigit() and one.group()[0] != like(0, one.group()[0])
             and plain(one.group()) in here]
    if not there:
        return None
    two = chance.choice(there)
    return here[plain(two.group())], two


def with_range(source, target, chance):
    """The pair with a range in place of a whole number that both sides have, right and with its ends joined."""
    shared = shared_number(source, target, chance)
    if not shared:
        return None
    one, two = shared
    upper = str(int(plain(two.group())) + chance.randint(1, 60))
    theirs = "".join(like(int(digit), two.group()[0]) for digit in upper)
    pairs = []
    for dash in (chance.choice("-\u2013"), ""):
        pairs.append((source[:one.end()] + chance.choice("-\u2013") + upper + source[one.end():],
                      target[:two.end()] + dash + theirs + target[two.end():]))
    return pairs


def with_parts(source, target, chance):
    """The pair with a number of three parts in place of a whole one that both sides have, right and with another part."""
    shared = shared_number(source, target, chance)
    if not shared:
        return None
    one, two = shared
    parts = [chance.randint(1, 20), chance.randint(0, 60), chance.randint(0, 20)]
    other = list(parts)
    at = chance.randrange(3)
    other[at] = chance.choice([part for part in range(1, 21) if part != parts[at]])
    pairs = []
    for theirs in (parts, other):
        digits = "".join(like(int(c), two.group()[0]) if c.isdigit() else c for c in ".".join(map(str, theirs)))
        pairs.append((source[:one.start()] + ".".join(map(str, parts)) + source[one.end():],
                      target[:two.start()] + digits + target[two.end():]))
    return pairs


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def with_fault(source, target, fault, chance):
    there = {plain(one.group()) for one in NUMBER.finditer(source) if fault is not point_lost or DECIMAL.fullmatch(one.group())}
    numbers = [one for one in NUMBER.finditer(target) if plain(one.group()) in there]
    chance.shuffle(numbers)
    for one in numbers:
        changed = fault(one.group(), chance)
        if changed is not None and (fault is point_lost or plain(changed) != plain(one.group())):
            return target[:one.start()] + changed + target[one.end():]
    return None


def flagged(heed, pairs):
    """The indices of the pairs that the rule finds."""
    with tempfile.TemporaryDirectory() as temporary:
        files = [pathlib.Path(temporary, name) for name in ("source", "target")]
        for side, path in enumerate(files):
            path.write_text("".join(pair[side] + "\n" for pair in pairs), encoding="utf-8")
        out = pathlib.Path(temporary, "clean")
        subprocess.run([heed, "clean", *files, "--remove", "numbers", "-o", out], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        return {int(line.split("\t")[0]) - 1 for line in lines_of(pathlib.Path(f"{out}.removed.tsv"))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--heed", default="heed")
    parser.add_argument("--languages", default=USUAL)
    parser.add_argument("--list", type=pathlib.Path, help="file for the right pairs that are flagged and the faults that are not")
    args = parser.parse_args()
    source = lines_of(args.folder / "newstest2019-src.eng.txt")
    tried, chance = [], random.Random(1)  # (language, fault or "", source, target)
    for language in args.languages.split(","):
        right = list(zip(source, lines_of(args.folder / f"newstest2019-ref.{language}.txt")))
        tried += [(language, "", *pair) for pair in right]
        for name, fault in FAULTS.items():
            wrong = ((one, with_fault(one, other, fault, chance)) for one, other in right)
            tried += [(language, name, *pair) for pair in wrong if pair[1] is not None]
        for names, plant in ((RANGE, JOINED), with_range), ((PARTS, PART_CHANGED), with_parts):
            for pairs in filter(None, (plant(*pair, chance) for pair in right)):
                tried += [(language, name, *pair) for name, pair in zip(names, pairs)]
    found = flagged(args.heed, [one[2:] for one in tried])
    count = collections.Counter(one[:2] for one in tried)
    raised = collections.Counter(tried[i][:2] for i in found)
    faults = [*FAULTS, JOINED, PART_CHANGED]
    print(f"| language | right pairs flagged | {RANGE} | {PARTS} | {' | '.join(faults)} | all faults |\n|{' --- |' * (5 + len(faults))}")
    for language in [*args.languages.split(","), "all"]:
        def share(names, digits):
            all_, ours = (sum(one[language, name] for name in names) for one in (count, raised))
            for name in names:
                count["all", name] += count[language, name] if language != "all" else 0
                raised["all", name] += raised[language, name] if language != "all" else 0
            return f"{ours:,} of {all_:,}: {ours / max(all_, 1):.{digits}%}"
        cells = [share([""], 2), share([RANGE], 2), share([PARTS], 2), *(share([name], 1) for name in faults)]
        ours, all_ = (sum(one[language, name] for name in faults) for one in (raised, count))
        print(f"| {language} | {' | '.join(cells)} | {ours / max(all_, 1):.1%} |")
    if args.list:
        wrong = [one for i, one in enumerate(tried) if (i in found) == (one[1] in ("", RANGE, PARTS))]
        args.list.write_text("".join("\t".join(one) + "\n" for one in wrong), encoding="utf-8")


if __name__ == "__main__":
    main()
