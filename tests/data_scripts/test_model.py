"""model.py: the files of a model, whichever of them it has."""

import unittest

from scripts import ScriptTest, run


class Model(ScriptTest):
    def hub(self, *files):
        for file in files:
            self.write(f"hub/owner/name/main/{file}", file)
        home = (self.folder / "hub").as_uri() + "/{repository}/{revision}/{file}"
        return ["owner/name", "--home", home, "--output", self.folder / "out"]

    def test_what_there_is_is_fetched(self):
        there = ["config.json", "pytorch_model.bin", "source.spm", "target.spm", "vocab.json"]
        done = self.run_well("model.py", *self.hub(*there))
        self.assertEqual(done.stdout, f"heed import {self.folder / 'out'} -o runs/name\n")
        for file in there:
            self.assertTrue((self.folder / "out" / file).is_file(), file)
        self.assertIn("no README.md", done.stderr)
        self.run_well("model.py", *self.hub(*there))  # the second time nothing is fetched

    def test_a_model_without_weights_is_refused(self):
        done = run("model.py", *self.hub("config.json", "source.spm"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("no weights", done.stderr.splitlines()[-1])

    def test_another_model_under_the_same_name_is_noticed(self):
        there = ["config.json", "pytorch_model.bin", "sentencepiece.bpe.model"]
        self.run_well("model.py", *self.hub(*there))
        self.write("out/config.json", "another")
        done = run("model.py", *self.hub(*there))
        self.assert_one_line_error(done, 1, "config.json", "sha256")

    def test_a_name_without_an_owner_is_refused(self):
        self.assert_one_line_error(run("model.py", "opus-mt-de-en"), 2, "OWNER/NAME")


if __name__ == "__main__":
    unittest.main()
