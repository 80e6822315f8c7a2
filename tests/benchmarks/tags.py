#!/usr/bin/env python3
"""Tags in translations: how many are around exactly the words that the gold alignment says.

  python3 tests/benchmarks/tags.py runs/demo/bahdanau data/demo/test.src data/demo/test.tgt data/demo/test.align

Elements are put around runs of one to three source words that are linked with a run of target words, and with these alone
(phrase pairs: no link leaves them). Each line gets at most --tags of them, drawn by --seed. `heed translate --markup xml`
translates the lines. Only translations that equal their reference count, because the gold alignment is one of references.
With --given the tags are put into the references themselves (`heed-bench tags`), and all lines count:

  python3 tests/benchmarks/tags.py runs/europarl_guided data/europarl/gold.de data/europarl/gold.en data/europarl/gold.align --given

Links are sure (`3-4`) or possible (`3p4`); a run of words has a gold place if no link of either kind leaves it.
"""
import argparse
import collections
import html
import pathlib
import random
import re
import subprocess
import sys
import tempfile

LONGEST = 3


def phrase_pairs(links):
    """(begin, end) of source words to (begin, end) of target words, for all runs that are linked with each other alone."""
    pairs = {}
    for begin in range(max(source for source, _ in links) + 1 if links else 0):
        for end in range(begin + 1, begin + LONGEST + 1):
            inside = {target for source, target in links if begin <= source < end}
            outside = {target for source, target in links if not begin <= source < end}
            ends = [any(source == word for source, _ in links) for word in (begin, end - 1)]
            if all(ends) and not inside & outside and max(inside) - min(inside) + 1 == len(inside):
                pairs[begin, end] = min(inside), max(inside) + 1
    return pairs


def choose(pairs, count, chance):
    """At most so many pairs whose sources do not overlap."""
    chosen = []
    for begin, end in chance.sample(sorted(pairs), len(pairs)):
        if len(chosen) < count and all(end <= other[0] or other[1] <= begin for other in chosen):
            chosen.append((begin, end))
    return sorted(chosen)


def tagged(words, runs):
    """The line with <t0>, <t1>, ... around these runs."""
    words = [html.escape(word) for word in words]
    for number, (begin, end) in enumerate(runs):
        words[begin] = f"<t{number}>" + words[begin]
        words[end - 1] += f"</t{number}>"
    return " ".join(words)


def places(line):
    """The words of a line without its tags, and of each tag's number the run of words inside it."""
    words, begun, runs = [], {}, {}
    for part in re.findall(r"</?t\d+>|[^<\s]+", line):
        tag = re.fullmatch(r"<(/?)t(\d+)>", part)
        if not tag:
            words.append(html.unescape(part))
        elif tag[1]:
            runs[int(tag[2])] = begun[int(tag[2])], len(words)
        else:
            begun[int(tag[2])] = len(words)
    return words, runs


def verdict(run, gold):
    if run == gold:
        return "gold"
    if run[0] == run[1]:
        return "empty"
    if run[0] <= gold[0] and gold[1] <= run[1]:
        return "wider"
    if gold[0] <= run[0] and run[1] <= gold[1]:
        return "narrower"
    return "elsewhere"


def links_of(line):
    return [tuple(map(int, re.split("[-p]", link))) for link in line.split()]


def translated(args, lines):
    """The lines with their tags as the model translates them, or as it puts the tags into the targets."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as marked:
        marked.writelines(line + "\n" for line in lines)
        marked.flush()
        command = ([args.bench, "-q", "tags", args.model, marked.name, args.target, *args.options] if args.given
                   else [args.heed, "translate", args.model, marked.name, "--markup", "xml", *args.options])
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"tags.py: {' '.join(command[:2])} failed")
    return result.stdout.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    for name in ("source", "target", "alignment"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--tags", type=int, default=2, help="elements of a line, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, help="print so many lines whose tags are elsewhere")
    parser.add_argument("--given", action="store_true", help="put the tags into the references")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("options", nargs="*", help="after --: more options of heed translate, such as --layer 2")
    args = parser.parse_args()
    sources, targets, alignments = (path.read_text(encoding="utf-8").splitlines()
                                    for path in (args.source, args.target, args.alignment))
    chance = random.Random(args.seed)
    pairs = [phrase_pairs(links_of(line)) for line in alignments]
    runs = [choose(of_line, args.tags, chance) for of_line in pairs]
    lines = [tagged(line.split(), of_line) for line, of_line in zip(sources, runs)]
    translations = translated(args, lines)
    counts = collections.defaultdict(collections.Counter)  # by words of the source
    equal = 0
    for line, translation, target, of_line, gold in zip(lines, translations, targets, runs, pairs):
        words, found = places(translation)
        if words != target.split():
            continue
        equal += 1
        verdicts = [verdict(found[number], gold[run]) for number, run in enumerate(of_line)]
        for (begin, end), one in zip(of_line, verdicts):
            counts[end - begin][one] += 1
        if args.show > 0 and any(one != "gold" for one in verdicts):
            args.show -= 1
            print(f"{line}\n{translation}\n")
    print(f"{equal} of {len(lines)} translations equal their reference")
    counts["all"] = sum(counts.values(), collections.Counter())
    kinds = ("gold", "wider", "narrower", "elsewhere", "empty")
    print(f"\n| words inside | tags | {' | '.join(kinds)} |\n| --- |{' --- |' * (len(kinds) + 1)}")
    for length, of_length in sorted(counts.items(), key=lambda item: str(item[0])):
        total = of_length.total()
        shares = (f"{100 * of_length[kind] / max(total, 1):.2f} %" for kind in kinds)
        print(f"| {length} | {total} | {' | '.join(shares)} |")


if __name__ == "__main__":
    main()
