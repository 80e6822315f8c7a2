"""Recurrent models, whatever their attention, cell, layers, window, feeding, read-out and ties."""

import unittest

import attentions
import kinds
from twins import TwinTest


class Recurrent(TwinTest):
    def test_heed_computes_what_the_twins_compute(self):
        for kind in kinds.recurrent():
            with self.subTest(kinds.name(kind)):
                if kind["attention"] not in {"none", *attentions.SCORES}:
                    self.skipTest("no score of that name in tests/twins/attentions.py")
                self.assert_twins(kind)

    def test_the_twins_are_those_of_the_registry(self):
        self.assertLessEqual({"none", *attentions.SCORES}, set(kinds.registered()))

    def test_every_attention_meets_every_option(self):
        for attention, timing in kinds.registered().items():
            own = [kind for kind in kinds.recurrent() if kind["attention"] == attention]
            met = {(key, value) for kind in own for key, value in kind.items()}
            wanted = {("cell", "gru"), ("cell", "lstm"), ("layers", 1), ("layers", 2)}
            wanted |= {("tie", tie) for tie in kinds.TIES}
            if timing != "kNever":
                wanted |= {("attention_normaliser", name) for name in kinds.NORMALISERS}
                wanted |= {("attention_heads", 1), ("attention_heads", 2)}
                if attention != "luong_location":
                    wanted |= {("coverage", form) for form in kinds.COVERAGES}
            if timing == "kAfter":
                wanted |= {("input_feeding", True), ("input_feeding", False)}
                if attention != "luong_location":
                    wanted |= {("window", "local_m"), ("window", "local_p")}
            if timing == "kBefore":
                wanted |= {("readout", "linear"), ("readout", "maxout")}
            self.assertLessEqual(wanted, met, attention)

    def test_another_model_is_noticed(self):
        kind = next(kind for kind in kinds.recurrent() if kind["window"] == "local_m")
        self.assert_noticed(kind, {"window_size": 1}, {"window_size": 100})


if __name__ == "__main__":
    unittest.main()
