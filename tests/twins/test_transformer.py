"""Transformers, whatever their norms, positions, heads, windows, scale, activation and ties."""

import random
import unittest

import kinds
from twins import TOLERANCE, WORDS, TwinTest


class Transformer(TwinTest):
    def test_heed_computes_what_the_twins_compute(self):
        for kind in kinds.transformers():
            with self.subTest(kinds.name(kind)):
                self.assert_twins(kind)

    def test_windows_that_are_worked_on_in_blocks(self):
        """heed takes another way where a sentence is much longer than the window."""
        chance = random.Random(2)
        lengths = (150, 3, 90)
        texts = [
            [" ".join(chance.choices(words, k=length)) for length in lengths]
            for words in WORDS.values()
        ]
        self.write("long.src", texts[0])
        self.write("long.tgt", texts[1])
        for kind in kinds.transformers():
            windowed = kind["sliding_window"] > 0 or kind["self_attention"] != "softmax"
            if not windowed or kind["positions"] == "learned":
                continue
            with self.subTest(kinds.name(kind)):
                folder = self.train(kind, "long-" + kinds.name(kind))
                scores = self.scores(folder, "long.src", "long.tgt")
                for score, (read, _) in zip(scores, self.read(folder, *texts)):
                    self.assertLess(abs(score - read.sum()) / len(read), TOLERANCE)

    def test_every_value_is_met(self):
        met = {(key, value) for kind in kinds.transformers() for key, value in kind.items()}
        for key, values in {
            "positions": kinds.POSITIONS,
            "norm": ("pre", "post"),
            "norm_epsilon": (1e-05, 3e-04),
            "embedding_norm": (False, True),
            "sliding_window": (0, 1, 3),
            "self_attention": ("softmax", "linear", "sparse"),
            "decoder": ("ssru", "average"),
            "attention_scale": ("sqrt", "none"),
            "attention_normaliser": kinds.NORMALISERS,
            "activation": ("relu", "gelu", "silu"),
            "tie": kinds.TIES,
        }.items():
            for value in values:
                self.assertIn((key, value), met)

    def test_another_epsilon_and_a_norm_of_embeddings_are_noticed(self):
        kind = {**kinds.transformers()[1], "encoder_layers": 1, "decoder_layers": 1}
        self.assertTrue(kind["embedding_norm"])
        self.assert_noticed(kind, {"norm_epsilon": 0.02}, {"embedding_norm": False})

    def test_another_model_is_noticed(self):
        kind = {**kinds.transformers()[0], "encoder_layers": 1, "decoder_layers": 1}
        self.assert_noticed(
            kind,
            {"attention_scale": "none"},
            {"activation": "gelu"},
            {"positions": "rotary"},
            {"positions": "alibi"},
            {"positions": "none"},
            {"sliding_window": 1},
            {"self_attention": "linear"},
            {"norm": "post"},
            {"attention_normaliser": "entmax15"},
        )


if __name__ == "__main__":
    unittest.main()
