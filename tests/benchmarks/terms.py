#!/usr/bin/env python3
"""Translations with terms: how many are obeyed, BLEU, and the time that they take, beside translations without.

  python3 tests/benchmarks/terms.py runs/multi30k_quick data/multi30k/test2016.de data/multi30k/test2016.en -o runs/terms

Terms are chosen with the links of `heed align`: pairs of content words that are linked with each other alone. A content
word has no digits and is none of the 100 most frequent words of its side. Source words are drawn, by --seed, until they
have --share of the references' content words. There are three glossaries: `usual` gives each source word the target word
that the references have for it most often, `several` each that they have for it twice or more (another inflection, say), and
`other` one that they have for it less often, where there is one.

A glossary also changes lines whose references do not have its words. In "BLEU where terms fit" such lines are translated
without it, as by a translator who gives a line the terms that belong there.
"""
import argparse
import collections
import pathlib
import random
import re
import subprocess
import sys
import time

FREQUENT = 100


def words_of(line):
    return [re.sub(r"^\W+|\W+$", "", word).lower() for word in line.split()]


def content_words(lines):
    """The words of all lines, without the most frequent ones and whatever is no word."""
    counts = collections.Counter(word for line in lines for word in words_of(line))
    frequent = {word for word, _ in counts.most_common(FREQUENT)}
    return {word for word in counts if word.replace("-", "").isalpha() and word not in frequent}


def pairs_of(sources, targets, links):
    """For each source word, how often each target word is linked with it, both with no other word."""
    content = content_words(sources), content_words(targets)
    pairs = collections.defaultdict(collections.Counter)
    for source, target, line in zip(sources, targets, links):
        here = [tuple(map(int, link.split("-"))) for link in line.split()]
        ends = [collections.Counter(link[side] for link in here) for side in (0, 1)]
        words = words_of(source), words_of(target)
        for i, j in here:
            if ends[0][i] == ends[1][j] == 1 and words[0][i] in content[0] and words[1][j] in content[1]:
                pairs[words[0][i]][words[1][j]] += 1
    return pairs


def choose(pairs, targets, share, seed, kind):
    """Terms (source, target, ...), and how many of the references' content words they have."""
    content = content_words(targets)
    wanted = share * sum(word in content for line in targets for word in words_of(line))
    order = sorted(pairs)
    random.Random(seed).shuffle(order)
    terms, covered = [], 0
    for source in order:
        ranked = pairs[source].most_common()
        if covered >= wanted or (kind == "other" and len(ranked) < 2):
            continue
        chosen = ranked[1:2] if kind == "other" else ranked[:1]
        if kind == "several":
            chosen += [one for one in ranked[1:] if one[1] > 1]
        terms.append((source, *(target for target, _ in chosen)))
        covered += sum(count for _, count in chosen)
    return terms, covered


def fitting(terms, sources, targets):
    """For each line, whether its reference has a target of every term that the source has."""
    targets_of = {term[0]: set(term[1:]) for term in terms}
    return [all(targets_of[word] & set(words_of(target)) for word in words_of(source) if word in targets_of)
            for source, target in zip(sources, targets)]


def run(heed, *arguments):
    result = subprocess.run([heed, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"terms.py: heed {arguments[0]} failed")
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("target", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder for glossaries and translations")
    parser.add_argument("--share", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=3, help="the best time of so many")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--set", action="append", default=[], help="a setting for all translations")
    args = parser.parse_args()
    args.output.mkdir(parents=True, exist_ok=True)
    settings = [word for setting in args.set for word in ("--set", setting)]
    sources, targets = (path.read_text(encoding="utf-8").splitlines() for path in (args.source, args.target))
    links = run(args.heed, "align", args.model, "--source", args.source, "--target", args.target).splitlines()
    pairs = pairs_of(sources, targets, links)
    systems, fits = {"none": None}, {"none": [True] * len(sources)}
    for name in ("usual", "several", "other"):
        terms, covered = choose(pairs, targets, args.share, args.seed, name)
        systems[name], fits[name] = args.output / f"{name}.tsv", fitting(terms, sources, targets)
        systems[name].write_text("".join("\t".join(term) + "\n" for term in terms), encoding="utf-8")
        print(f"{name}.tsv: {len(terms)} terms, {covered} content words of the references")

    seconds = collections.defaultdict(list)
    for _ in range(args.repeats):
        for name, glossary in systems.items():
            with_terms = ["--glossary", glossary] if glossary else []
            begin = time.monotonic()
            text = run(args.heed, "translate", args.model, args.source, *with_terms, *settings)
            seconds[name].append(time.monotonic() - begin)
            (args.output / f"{name}.out").write_text(text, encoding="utf-8")
            free = (args.output / "none.out").read_text(encoding="utf-8").splitlines(keepends=True)
            mixed = (one if fit else other for one, other, fit in zip(text.splitlines(keepends=True), free, fits[name]))
            (args.output / f"{name}.fits.out").write_text("".join(mixed), encoding="utf-8")

    print("\n| translations with | lines/s | BLEU | terms of | obeyed | BLEU where terms fit |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, of in [(name, of) for of in systems if of != "none" for name in ("none", of)]:
        bleu = []
        for ending in ("fits.out", "out"):
            scores = run(args.heed, "evaluate", "--hypothesis", args.output / f"{name}.{ending}", "--source", args.source,
                         "--reference", args.target, "--glossary", systems[of], "--set", "evaluation.metrics=[bleu]")
            bleu.append(re.search(r"BLEU\D* ([\d.]+)", scores).group(1))
        obeyed = re.search(r"^terms obeyed (.*)", scores, re.MULTILINE).group(1)
        print(f"| {name} | {len(sources) / min(seconds[name]):.1f} | {bleu[1]} | {of} | {obeyed} | {bleu[0]} |")


if __name__ == "__main__":
    main()
