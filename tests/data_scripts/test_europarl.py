"""europarl.py: aligned pairs first, copies in both forms, links that fit their text."""

import unittest
import zipfile

from scripts import ScriptTest, run

import europarl


class Text(unittest.TestCase):
    def test_words_and_signs_stand_apart(self):
        self.assertEqual(
            europarl.tokens("Herr Präsident, die 2,5 Mio.  (z.B. Lomé-Abkommen)!"),
            "Herr Präsident , die 2,5 Mio . ( z. B . Lomé-Abkommen ) !",
        )
        self.assertEqual(europarl.tokens("today's vote."), "today 's vote .")


class Script(ScriptTest):
    COUNT = 700

    def lines(self, name):
        return (self.folder / "out" / name).read_text(encoding="utf-8").splitlines()

    def original(self, links=("0-0 1?1",) * 150, tune_links="0-1 1-0\n7-0\n"):
        self.write(
            "dev-test-train.de-en",
            *(f"Satz {number} ||| Sentence {number}" for number in range(self.COUNT)),
        )
        self.write("dev.align", *links)
        with zipfile.ZipFile(self.folder / "German-English_WordAlignment.zip", "w") as archive:
            for name, text in (("test.de", "Ja Herr\nNein\n"), ("test.en", "Sir yes\nNo\n")):
                archive.writestr(f"German-English_WordAlignment/{name}", text)
            archive.writestr("German-English_WordAlignment/de-en.wa", tune_links)
        return run("europarl.py", "--from", self.folder, "--output", self.folder / "out")

    def test_the_original_files(self):
        self.assertEqual(self.original().returncode, 0)
        self.assertEqual(self.lines("train.de"), [f"satz {n}" for n in range(self.COUNT - 500)])
        self.assertEqual(self.lines("valid.en"), [f"sentence {n}" for n in range(200, self.COUNT)])
        self.assertEqual(self.lines("gold.de"), self.lines("train.de")[:150])
        self.assertEqual(self.lines("gold.align")[0], "0-0 1?1")
        # A single link to a word that is not there is left out.
        self.assertEqual(self.lines("tune.align"), ["0-1 1-0", ""])
        self.assertEqual(self.lines("tune.de"), ["ja herr", "nein"])

    def test_links_of_another_text_are_refused(self):
        done = self.original(links=("0-0", "5-0", "0-7") + ("0-0",) * 147)
        self.assert_one_line_error(done, 2, "dev.align:2: 5-0", "no such words")
        done = self.original(links=("0-0",) * 149)
        self.assert_one_line_error(done, 2, "dev.align has 149")

    def test_a_line_without_its_mark_is_named(self):
        self.original()
        self.write("dev-test-train.de-en", "Ja ||| Yes", "Nein No")
        done = run("europarl.py", "--from", self.folder, "--output", self.folder / "out")
        self.assert_one_line_error(done, 2, "dev-test-train.de-en:2", "|||")

    def test_a_copy_has_its_aligned_pairs_first_and_once(self):
        gold = self.folder / "alignment-gold/europarl150-deen"
        tune = self.folder / "alignment-gold/europarl100-deen"
        corpus = self.folder / "europarl-deen"
        for folder in (gold, tune, corpus):
            folder.mkdir(parents=True)
        for language in ("de", "en"):
            aligned = [f"Satz , {number} ." for number in range(150)]
            text = [f"Satz, {number}." for number in range(self.COUNT)]
            for folder, name, lines in (
                (gold, "test", aligned),
                (tune, "test", aligned[:3]),
                (corpus, "train", text[::-1]),
            ):
                (folder / f"{name}.{language}").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (gold / "test.gold").write_text("0-0 1p1\n" * 150)
        (tune / "test.gold").write_text("0-0\n" * 3)
        self.run_well(
            "europarl.py", "--from", self.folder, "--output", self.folder / "out", "--pairs", 160
        )
        train = self.lines("train.de")
        self.assertEqual(train[:2], ["satz , 0 .", "satz , 1 ."])
        self.assertEqual(len(train), 160)
        self.assertEqual(train[150], f"satz , {self.COUNT - 1} .")
        self.assertEqual(len(set(train)), 160)
        self.assertEqual(self.lines("gold.align")[149], "0-0 1p1")


if __name__ == "__main__":
    unittest.main()
