"""Models of other programs: `heed import` computes what CTranslate2 computes with them."""

import json
import subprocess
import unittest

import files
import kinds
import numpy
from twins import HEED, SOURCES, TARGETS, TwinTest, heed, pieces

try:
    import ctranslate2
    from ctranslate2.converters import MarianConverter
    from ctranslate2.specs import TransformerSpec
except ImportError:
    ctranslate2 = None
    print("NO-CTRANSLATE2: pip install ctranslate2 to hold imported models to it")

TOLERANCE = 1e-4  # of a token's log-probability
WIDTH, INNER, HEADS, POSITIONS = 12, 20, 3, 64


def tensor2tensor(count, width):
    """Marian's positions: sines, then cosines, of 10000^(-i / (width / 2 - 1))."""
    half = width // 2
    angles = numpy.outer(
        numpy.arange(count), 10000.0 ** (-numpy.arange(half) / max(half - 1, 1))
    )
    return numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype(numpy.float32)


def require_fp32(run):
    """An imported run computes in fp32, also where a processor has bf16."""
    assert "precision: fp32" in (run / "config.yaml").read_text(encoding="utf-8")


class MarianFile:
    """The file that marian writes for `--type transformer`, by the names of its documentation."""

    def __init__(
        self, pieces_of, tie, pre=False, activation="swish", layers=(2, 1), seed=1, embedding_norm=False
    ):
        self.random = numpy.random.default_rng(seed)
        self.arrays = {}
        self.pre = pre
        count = [len(names) for names in pieces_of]
        if tie == "all":
            self.matrix("Wemb", count[0], WIDTH)
        else:
            self.matrix("encoder_Wemb", count[0], WIDTH)
            self.matrix("decoder_Wemb", count[1], WIDTH)
            if tie == "none":
                self.matrix("decoder_ff_logit_out_W", WIDTH, count[1])
        self.matrix("decoder_ff_logit_out_b", 1, count[1])
        for side, number in zip(("encoder", "decoder"), layers):
            for layer in range(1, number + 1):
                scope = f"{side}_l{layer}"
                self.attention(f"{scope}_self")
                if side == "decoder":
                    self.attention(f"{scope}_context")
                self.matrix(f"{scope}_ffn_W1", WIDTH, INNER)
                self.matrix(f"{scope}_ffn_b1", 1, INNER)
                self.matrix(f"{scope}_ffn_W2", INNER, WIDTH)
                self.matrix(f"{scope}_ffn_b2", 1, WIDTH)
                self.norm(f"{scope}_ffn_ffn")
            if pre:
                self.norm(f"{side}_top", "")
            if embedding_norm:
                self.norm(f"{side}_emb", "_pre")
        self.options = {
            "type": "transformer",
            "dim-emb": WIDTH,
            "transformer-dim-ffn": INNER,
            "transformer-heads": HEADS,
            "enc-depth": layers[0],
            "dec-depth": layers[1],
            "transformer-ffn-activation": activation,
            "transformer-preprocess": "n" if pre else '""',
            "transformer-postprocess": "da" if pre else "dan",
            "transformer-postprocess-top": "n" if pre else '""',
            "transformer-postprocess-emb": "nd" if embedding_norm else "d",
            "transformer-decoder-autoreg": "self-attention",
            "transformer-no-projection": "false",
            "transformer-guided-alignment-layer": "last",
            "tied-embeddings-all": str(tie == "all").lower(),
            "tied-embeddings": str(tie == "decoder").lower(),
        }

    def matrix(self, name, rows, columns):
        scale = 1 if "_b" in name else 2 / numpy.sqrt(columns)
        numbers = self.random.normal(0, scale, (rows, columns))
        self.arrays[name] = numbers.astype(numpy.float32)

    def norm(self, name, suffix=None):
        suffix = ("_pre" if self.pre else "") if suffix is None else suffix
        for part, mean in (("scale", 1), ("bias", 0)):
            numbers = self.random.normal(mean, 0.3, (1, WIDTH)).astype(numpy.float32)
            self.arrays[f"{name}_ln_{part}{suffix}"] = numbers

    def attention(self, scope):
        for part in "qkvo":
            self.matrix(f"{scope}_W{part}", WIDTH, WIDTH)
            self.matrix(f"{scope}_b{part}", 1, WIDTH)
        self.norm(f"{scope}_Wo")

    def write(self, folder, pieces_of, segments, **options):
        folder.mkdir()
        text = "".join(f"{key}: {value}\n" for key, value in {**self.options, **options}.items())
        arrays = {
            **self.arrays,
            "special:model.yml": numpy.frombuffer(text.encode() + b"\0", numpy.int8),
        }
        numpy.savez(folder / "model.npz", **arrays)
        for side, names, spm in zip(("src", "trg"), pieces_of, segments):
            lines = [f'"{name}": {number}\n' for number, name in enumerate(names)]
            (folder / f"{side}.vocab.yml").write_text("".join(lines), encoding="utf-8")
            name = "source.spm" if side == "src" else "target.spm"
            (folder / name).write_bytes(spm.read_bytes())
        return folder


