"""Counts the ends of sentences that heed, ICU and pysbd miss and find wrongly.

    python3 tests/benchmarks/sentences.py build/release/heed-bench de=newstest.de.txt zh=newstest.zh.txt

Each file has one sentence on each line; before = stands its language (ISO 639-1 where there is one).
`heed-bench sentences` joins five lines to a paragraph, and each program cuts the same paragraphs. ICU
(PyICU) is taken with and without its lists of abbreviations (`ss=standard`). pysbd knows 23 languages.
Programs that are not installed have empty columns.
"""

import argparse
import subprocess
from dataclasses import dataclass
from typing import Callable

Splitter = Callable[[str], list[int]]


@dataclass
class Paragraph:
    """A paragraph; ends are counted in characters that are no blanks, the last end is left out."""

    text: str
    known: set[int]
    heed: set[int]


def inked(text: str) -> int:
    """The number of characters that are no blanks."""
    return len("".join(text.split()))


def paragraphs(bench: str, language: str, path: str) -> list[Paragraph]:
    lines = subprocess.run([bench, "sentences", path, "--language", language, "--ends"], check=True,
                           capture_output=True).stdout.split(b"\n")
    out = []
    for line in filter(None, lines):
        text, known, found = line.rsplit(b"\t", 2)
        out.append(Paragraph(text.decode(), *({inked(text[:int(end)].decode()) for end in ends.split()}
                                              for ends in (known, found))))
    return out


def icu_splitter(locale: str) -> Splitter | None:
    try:
        import icu
    except ImportError:
        return None
    breaks = icu.BreakIterator.createSentenceInstance(icu.Locale(locale))

    def split(text: str) -> list[int]:
        breaks.setText(text)
        units = text.encode("utf-16-le")  # ICU counts in UTF-16
        return [inked(units[:2 * end].decode("utf-16-le")) for end in breaks]

    return split


def pysbd_splitter(language: str) -> Splitter | None:
    try:
        import pysbd
        segmenter = pysbd.Segmenter(language=language, clean=False)
    except (ImportError, ValueError):
        return None

    def split(text: str) -> list[int]:
        end, ends = 0, []
        for sentence in map(str.strip, segmenter.segment(text)):
            begin = text.find(sentence, end)  # it loses some
            if begin >= 0:
                end = begin + len(sentence)
                ends.append(inked(text[:end]))
        return ends

    return split


def errors(found: list[set[int]], known: list[set[int]]) -> tuple[int, int]:
    """How many ends were missed, and how many are wrong."""
    pairs = list(zip(found, known))
    return sum(len(k - f) for f, k in pairs), sum(len(f - k) for f, k in pairs)


def inner(ends: list[int], text: str) -> set[int]:
    """The ends without the last, that of the paragraph."""
    return {end for end in ends if 0 < end < inked(text)}


def measure(bench: str, language: str, path: str) -> list[str]:
    texts = paragraphs(bench, language, path)
    known = [paragraph.known for paragraph in texts]
    cells = [language, str(sum(map(len, known)))]
    found = [[paragraph.heed for paragraph in texts]]
    code = language.split("_")[0]
    for splitter in (icu_splitter(code), icu_splitter(f"{code}@ss=standard"), pysbd_splitter(code)):
        found.append([inner(splitter(p.text), p.text) for p in texts] if splitter else [])
    for one in found:
        missed, wrong = errors(one, known) if one else (0, 0)
        cells.append(f"{missed} + {wrong} = {missed + wrong}" if one else "")
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("bench", help="heed-bench")
    parser.add_argument("texts", nargs="+", metavar="LANGUAGE=FILE")
    args = parser.parse_args()
    print("| language | ends | heed | ICU | ICU with abbreviations | pysbd |")
    print("| --- | --- | --- | --- | --- | --- |")
    for text in args.texts:
        language, _, path = text.partition("=")
        print("|", " | ".join(measure(args.bench, language, path)), "|", flush=True)


if __name__ == "__main__":
    main()
