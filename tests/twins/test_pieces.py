"""heed's byte pair encoding by codes against subword-nmt (Sennrich et al. 2016), which learns them.

`heed vocab --algorithm pieces --codes` cuts all words of a text and lists their pieces by frequency:
the list must be that of the same text as `subword-nmt apply-bpe` cuts it. By hand, on 9,495 lines
of Multi30k, NTREX and random Unicode (29 November 2026), the lines themselves were the same as those
of subword-nmt 0.3.8, for codes of 0.2 and 0.1 and for shuffled codes with equal lines, each with and
without --vocabulary, and as those of fastBPE 0.1.0, but for blanks at the ends of lines, which
fastBPE keeps.
"""

import collections
import io
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path

from files import fields
from twins import heed

try:
    from subword_nmt.apply_bpe import BPE
    from subword_nmt.learn_bpe import learn_bpe
except ImportError:
    BPE = None
    print("NO-SUBWORD-NMT: pip install subword-nmt to cut text with it")

ALPHABETS = ["abcde", "абвгд", "あいう漢字", "ابتثج", "हिन्दीमें", "e\u0301a\u0300n", "👍🏽👨", "</w>@"]


def text(lines):
    """Lines of words over one alphabet each; short ones are frequent."""
    draw = random.Random(5)
    return "".join(
        " ".join("".join(draw.choice(letters) for _ in range(draw.randint(1, 9)))
                 for _ in range(draw.randint(1, 9))) + "\n"
        for letters in (draw.choice(ALPHABETS) for _ in range(lines)))


def pieces_of(vocabulary):
    pieces = [dict(fields(value)) for number, value in fields(vocabulary) if number == 1]
    return [piece[1].decode() for piece in pieces]


@unittest.skipIf(BPE is None, "subword-nmt is not installed")
class Pieces(unittest.TestCase):

    def compare(self, codes):
        lines = text(1500)
        expected = collections.Counter()
        bpe = BPE(io.StringIO(codes))
        for line in lines.splitlines():
            expected.update(bpe.segment(line).split(" "))
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "codes").write_text(codes, encoding="utf-8")
            (folder / "text").write_text(lines, encoding="utf-8")
            heed("vocab", folder / "text", "--algorithm", "pieces", "--codes", folder / "codes",
                 "--size", 100000, "-o", folder / "pieces.spm")
            found = pieces_of((folder / "pieces.spm").read_bytes())
        order = sorted(expected.items(), key=lambda item: (-item[1], item[0].encode()))
        self.assertEqual(found[:4], ["<pad>", "<unk>", "<s>", "</s>"])
        self.assertEqual(found[4:], [piece for piece, _ in order])

    def learned(self):
        codes = io.StringIO()
        stderr, sys.stderr = sys.stderr, open(os.devnull, "w")
        try:
            learn_bpe(io.StringIO(text(1500)), codes, 400)
        finally:
            sys.stderr.close()
            sys.stderr = stderr
        return codes.getvalue()

    def test_codes(self):
        self.compare(self.learned())

    def test_codes_in_any_order(self):
        lines = self.learned().splitlines()[1:]
        random.Random(3).shuffle(lines)
        self.compare("\n".join(["#version: 0.2"] + lines + lines[:50]) + "\n")

    def test_older_codes(self):
        self.compare("a b\nab </w>\nb c\nab c\nc d\nабв г\nа б\nаб в\n漢 字\n字 </w>\n")


if __name__ == "__main__":
    unittest.main()
