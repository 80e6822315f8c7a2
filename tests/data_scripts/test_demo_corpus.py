"""The demo corpus: what its gold files promise."""

import tempfile
import unittest
from collections import Counter
from pathlib import Path

from scripts import ScriptTest, run

from demo import lexicon as words

SIZES = ("--train", "2000", "--valid", "120", "--test", "600", "--contrasts", "40", "--long", "60")
BUCKETS = [(3, 10), (11, 20), (21, 30), (31, 40), (41, 50), (51, 60)]
GENDERED = {"elo": "m", "ela": "f", "ele": "n"}
ADJECTIVES = {english for english, _ in words.ADJECTIVES}
NOUN_FORMS = {noun.source_form(plural) for noun in words.NOUNS for plural in (False, True)}


def lines(path):
    return path.read_text(encoding="utf-8").splitlines()


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        done = run("demo_corpus.py", "--output", cls.folder, *SIZES)
        assert done.returncode == 0, done.stderr
        cls.printed = done.stdout

    def pairs(self, name):
        source, target = (lines(self.folder / f"{name}.{side}") for side in ("src", "tgt"))
        self.assertEqual(len(source), len(target))
        return [(a.split(), b.split()) for a, b in zip(source, target)]

    def antecedents(self, name):
        header, *rows = lines(self.folder / f"{name}.antecedents")
        self.assertEqual(header, "line\tpronoun\tantecedent\ttarget_pronoun\tgender")
        return [(*map(int, row.split("\t")[:4]), row.split("\t")[4]) for row in rows]

    def test_the_same_seed_writes_the_same_bytes_and_another_seed_does_not(self):
        with tempfile.TemporaryDirectory() as again, tempfile.TemporaryDirectory() as other:
            self.assertEqual(run("demo_corpus.py", "--output", again, *SIZES).stdout, self.printed)
            changed = run("demo_corpus.py", "--output", other, "--seed", "2", *SIZES).stdout
        for row, twin in zip(self.printed.splitlines(), changed.splitlines()):
            self.assertEqual(row == twin, "sets/classic" in row, row)

    def test_the_report_names_every_file_with_its_lines(self):
        listed = {row.split()[2]: int(row.split()[1]) for row in self.printed.splitlines()}
        self.assertEqual(listed["train.src"], 2000)
        self.assertEqual(listed["sets/contrast.tgt"], 80)
        written = {
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file()
        }
        self.assertEqual(set(listed), written)

    def test_a_smaller_training_set_leaves_the_test_set_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            small = run("demo_corpus.py", "--output", folder, *SIZES[2:], "--train", "50")
        kept = [row for row in self.printed.splitlines() if " train." not in row]
        self.assertEqual([row for row in small.stdout.splitlines() if " train." not in row], kept)

    def test_the_lengths_of_a_test_set_are_even(self):
        for name, count in (("test", 600), ("valid", 120)):
            lengths = [len(source) for source, _ in self.pairs(name)]
            self.assertEqual((min(lengths), max(lengths)), (3, 60))
            for low, high in BUCKETS:
                self.assertEqual(
                    sum(low <= length <= high for length in lengths), count // len(BUCKETS)
                )

    def test_the_lengths_of_the_long_set_reach_past_those_of_training(self):
        pairs = self.pairs("sets/lengths")
        self.assertEqual(pairs[:600], self.pairs("test"))
        lengths = [len(source) for source, _ in pairs[600:]]
        self.assertEqual((min(lengths), max(lengths)), (61, 120))
        for low in range(61, 120, 10):
            self.assertEqual(sum(low <= length <= low + 9 for length in lengths), 10)

    def test_training_holds_every_length_and_more_short_sentences(self):
        lengths = Counter(len(source) for source, _ in self.pairs("train"))
        self.assertEqual((min(lengths), max(lengths)), (3, 64))
        filled = [sum(lengths[length] for length in range(low, high + 1)) for low, high in BUCKETS]
        self.assertGreater(min(filled), 0.02 * sum(filled))
        self.assertGreater(sum(filled[:2]), 0.5 * sum(filled))

    def test_as_many_training_sentences_are_about_it_as_was_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            sizes = ("--train", "500", "--pronouns", "100", *SIZES[2:])
            run("demo_corpus.py", "--output", folder, *sizes)
            for source in lines(Path(folder) / "train.src"):
                words_of = source.split()
                self.assertTrue({"it", "they"} & set(words_of), source)
                self.assertTrue(10 <= len(words_of) <= 16, source)
                self.assertIn(words_of[-1], ADJECTIVES)
        short = sum(
            len(source) <= 16 and "it" in source and source[-1] in ADJECTIVES
            for source, _ in self.pairs("train")
        )
        self.assertGreater(short, 0.3 * len(self.pairs("train")))

    def test_no_held_out_sentence_is_trained_on_and_none_is_twice(self):
        train = {tuple(source) for source, _ in self.pairs("train")}
        seen = set()
        for name in ("valid", "test", "sets/classic", "sets/contrast"):
            for source, _ in self.pairs(name):
                self.assertNotIn(tuple(source), train)
                self.assertNotIn(tuple(source), seen)
                seen.add(tuple(source))

    def test_alignments_stay_inside_and_reach_every_word_of_both_sides(self):
        for name in ("valid", "sets/lengths", "sets/classic", "sets/contrast"):
            gold = lines(self.folder / f"{name}.align")
            self.assertEqual(len(gold), len(self.pairs(name)))
            for (source, target), row in zip(self.pairs(name), gold):
                links = [tuple(map(int, link.split("-"))) for link in row.split()]
                self.assertEqual({i for i, _ in links}, set(range(len(source))))
                self.assertEqual({j for _, j in links}, set(range(len(target))))
                self.assertEqual(links, sorted(set(links)))

    def test_linked_words_translate_each_other(self):
        gender = {
            form: noun.gender
            for noun in words.NOUNS + [words.SHORE, words.MONEY_HOUSE]
            for form in (noun.target_form(False), noun.target_form(True))
        }
        known = {
            (noun.source_form(plural), noun.target_form(plural))
            for noun in words.NOUNS + [words.SHORE, words.MONEY_HOUSE]
            for plural in (False, True)
        }
        seen = 0
        for (source, target), row in zip(self.pairs("test"), lines(self.folder / "test.align")):
            for i, j in (map(int, link.split("-")) for link in row.split()):
                if target[j] in gender:
                    self.assertIn((source[i], target[j]), known)
                    seen += 1
        self.assertGreater(seen, 1000)

    def test_antecedents_are_nouns_of_the_stated_gender(self):
        gold = lines(self.folder / "test.align")
        pairs = self.pairs("test")
        rows = self.antecedents("test")
        self.assertGreater(len(rows), 200)
        for line, pronoun, antecedent, target_pronoun, gender in rows:
            source, target = pairs[line]
            links = dict(link.split("-") for link in gold[line].split())
            self.assertEqual(source[pronoun], "it")
            self.assertLess(antecedent, pronoun)
            self.assertIn(source[antecedent], NOUN_FORMS)
            self.assertEqual(GENDERED[target[target_pronoun]], gender)
            self.assertEqual(int(links[str(pronoun)]), target_pronoun)
            translated = target[int(links[str(antecedent)])]
            self.assertEqual({"o": "m", "a": "f", "e": "n"}[translated[-1]], gender)

    def test_every_it_has_an_antecedent_and_every_gender_occurs(self):
        rows = self.antecedents("test")
        self.assertEqual(len(rows), sum(source.count("it") for source, _ in self.pairs("test")))
        self.assertEqual(set(Counter(row[4] for row in rows)), {"m", "f", "n"})

    def test_the_classic_pairs_differ_just_as_they_should(self):
        text = [
            (" ".join(source), " ".join(target)) for source, target in self.pairs("sets/classic")
        ]
        self.assertEqual(
            text,
            [
                (
                    "the animal did not cross the street because it was too tired",
                    "le bestie nit kruset la strada perke ele tro fesse esta",
                ),
                (
                    "the animal did not cross the street because it was too wide",
                    "le bestie nit kruset la strada perke ela tro larga esta",
                ),
                (
                    "the trophy did not fit into the suitcase because it was too big",
                    "le pokale nit kabbet indo la valiza perke ele tro grande esta",
                ),
                (
                    "the trophy did not fit into the suitcase because it was too small",
                    "le pokale nit kabbet indo la valiza perke ela tro pika esta",
                ),
            ],
        )
        self.assertEqual(
            self.antecedents("sets/classic"),
            [(0, 8, 1, 7, "n"), (1, 8, 6, 7, "f"), (2, 9, 1, 8, "n"), (3, 9, 7, 8, "f")],
        )

    def test_each_contrast_changes_one_word_and_with_it_the_pronoun(self):
        pairs = self.pairs("sets/contrast")
        rows = self.antecedents("sets/contrast")
        for first in range(0, len(pairs), 2):
            (source, target), (other_source, other_target) = pairs[first : first + 2]
            self.assertEqual(
                [a == b for a, b in zip(source, other_source)], [True] * (len(source) - 1) + [False]
            )
            self.assertEqual(sum(a != b for a, b in zip(target, other_target)), 2)
            (_, pronoun, noun, place, gender), (_, _, other_noun, _, other_gender) = rows[
                first : first + 2
            ]
            self.assertNotEqual(noun, other_noun)
            self.assertNotEqual(gender, other_gender)
            self.assertNotEqual(target[place], other_target[place])

    def test_wrong_translations_have_other_genders_and_agree_in_themselves(self):
        for name in ("sets/classic", "sets/contrast"):
            rows = self.antecedents(name)
            for ending in ("wrong", "neither"):
                wrong = lines(self.folder / f"{name}.{ending}")
                self.assertEqual(len(wrong), len(rows))
                for (_, target), text, row in zip(self.pairs(name), wrong, rows):
                    line, _, _, place, gender = row
                    words_of = text.split()
                    changed = [i for i, word in enumerate(words_of) if word != target[i]]
                    self.assertEqual(changed, [place, place + 2])  # pronoun, too, adjective
                    other = GENDERED[words_of[place]]
                    self.assertEqual(words_of[place + 2][-1], words_of[place][-1])
                    rival = rows[line ^ 1][4]  # the other half of the pair means the other noun
                    self.assertNotEqual(other, gender)
                    self.assertEqual(other == rival, ending == "wrong")

    def test_homonyms_take_both_translations(self):
        counts = Counter()
        with tempfile.TemporaryDirectory() as folder:
            run(
                "demo_corpus.py",
                "--output",
                folder,
                "--train",
                "1",
                "--valid",
                "1",
                "--test",
                "1200",
            )
            for source, target in zip(
                lines(Path(folder) / "test.src"), lines(Path(folder) / "test.tgt")
            ):
                counts.update(target.split())
        for meanings in (
            ("ripa", "banko"),
            ("noktula", "klabo"),
            ("grue", "kranna"),
            ("foko", "sigile"),
            ("partiret", "lasset"),
        ):
            for meaning in meanings:
                self.assertGreater(counts[meaning], 10, meaning)


