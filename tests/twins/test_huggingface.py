"""Exported Transformers in Hugging Face's transformers: the same ids, log-probabilities, attention and
translations."""

import json
import os
import subprocess
import unittest
import warnings

import files
from twins import HEED, SOURCES, TARGETS, TOLERANCE, TwinTest, heed, pieces

os.environ["HF_HUB_OFFLINE"] = "1"
try:
    import torch
    import yaml
    from transformers import MarianMTModel, MarianTokenizer
    from transformers.utils import logging
except ImportError:
    MarianMTModel = None
    print("NO-TRANSFORMERS: pip install transformers sentencepiece to hold exported models to them")

KIND = {
    "type": "transformer",
    "width": 12,
    "heads": 3,
    "feed_forward": 10,
    "encoder_layers": 2,
    "decoder_layers": 1,
    "norm": "post",
    "tie": "all",
}
KINDS = [
    {**KIND, "activation": "silu"},
    {**KIND, "width": 15, "activation": "gelu", "tie": "decoder", "attention_scale": "none"},
    {**KIND, "activation": "relu", "tie": "none", "encoder_layers": 1, "decoder_layers": 2},
]
# Texts of users who never saw the model's corpus: letters without a piece, names of special pieces.
ODD = ["a b", "x", "a X b", "\u6f22\u5b57 c", "</s> a", "<s>", "a  b", "ab ba", "<pad>a<unk> b"]
# Long enough to end translations by itself.
LEARNT = {"updates": 400, "validate_every": 400, "save_every": 400, "learning_rate": 0.01}


