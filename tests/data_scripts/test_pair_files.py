"""Preparing one's own two files."""

import random
import unittest

from scripts import ScriptTest, run

import pair_files


def read(folder, split, side):
    return (folder / f"{split}.{side}").read_text(encoding="utf-8").splitlines()


class PairFiles(ScriptTest):
    def corpus(self, order=None):
        numbers = list(range(200))
        (order or random.Random(0)).shuffle(numbers)
        # Four neighbours share a source sentence and the last of them shares its target with the
        # next four.
        source = self.write("c.de", *[f"satz {n // 4}" for n in numbers])
        target = self.write("c.en", *[f"line {(n + 1) // 5 if n % 40 else n}" for n in numbers])
        return source, target

    def splits(self, name="out"):
        out = self.folder / name
        return {
            split: set(zip(read(out, split, "de"), read(out, split, "en")))
            for split in ("train", "valid", "test")
        }

    def test_no_sentence_of_either_side_crosses_splits(self):
        self.run_well(
            "pair_files.py",
            *self.corpus(),
            "--output",
            self.folder / "out",
            "--valid",
            40,
            "--test",
            40,
        )
        splits = self.splits()
        for side in (0, 1):
            train, valid, test = (
                {pair[side] for pair in splits[name]} for name in ("train", "valid", "test")
            )
            self.assertFalse(train & valid or train & test or valid & test)
        self.assertTrue(splits["valid"] and splits["test"])

    def test_the_order_of_the_lines_does_not_matter(self):
        self.run_well(
            "pair_files.py",
            *self.corpus(random.Random(1)),
            "--output",
            self.folder / "one",
            "--test",
            40,
            "--valid",
            40,
        )
        self.run_well(
            "pair_files.py",
            *self.corpus(random.Random(2)),
            "--output",
            self.folder / "two",
            "--test",
            40,
            "--valid",
            40,
        )
        self.assertEqual(self.splits("one"), self.splits("two"))

    def test_a_test_set_of_an_earlier_call_is_not_trained_on(self):
        command = ["pair_files.py", *self.corpus(), "--output", self.folder / "out", "--valid", 40]
        self.run_well(*command, "--test", 40)
        before = self.splits()
        self.assert_one_line_error(
            run(*command, "--test", 0),
            2,
            "test.de is of an earlier call, and its pairs would now be trained on",
        )
        self.assertEqual(self.splits(), before)

    def test_nothing_is_lost_and_lines_stay_together(self):
        source = self.write("a.de", *[f"eins {n}" for n in range(30)])
        target = self.write("a.en", *[f"one {n}" for n in range(30)])
        done = self.run_well(
            "pair_files.py",
            source,
            target,
            "--output",
            self.folder / "out",
            "--valid",
            5,
            "--test",
            7,
        )
        splits = self.splits()
        self.assertEqual(
            {name: len(pairs) for name, pairs in splits.items()},
            {"train": 18, "valid": 5, "test": 7},
        )
        for german, english in set().union(*splits.values()):
            self.assertEqual(german.split()[1], english.split()[1])
        self.assertIn("mean 2.0", done.stdout)

    def test_line_ends_and_marks_are_cleaned_and_empty_sides_left_out_with_their_lines(self):
        source = self.folder / "a.de"
        source.write_bytes("\ufeffEins\r\n\r\nDrei\r\nVier\r\n".encode())
        target = self.write("a.en", "One", "Two", "Three ", " ")
        done = self.run_well(
            "pair_files.py",
            source,
            target,
            "--output",
            self.folder / "out",
            "--valid",
            0,
            "--test",
            0,
        )
        self.assertEqual(read(self.folder / "out", "train", "de"), ["Eins", "Drei"])
        self.assertEqual(read(self.folder / "out", "train", "en"), ["One", "Three"])
        self.assertIn("left out 2 pairs with an empty side: lines 2, 4", done.stderr)

    def test_repeats_are_dropped_when_asked(self):
        source, target = self.write("a.de", "a", "a", "b"), self.write("a.en", "x", "x", "y")
        self.run_well(
            "pair_files.py",
            source,
            target,
            "--output",
            self.folder / "out",
            "--valid",
            0,
            "--test",
            0,
            "--dedup",
        )
        self.assertEqual(read(self.folder / "out", "train", "de"), ["a", "b"])

    def test_families_follow_shared_sides_through_others(self):
        groups = pair_files.families([("a", "x"), ("b", "x"), ("b", "y"), ("c", "z")])
        self.assertEqual(sorted(groups), [[0, 1, 2], [3]])

    def test_unlike_line_counts_name_both_files(self):
        done = run(
            "pair_files.py",
            self.write("a.de", "a", "b"),
            self.write("a.en", "x"),
            "--output",
            self.folder,
        )
        self.assert_one_line_error(done, 2, "a.de has 2 lines", "a.en has 1")

    def test_the_corpus_is_not_overwritten(self):
        source, target = self.write("train.de", "a", "b"), self.write("valid.en", "x", "y")
        out = self.folder / ".." / self.folder.name
        given = ("pair_files.py", source, target, "--output", out, "--test", 0)
        done = run(*given, "--valid", 0)
        self.assert_one_line_error(done, 2, "train.de would be written over", "--output")
        done = run(*given, "--valid", 1, "--source-suffix", "src")
        self.assert_one_line_error(done, 2, "valid.en would be written over", "--output")
        self.assertEqual((source.read_text(), target.read_text()), ("a\nb\n", "x\ny\n"))
        self.run_well(*given, "--valid", 0, "--source-suffix", "src")  # writes no valid.en

    def test_mistakes_are_one_line(self):
        source, target = self.write("a.de", "a", "b", "c"), self.write("a.en", "x", "y", "z")
        out = self.folder / "out"
        self.assert_one_line_error(
            run("pair_files.py", source, target, "--output", out), 2, "3 usable pairs", "--valid"
        )
        self.assert_one_line_error(
            run("pair_files.py", source, self.folder / "no.en", "--output", out), 2, "no.en"
        )
        self.assert_one_line_error(
            run("pair_files.py", source, self.write("b.de", "x"), "--output", out),
            2,
            "--source-suffix",
        )
        self.assert_one_line_error(run("pair_files.py", source), 2, "--help")

    def test_compressed_bytes_are_no_text(self):
        source, target = self.folder / "all.de.zst", self.folder / "all.en.zst"
        source.write_bytes(b"\x28\xb5\x2f\xfd\x04\x00")
        target.write_bytes(b"\x1f\x8b\x08\x00")
        out = self.folder / "out"
        self.assert_one_line_error(
            run("pair_files.py", source, target, "--output", out),
            2,
            "all.de.zst: is compressed with zstd; unpack it first (zstd -d)",
        )
        self.assert_one_line_error(
            run("pair_files.py", target, source, "--output", out),
            2,
            "all.en.zst: is compressed with gzip; unpack it first (gunzip)",
        )


if __name__ == "__main__":
    unittest.main()
