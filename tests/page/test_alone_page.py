"""The page of `heed export --format web` in headless Chromium: without a server, from a file."""
import unittest

import page
import test_play_page as play
import toy


class AlonePage(play.PlayTest):
    decoding = ("--set", "decoding.weights=int8")

    @classmethod
    def setUpClass(cls):
        cls.folder, cls.browser = page.models()
        made = toy.try_heed("export", "model", "other", "--format", "web", "--source-language", "de", "--target-language", "en",
                            "-o", "alone.html", folder=cls.folder)
        if "./run web" in made.stderr:
            raise unittest.SkipTest("heed was built without a compiler for WebAssembly")
        assert made.returncode == 0, made.stderr
        cls.address = (cls.folder / "alone.html").as_uri()

    # These tests do not depend on who answers.
    test_what_is_typed_is_translated_by_both_models = play.PlayPage.test_what_is_typed_is_translated_by_both_models
    test_pointing_at_a_token_lights_its_partners = play.PlayPage.test_pointing_at_a_token_lights_its_partners
    test_another_word_is_chosen_and_the_rest_follows = play.PlayPage.test_another_word_is_chosen_and_the_rest_follows
    test_steps_are_shown_in_numbers_when_they_are_asked_for = (
        play.PlayPage.test_steps_are_shown_in_numbers_when_they_are_asked_for)
    test_by_keys_alone = play.PlayPage.test_by_keys_alone
    test_an_address_has_the_sentence = play.PlayPage.test_an_address_has_the_sentence
    test_nothing_is_cut_or_covered = play.PlayPage.test_nothing_is_cut_or_covered
    test_a_sentence_too_long_for_its_attention_is_translated_all_the_same = (
        play.PlayPage.test_a_sentence_too_long_for_its_attention_is_translated_all_the_same)

    def test_an_error_is_said_and_the_next_question_is_answered(self):
        self.open()
        words = self.words()
        self.browser.run("panels[0].force('a '.repeat(2000))")
        self.settle()
        self.assertIn("prefix", self.note())
        self.assertEqual(self.words(), words)
        self.enter(play.SENTENCE)
        self.assertEqual(self.note(), "")


if __name__ == "__main__":
    unittest.main()
