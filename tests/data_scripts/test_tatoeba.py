"""tatoeba.py: splits by hash, nothing held out in training, and copies in every form."""

import gzip
import unittest
import zipfile

from scripts import ScriptTest, run

import tatoeba


class Splits(unittest.TestCase):
    def test_the_hash_of_the_english_side_decides(self):
        self.assertEqual(tatoeba.split_of("Go."), tatoeba.split_of("GO."))
        counts = {"train": 0, "valid": 0, "test": 0}
        for number in range(20000):
            counts[tatoeba.split_of(f"Sentence {number}.")] += 1
        self.assertAlmostEqual(counts["valid"] / 20000, 0.01, delta=0.003)
        self.assertAlmostEqual(counts["test"] / 20000, 0.01, delta=0.003)

    def test_no_held_out_side_is_trained_on(self):
        english = [f"Sentence {number}." for number in range(3000)]
        pairs = [(f"Satz {number // 2}.", each) for number, each in enumerate(english)]
        splits = tatoeba.split_pairs(pairs + pairs[:10])
        held_out = {side for name in ("valid", "test") for pair in splits[name] for side in pair}
        self.assertTrue(held_out)
        for pair in splits["train"]:
            self.assertFalse(held_out & set(pair))
        self.assertEqual(len(splits["train"]), len(set(splits["train"])))


class Script(ScriptTest):
    LINES = [f"Sentence {number}.\tSatz {number}.\tCC-BY" for number in range(700)]

    def lines(self, name):
        return (self.folder / "out" / name).read_text(encoding="utf-8").splitlines()

    def test_the_archive_and_its_text_give_the_same(self):
        self.write("deu.txt", *self.LINES)
        self.run_well("tatoeba.py", "--from", self.folder, "--output", self.folder / "out")
        plain = [self.lines(f"{split}.{side}") for split in tatoeba.SPLITS for side in ("de", "en")]
        with zipfile.ZipFile(self.folder / "deu-eng.zip", "w") as archive:
            archive.write(self.folder / "deu.txt", "deu.txt")
        (self.folder / "deu.txt").unlink()
        self.run_well("tatoeba.py", "--from", self.folder, "--output", self.folder / "out")
        again = [self.lines(f"{split}.{side}") for split in tatoeba.SPLITS for side in ("de", "en")]
        self.assertEqual(plain, again)
        self.assertEqual(sum(len(side) for side in plain), 2 * 700)
        self.assertEqual([line.replace("Satz", "Sentence") for line in plain[0]], plain[1])

    def test_some_pairs_of_ready_splits(self):
        for split in tatoeba.SPLITS:
            for side in tatoeba.LANGUAGES:
                text = "".join(f"{side} {split} {number}\n" for number in range(9))
                (self.folder / f"{split}.{side}.gz").write_bytes(gzip.compress(text.encode()))
        self.run_well(
            "tatoeba.py", "--from", self.folder, "--output", self.folder / "out", "--pairs", 5
        )
        self.assertEqual(len(set(self.lines("train.de"))), 5)
        self.assertEqual(
            [line.split()[-1] for line in self.lines("train.de")],
            [line.split()[-1] for line in self.lines("train.en")],
        )
        self.assertEqual(len(self.lines("test.en")), 9)
        # Fewer pairs would replace those that there are.
        done = run("tatoeba.py", "--from", self.folder, "--output", self.folder, "--pairs", 5)
        self.assert_one_line_error(done, 2, "--from reads it; name another folder")
        done = run("tatoeba.py", "--from", self.folder, "--output", self.folder / "out", "--pairs", 10)
        self.assert_one_line_error(done, 2, "--pairs 10", "[1, 9]")

    def test_a_line_without_a_tab_is_named(self):
        self.write("deu.txt", "Go.\tGeh.", "Go on")
        done = run("tatoeba.py", "--from", self.folder, "--output", self.folder / "out")
        self.assert_one_line_error(done, 2, "deu.txt:2", "no tab")


if __name__ == "__main__":
    unittest.main()
