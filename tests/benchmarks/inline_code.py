#!/usr/bin/env python3
"""Inline code in translated Markdown: how much of it is lost or glued to words, and how much punctuation changes.

  python3 tests/benchmarks/inline_code.py runs/en_de README.md docs/*.md

Each file is translated with `heed translate --document markdown`. A paragraph of it that has inline code, and no block of code,
is compared with its translation, which has as many paragraphs: code is `lost` if it is there less often, `more` if it is there
more often, and `glued` if it has a letter or a digit beside it where the source has none. `apart`: code that is not beside a
bracket, quote mark, colon or hyphen any more, and was. The punctuation of all paragraphs is counted without code and links.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")
KINDS = {"stops": ".!?", "commas": ",;", "colons": ":", "brackets": "()[]", "quotes": "\"'»«„“”’‘›‹"}
BESIDE = "()[]\"'»«„“”’‘›‹:-"


def paragraphs(text):
    text = re.sub(r"(?ms)^(```|~~~).*?^\1[^\n]*$", "", text)
    return [part for part in re.split(r"\n\s*\n", text) if part.strip()]


def around(text):
    """(code, character before it, character after it) in order."""
    return [(found[0], text[:found.start()][-1:], text[found.end():][:1]) for found in CODE.finditer(text)]


def glued(items):
    return sum(before.isalnum() or after.isalnum() for _, before, after in items)


def compare(source, target, counts, marks):
    was, now = around(source), around(target)
    of_source, of_target = (collections.Counter(code for code, *_ in items) for items in (was, now))
    counts["code"] += len(was)
    counts["lost"] += (of_source - of_target).total()
    counts["more"] += (of_target - of_source).total()
    counts["glued"] += max(0, glued(now) - glued(was))
    beside = [collections.Counter(side for _, *sides in items for side in sides if side and side in BESIDE) for items in (was, now)]
    counts["apart"] += max(0, beside[0].total() - beside[1].total())
    for which, text in enumerate((source, target)):
        bare = re.sub(r"\]\([^)\s]*\)", "]", CODE.sub("", text))
        for kind, characters in KINDS.items():
            marks[kind][which] += sum(bare.count(character) for character in characters)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--show", type=int, default=0, help="print so many paragraphs that differ")
    parser.add_argument("--option", action="append", default=[], help="of heed translate, such as --option=--beam=1")
    args = parser.parse_args()
    counts, marks = collections.Counter(), collections.defaultdict(lambda: [0, 0])
    for path in args.files:
        command = [args.heed, "-q", "translate", args.model, str(path), "--document", "markdown", *args.option]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
        if result.returncode != 0:
            sys.exit(f"inline_code.py: {' '.join(command)} failed")
        sources, targets = paragraphs(path.read_text(encoding="utf-8")), paragraphs(result.stdout)
        if len(sources) != len(targets):
            counts["files with other paragraphs"] += 1
            continue
        for source, target in zip(sources, targets):
            if not CODE.search(source):
                continue
            before = counts["lost"] + counts["more"] + counts["glued"] + counts["apart"]
            compare(source, target, counts, marks)
            if args.show > 0 and counts["lost"] + counts["more"] + counts["glued"] + counts["apart"] > before:
                args.show -= 1
                print(f"{source}\n{target}\n")
    for name, count in counts.items():
        print(f"{name}: {count}")
    for kind, (source, target) in marks.items():
        print(f"{kind}: {source} in the source, {target} in the translation")


if __name__ == "__main__":
    main()
