"""Transformers, whatever their norms, positions, heads, windows, scale, activation and ties."""

import unittest

import kinds
from twins import TwinTest


class Transformer(TwinTest):
    def test_heed_computes_what_the_twins_compute(self):
        for kind in kinds.transformers():
            with self.subTest(kinds.name(kind)):
                self.assert_twins(kind)

    def test_every_value_is_met(self):
        met = {(key, value) for kind in kinds.transformers() for key, value in kind.items()}
        for key, values in {
            "sliding_window": (0, 1, 3),
            "attention_scale": ("sqrt", "none"),
            "activation": ("relu", "gelu", "silu"),
            "tie": kinds.TIES,
        }.items():
            for value in values:
                self.assertIn((key, value), met)

    def test_another_model_is_noticed(self):
        kind = {**kinds.transformers()[0], "encoder_layers": 1, "decoder_layers": 1}
        self.assert_noticed(
            kind,
            {"attention_scale": "none"},
            {"activation": "gelu"},
            {"positions": "rotary"},
            {"sliding_window": 1},
            {"norm": "post"},
        )


if __name__ == "__main__":
    unittest.main()
