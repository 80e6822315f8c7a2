"""Exported Transformers in CTranslate2 itself: the same log-probabilities, the same translations."""

import subprocess
import unittest

import kinds
from twins import HEED, SOURCES, TARGETS, TOLERANCE, TwinTest, heed, pieces

try:
    import ctranslate2
except ImportError:
    ctranslate2 = None
    print("NO-CTRANSLATE2: pip install ctranslate2 to hold exported models to it")


def read_as_text(found):
    """Pieces as heed spells them: what the vocabulary does not know is a double question mark."""
    spelled = "".join("\u2047" if piece == "<unk>" else piece for piece in found)
    return spelled.replace("\u2581", " ").split()


def limit(source):
    """The most steps of heed's search, with decoding.max_length_ratio 3."""
    return 3 * len(source.split()) + 10


class Export(TwinTest):
    @unittest.skipIf(ctranslate2 is None, "no CTranslate2")
    def test_ctranslate2_computes_what_heed_computes(self):
        for kind in kinds.transformers():
            if kind["positions"] not in ("sinusoidal", "tensor2tensor", "learned", "rotary") or "decoder" in kind:
                continue
            plain = {"self_attention": "softmax", "sliding_window": 0, "global_tokens": 0}
            plain |= {"attention_stride": 0, "attention_normaliser": "softmax"}
            kind = {**kind, **plain}
            with self.subTest(kinds.name(kind)):
                self.assert_same(self.train(kind, "export-" + kinds.name(kind)))

    def assert_same(self, folder):
        out = folder / "ctranslate2"
        heed("export", folder, "--format", "ctranslate2", "-o", out)
        engine = ctranslate2.Translator(str(out), device="cpu", compute_type="float32")
        sources = [pieces(source)[:-1] for source in SOURCES]
        targets = [pieces(target)[:-1] for target in TARGETS]
        scored = engine.score_batch(sources, targets)
        for ours, theirs, (twin, _) in zip(self.scores(folder), scored, self.read(folder)):
            self.assertEqual(len(theirs.log_probs), len(twin))
            self.assertLess(abs(ours - sum(theirs.log_probs)) / len(twin), TOLERANCE)
            for one, other in zip(twin, theirs.log_probs):
                self.assertLess(abs(one - other), TOLERANCE)
        translated = heed("translate", folder, self.folder / "sources", "--beam", 1)
        for source, text in zip(SOURCES, translated.splitlines()):
            found = engine.translate_batch(
                [pieces(source)[:-1]],
                beam_size=1,
                min_decoding_length=0,
                max_decoding_length=limit(source),
                suppress_sequences=[["<pad>"], ["<s>"]],
            )
            self.assertEqual(read_as_text(found[0].hypotheses[0]), text.split())

    def test_what_ctranslate2_lacks_is_refused(self):
        window = {**kinds.transformers()[0], "sliding_window": 2}
        for kind, reason in ((window, "sliding window"), (kinds.recurrent()[0], "recurrent")):
            folder = self.train(kind, "refused-" + kind["type"])
            command = [HEED, "export", str(folder), "-o", str(folder / "out")]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 2)
            self.assertIn(reason, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertFalse((folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