class Lexicon(unittest.TestCase):
    def test_target_words_mean_one_thing_and_are_never_source_words(self):
        owners = {}
        nouns = words.NOUNS + [words.SHORE, words.MONEY_HOUSE]
        forms = [
            (form, noun.target)
            for noun in nouns
            for form in (noun.target_form(False), noun.target_form(True))
        ]
        forms += [
            (stem + ending, "adjective " + stem)
            for _, stem in words.ADJECTIVES
            for ending in "oaei"
        ]
        forms += [
            (verb.target_form(plural), "verb " + verb.stem)
            for verb in words.TRANSITIVE + words.INTRANSITIVE + [words.FIT]
            for plural in (False, True)
        ]
        forms += [
            (stem[:-1] + ending if stem.endswith("-") else stem, "determiner " + stem)
            for _, stem in words.SINGULAR_DETERMINERS + words.PLURAL_DETERMINERS
            for ending in "oaei"
        ]
        forms += [
            (target, "small " + target)
            for _, target in words.DEGREES
            + words.ADVERBS
            + words.PREPOSITIONS
            + words.COORDINATING
            + words.SUBORDINATING
        ]
        forms += [("el" + ending, "pronoun") for ending in "oaei"]
        forms += [
            (word, "small " + word)
            for word in (*words.COPULA, words.NOT_TARGET, words.INTO_TARGET, words.OF_TARGET)
        ]
        for form, owner in forms:
            self.assertEqual(owners.setdefault(form, owner), owner, form)
        source = {noun.source_form(plural) for noun in nouns for plural in (False, True)}
        source |= {verb.past for verb in words.TRANSITIVE} | {
            english for english, _ in words.ADJECTIVES
        }
        self.assertEqual(source & set(owners), set())
        self.assertLess(len(owners), 330)


class Errors(ScriptTest):
    def test_a_bad_number_is_one_line_and_exit_code_2(self):
        self.assert_one_line_error(
            run("demo_corpus.py", "--output", self.folder, "--train", "0"),
            2,
            "--train",
            "'0'",
            "at least 1",
        )

    def test_an_output_that_is_a_file_is_one_line_and_exit_code_2(self):
        path = self.write("taken", "x")
        self.assert_one_line_error(run("demo_corpus.py", "--output", path), 2, "taken", "is a file")

    def test_an_output_below_a_file_is_one_line_and_exit_code_1(self):
        path = self.write("taken", "x")
        self.assert_one_line_error(run("demo_corpus.py", "--output", path / "below"), 1, "taken")


if __name__ == "__main__":
    unittest.main()