def opened(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it could normalise punctuation with another package
        tokenizer = MarianTokenizer.from_pretrained(folder)
    # Only this implementation tells its weights.
    model = MarianMTModel.from_pretrained(folder, attn_implementation="eager").eval()
    return tokenizer, model


def rows(maps):
    """The maps of the one sentence, by layer and head."""
    for layer, heads in enumerate(maps):
        for head, weights in enumerate(heads[0]):
            yield layer, head, weights.numpy()


@unittest.skipIf(MarianMTModel is None, "no transformers")
class HuggingFace(TwinTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        logging.disable_progress_bar()
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)

    def export(self, folder, *options):
        out = folder / "marian"
        heed("export", folder, "--format", "huggingface", "-o", out, *options)
        return out

    def test_it_computes_what_heed_computes(self):
        for number, kind in enumerate(KINDS):
            with self.subTest(kind):
                folder = self.train(kind, f"kind{number}")
                self.assert_same(folder, *opened(self.export(folder)))

    def assert_same(self, folder, tokenizer, model):
        tables = self.attention(folder, ["cross", "encoder", "decoder"])
        everything = zip(SOURCES, TARGETS, self.scores(folder), self.read(folder))
        for number, (source, target, score, (twin, _)) in enumerate(everything, 1):
            given = tokenizer(source, return_tensors="pt")
            gold = tokenizer(text_target=target, return_tensors="pt")["input_ids"]
            begun = torch.cat([torch.tensor([[2]]), gold[:, :-1]], 1)
            found = model(**given, decoder_input_ids=begun, output_attentions=True)
            log_probabilities = found.logits[0].log_softmax(-1)[range(len(twin)), gold[0]]
            self.assertLess(abs(log_probabilities.numpy() - twin).max(), TOLERANCE)
            self.assertLess(abs(log_probabilities.sum() - score), TOLERANCE * len(twin))
            for kind, maps in (
                ("cross", found.cross_attentions),
                ("encoder", found.encoder_attentions),
                ("decoder", found.decoder_attentions),
            ):
                for layer, head, weights in rows(maps):
                    difference = tables[kind][0].pop((number, layer, head)) - weights
                    self.assertLess(abs(difference).max(), TOLERANCE, (kind, layer, head))
        for kind, (left, _) in tables.items():
            self.assertFalse(left, kind)

    def test_it_translates_as_heed_translates(self):
        folder = self.train({**KIND, "width": 24, "feed_forward": 48}, "learnt", **LEARNT)
        self.write("long", SOURCES + ["d e f g h i j", "b a b", "g", "h i"])
        lines = (self.folder / "long").read_text(encoding="utf-8").splitlines()
        for decoding in (
            {"beam_size": 1},
            {"beam_size": 1, "min_length": 9, "no_repeat_ngram": 2, "max_length_ratio": 9},
            {"beam_size": 4, "length_penalty": "none"},
            {"beam_size": 4, "length_penalty": "average", "forbid": "[<unk>, \u2581k]"},
            {"beam_size": 3, "length_penalty": "power", "alpha": 0.6},
        ):
            with self.subTest(decoding):
                options = [f"decoding.{key}={value}" for key, value in decoding.items()]
                options = [word for option in options for word in ("--set", option)]
                ours = heed("translate", folder, self.folder / "long", "--json", *options)
                tokenizer, model = opened(self.export(folder, *options))
                given = tokenizer(lines, return_tensors="pt", padding=True)
                found = model.generate(**given, output_scores=True, return_dict_in_generate=True)
                texts = tokenizer.batch_decode(found.sequences, skip_special_tokens=True)
                for row, (line, text) in enumerate(zip(map(json.loads, ours.splitlines()), texts)):
                    self.assertFalse(line["cut"], "a model that ends nothing shows little")
                    self.assertEqual(text, line["translation"])
                    if decoding["beam_size"] > 1:
                        score = found.sequences_scores[row].item()
                        self.assertLess(abs(score - line["score"]), 10 * TOLERANCE)

    def test_it_cuts_lines_as_heed_cuts_them(self):
        for kind in KINDS[0], KINDS[2]:
            folder = self.train(kind, "cuts-" + kind["tie"])
            self.assert_cuts(folder, ODD)
        symbols = self.folder / "symbols.spm"
        texts = [self.folder / "train.src", self.folder / "train.tgt"]
        more = ["--algorithm", "bpe", "--symbols", "<2b>,>>c<<", "--size", 47]
        heed("vocab", *texts, *more, "-o", symbols)
        symbols.replace(self.folder / "joint.spm")
        self.assert_cuts(self.train(KIND, "cuts-symbols"), ["<2b> a b", "a b", ">>c<< a", "<2b>"])

    def assert_cuts(self, folder, lines):
        self.write("odd", lines)
        self.write("any", ["k"] * len(lines))
        pair = ["--input", self.folder / "odd", "--target-file", self.folder / "any"]
        heed("attention", folder, *pair, "--head", "all", "--pictures", "none", "-o", folder / "odd")
        table = (folder / "odd" / "attention.csv").read_text(encoding="utf-8")
        labels = files.attention_table(table)[1]
        tokenizer, _ = opened(self.export(folder))
        known = files.pieces(folder / "marian" / "source.spm")
        for number, line in enumerate(lines, 1):
            expected = [known.get(piece, known["<unk>"]) for piece in labels[number][1]]
            self.assertEqual(tokenizer(line)["input_ids"], expected, line)
        target = tokenizer(text_target="k l")["input_ids"]
        self.assertEqual(tokenizer.decode(target, skip_special_tokens=True), "k l")

    def test_its_card_says_what_it_is(self):
        folder = self.train(KIND, "carded")
        heed("export", folder, "--format", "ctranslate2", "-o", folder / "marian")
        out = self.export(folder, "--source-language", "de", "--target-language", "en")
        self.assertFalse((out / "model.bin").exists(), "of the other format")
        _, front, text = (out / "README.md").read_text(encoding="utf-8").split("---\n", 2)
        described = yaml.safe_load(front)
        self.assertEqual(described["language"], ["de", "en"])
        self.assertEqual(described["pipeline_tag"], "translation")
        for words in ("German to English", "Licence: not chosen yet", "heed train", "SHA-256"):
            self.assertIn(words, text)

    def test_what_it_lacks_is_refused(self):
        folder = self.train({**KIND, "norm": "pre"}, "refused")
        command = [HEED, "export", str(folder), "--format", "huggingface", "-o", str(folder / "out")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("(model.norm is pre)", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertFalse((folder / "out").exists())
        explained = heed("config", "--explain", "model", "--set", "model.norm=post")
        self.assertIn("huggingface  yes\n", explained)


if __name__ == "__main__":
    unittest.main()