class Import(TwinTest):
    def vocabularies(self, shared):
        """Marian's ids, which are not those of the SentencePiece files."""
        files_of = [self.folder / f"{side}.spm" for side in ("src", "tgt")]
        own = [list(files.pieces(path)) for path in files_of]
        special = {"<pad>", "<unk>", "<s>", "</s>"}
        plain = [[name for name in names if name not in special] for names in own]
        if shared:
            plain = [list(dict.fromkeys(plain[0][::-1] + plain[1]))] * 2
        return [["</s>", "<unk>", *names] for names in plain], files_of

    def marian(self, name, tie, **how):
        pieces_of, segments = self.vocabularies(tie == "all")
        made = MarianFile(pieces_of, tie, **how)
        return made, made.write(self.folder / name, pieces_of, segments), pieces_of, segments

    def import_to(self, folder, *arguments):
        run = folder.with_name(folder.name + "-run")
        heed("import", folder, "-o", run, *arguments)
        require_fp32(run)
        return run

    @unittest.skipIf(ctranslate2 is None, "no CTranslate2")
    def test_marian(self):
        cases = [
            ("all", {}),
            ("decoder", {"pre": True, "activation": "relu"}),
            ("none", {"activation": "relu"}),
            ("all", {"embedding_norm": True}),
            ("none", {"embedding_norm": True, "pre": True}),
        ]
        for number, (tie, how) in enumerate(cases):
            with self.subTest(tie=tie, **how):
                name = f"marian-{number}"
                made, folder, pieces_of, segments = self.marian(name, tie, **how)
                made.arrays["Wpos"] = tensor2tensor(POSITIONS, WIDTH)
                positions = made.write(self.folder / f"{name}-table", pieces_of, segments)
                peer = self.converted(positions, "float32")
                for marian in (folder, positions):
                    self.assert_same(self.import_to(marian), peer)

    @unittest.skipIf(ctranslate2 is None, "no CTranslate2")
    def test_sources_without_end(self):
        """OpenNMT-py and Argos Translate have such sources, by the file that its converter writes."""
        made, _, pieces_of, segments = self.marian("argos", "all")
        made.arrays["Wpos"] = tensor2tensor(POSITIONS, WIDTH)
        marian = made.write(self.folder / "argos-table", pieces_of, segments)
        named = ["--source-sentencepiece", segments[0], "--target-sentencepiece", segments[1]]
        peer = self.converted(marian, "float32")
        with_end = self.scores(self.import_to(peer, *named))
        path = peer / "config.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        self.assertTrue(settings["add_source_eos"])
        path.write_text(json.dumps({**settings, "add_source_eos": False}), encoding="utf-8")
        peer = peer.rename(peer.with_name("without-end"))
        run = self.import_to(peer, *named)
        self.assertIn("source_end: false", (run / "config.yaml").read_text(encoding="utf-8"))
        self.assert_same(run, peer)
        self.assertGreater(numpy.abs(numpy.subtract(with_end, self.scores(run))).max(), 0.01)
        self.assert_comes_back(run, "ctranslate2")

    def converted(self, marian, numbers):
        out = marian.with_name(f"{marian.name}-{numbers}")
        vocabularies = [str(marian / f"{side}.vocab.yml") for side in ("src", "trg")]
        converter = MarianConverter(str(marian / "model.npz"), vocabularies)
        converter.convert(str(out), quantization=numbers, force=True)
        # The converter leaves Marian's own number out, and CTranslate2 would add 1e-5.
        path = out / "config.json"
        settings = json.loads(path.read_text(encoding="utf-8"))
        self.assertIsNone(settings["layer_norm_epsilon"])
        path.write_text(json.dumps({**settings, "layer_norm_epsilon": 1e-6}), encoding="utf-8")
        return out

    def assert_same(self, run, peer, beams=(1, 4)):
        engine = ctranslate2.Translator(str(peer), device="cpu", compute_type="float32")
        sources = [pieces(source)[:-1] for source in SOURCES]
        targets = [pieces(target)[:-1] for target in TARGETS]
        scored = engine.score_batch(sources, targets)
        scores = self.scores(run)
        for ours, theirs in zip(scores, scored):
            wanted = sum(theirs.log_probs)
            self.assertLess(abs(ours - wanted) / len(theirs.log_probs), TOLERANCE)
        self.assertGreater(numpy.ptp(scores), 1, "scores all alike prove little")
        for beam in beams:
            options = [f"--set=decoding.beam_size={beam}", "--set=decoding.length_penalty=none"]
            translated = heed("translate", run, self.folder / "sources", *options)
            for source, text in zip(SOURCES, translated.splitlines()):
                found = engine.translate_batch(
                    [pieces(source)[:-1]],
                    beam_size=beam,
                    length_penalty=0,
                    max_decoding_length=3 * len(source.split()) + 10,
                    min_decoding_length=0,
                )
                words = "".join(found[0].hypotheses[0]).replace("<unk>", "\u2047")
                self.assertEqual(words.replace("\u2581", " ").split(), text.split())

    @unittest.skipIf(ctranslate2 is None, "no CTranslate2")
    def test_ctranslate2_with_any_numbers(self):
        for tie in ("all", "none"):
            made, _, pieces_of, segments = self.marian(f"any-{tie}", tie)
            made.arrays["Wpos"] = tensor2tensor(POSITIONS, WIDTH)
            marian = made.write(self.folder / f"any-{tie}-table", pieces_of, segments)
            # Its converter needs PyTorch for bfloat16, which tests/exchange/ reads.
            for numbers in ("float32", "float16", "int16", "int8"):
                with self.subTest(tie=tie, numbers=numbers):
                    peer = self.converted(marian, numbers)
                    named = ["--source-sentencepiece", segments[0]]
                    named += ["--target-sentencepiece", segments[1]]
                    # Asked for fp32, CTranslate2 multiplies with what the numbers stand for, too.
                    self.assert_same(self.import_to(peer, *named), peer)

    def specified(self, name, scale, table, epsilon=None, embedding_norm=False):
        """A model by CTranslate2's own specification, as its converters for OpenNMT and fairseq
        fill it in: with a table of positions or without, as OpenNMT-tf's have none."""
        chance = numpy.random.default_rng(4)

        def numbers(*shape):
            return chance.normal(0, 0.4, shape).astype(numpy.float32)

        def linear(spec, rows, columns):
            spec.weight, spec.bias = numbers(rows, columns), numbers(rows)

        def norm(spec):
            spec.gamma, spec.beta = 1 + numbers(WIDTH), numbers(WIDTH)

        names = ["<blank>", *list(files.pieces(self.folder / "joint.spm"))[1:]]
        spec = TransformerSpec.from_config(
            (2, 1), HEADS, pre_norm=True, layernorm_embedding=embedding_norm
        )
        spec.config.layer_norm_epsilon = epsilon
        vectors = numbers(len(names), WIDTH)
        for side in (spec.encoder, spec.decoder):
            of_encoder = side is spec.encoder
            (side.embeddings[0] if of_encoder else side.embeddings).weight = vectors
            side.scale_embeddings = scale
            if table:
                side.position_encodings.encodings = numbers(POSITIONS, WIDTH)
            for layer in side.layer:
                rows = [[3, 1]] if of_encoder else [[3, 1], [1, 2, 1]]
                attentions = [layer.self_attention] + ([] if of_encoder else [layer.attention])
                for attention, counts in zip(attentions, rows):
                    for part, count in zip(attention.linear, counts):
                        linear(part, count * WIDTH, WIDTH)
                    norm(attention.layer_norm)
                linear(layer.ffn.linear_0, INNER, WIDTH)
                linear(layer.ffn.linear_1, WIDTH, INNER)
                norm(layer.ffn.layer_norm)
            norm(side.layer_norm)
            if embedding_norm:
                norm(side.layernorm_embedding)
        linear(spec.decoder.projection, len(names), WIDTH)
        spec.decoder.projection.weight = vectors
        spec.register_source_vocabulary(names)
        spec.register_target_vocabulary(names)
        spec.config.add_source_eos = True
        spec.validate()
        spec.optimize()
        out = self.folder / name
        out.mkdir()
        spec.save(str(out))
        return out

    @unittest.skipIf(ctranslate2 is None, "no CTranslate2")
    def test_ctranslate2_with_any_factor_and_positions(self):
        """A switch multiplies word vectors by the root of their width; a real number is the
        factor. Without a table positions are OpenNMT-tf's."""
        seen = {}
        for scale in (True, False, 1.0, 3.0, float(numpy.sqrt(WIDTH))):
            for table in (True, False):
                with self.subTest(scale=scale, table=table):
                    peer = self.specified(f"scaled-{scale}-{table}", scale, table)
                    run = self.import_to(peer, "--source-sentencepiece", self.folder / "joint.spm")
                    # Many translations of these random numbers never end. Beams of several
                    # hypotheses are pruned differently then, which is a matter of the search.
                    self.assert_same(run, peer, beams=(1,))
                    seen[str(scale), table] = self.scores(run)
        self.assertEqual(seen["False", True], seen["1.0", True])
        for table in (True, False):
            difference = numpy.subtract(seen["1.0", table], seen["True", table])
            self.assertGreater(abs(difference).max(), 0.1)

    @unittest.skipIf(ctranslate2 is None, "no CTranslate2")
    def test_ctranslate2_with_any_epsilon_and_norms_of_embeddings(self):
        """Without a number of its own CTranslate2 adds 1e-5 to a variance."""
        seen = {}
        for epsilon in (None, 1e-5, 1e-6, 1e-3):
            for embedding_norm in (False, True):
                with self.subTest(epsilon=epsilon, embedding_norm=embedding_norm):
                    name = f"normed-{epsilon}-{embedding_norm}"
                    peer = self.specified(name, True, True, epsilon, embedding_norm)
                    run = self.import_to(peer, "--source-sentencepiece", self.folder / "joint.spm")
                    self.assert_same(run, peer, beams=(1,))
                    self.assert_comes_back(run, "ctranslate2")
                    seen[epsilon, embedding_norm] = self.scores(run)
        for embedding_norm in (False, True):
            self.assertEqual(seen[None, embedding_norm], seen[1e-5, embedding_norm])
            self.assertNotEqual(seen[1e-6, embedding_norm], seen[1e-5, embedding_norm])
        self.assertGreater(abs(numpy.subtract(seen[None, True], seen[None, False])).max(), 0.1)

    def test_exports_come_back_bit_by_bit(self):
        for number, kind in enumerate(kinds.transformers()):
            known = kind["positions"] in ("sinusoidal", "learned", "rotary")
            if not known or "decoder" in kind:
                continue
            plain = {"self_attention": "softmax", "sliding_window": 0, "global_tokens": 0}
            plain |= {"attention_stride": 0, "attention_normaliser": "softmax"}
            kind = {**kind, **plain, "attention_scale": "sqrt"}
            name = f"back-{number}"
            with self.subTest(kinds.name(kind)):
                self.assert_comes_back(self.train(kind, name), "ctranslate2")

    def assert_comes_back(self, run, form):
        out = run.with_name(f"{run.name}-{form}")
        heed("export", run, "--format", form, "-o", out)
        back = self.import_to(out)
        before, after = (files.weights(folder / "model.safetensors") for folder in (run, back))
        self.assertEqual(set(before), set(after))
        for tensor, numbers in before.items():
            numpy.testing.assert_array_equal(numbers, after[tensor], tensor)
        self.assertEqual(self.scores(run), self.scores(back))

    def test_marian_mt_comes_back_bit_by_bit(self):
        for tie, activation in (("all", "silu"), ("decoder", "relu"), ("none", "gelu")):
            with self.subTest(tie=tie, activation=activation):
                kind = {**kinds.transformers()[0], "tie": tie, "activation": activation}
                kind |= {"norm": "post", "positions": "sinusoidal", "kv_heads": 0}
                kind |= {"self_attention": "softmax", "sliding_window": 0, "global_tokens": 0}
                kind |= {"attention_stride": 0, "attention_normaliser": "softmax"}
                kind |= {"attention_scale": "sqrt"}
                run = self.train(kind, f"mt-{tie}")
                self.assert_comes_back(run, "huggingface")
        out = run.with_name("no-end")
        command = [HEED, "export", run, "--format", "huggingface", "-o", out]
        command += ["--set", "data.source_end=false"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("data.source_end is false", done.stderr)

    def test_what_heed_lacks_is_refused(self):
        cases = {
            "transformer-decoder-autoreg": "average-attention",
            "dec-cell": "gru",
            "type": "s2s",
            "transformer-ffn-activation": "gelu",
            "transformer-postprocess-emb": "na",
        }
        made, _, pieces_of, segments = self.marian("refused", "all")
        for option, value in cases.items():
            with self.subTest(option):
                name = f"refused-{option}"
                options = {"transformer-decoder-autoreg": "rnn"} if option == "dec-cell" else {}
                folder = made.write(self.folder / name, pieces_of, segments, **options, **{option: value})
                command = [HEED, "import", str(folder), "-o", str(folder / "out")]
                done = subprocess.run(command, capture_output=True, text=True, timeout=120)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(option, done.stderr)
                self.assertIn(value, done.stderr)
                self.assertFalse((folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
