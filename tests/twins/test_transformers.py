"""MarianMT, M2M-100, NLLB and mBART-50: `heed import` computes what Hugging Face's transformers compute."""

import itertools
import json
import unittest

import files
import numpy
from test_import import require_fp32
from twins import SOURCES, TARGETS, TwinTest, heed

try:
    import sentencepiece
    import torch
    import transformers
except (ImportError, OSError):
    transformers = None
    print("NO-TRANSFORMERS: ./run transformers installs what imported models are held to")

TOLERANCE = 1e-4  # of a token's log-probability
MAPS = 1e-5  # of an attention weight


SHAPE = {
    "d_model": 12,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "max_position_embeddings": 64,
    "init_std": 0.4,
    "scale_embedding": True,
}


def marian_config(**options):
    of_opus = {"activation_function": "swish", "eos_token_id": 0, "forced_eos_token_id": 0}
    return transformers.MarianConfig(**{**SHAPE, **of_opus, **options})


def m2m_config(**options):
    return transformers.M2M100Config(**{**SHAPE, "activation_function": "relu", **options})


def mbart_config(**options):
    of_mbart = {"activation_function": "gelu", "tokenizer_class": "MBart50Tokenizer"}
    # Its default makes </s> of the last piece where the limit of length is reached; heed cuts there.
    of_mbart["forced_eos_token_id"] = None
    return transformers.MBartConfig(**{**SHAPE, **of_mbart, **options})


def roughened(model):
    """Biases and norms that matter, and one step of training."""
    torch.manual_seed(3)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() == 1:
                weight.add_(0.3 * torch.randn_like(weight))
        if hasattr(model, "final_logits_bias"):
            model.final_logits_bias.normal_(0, 0.5)
    return model.eval()


@unittest.skipIf(transformers is None, "no transformers")
class Transformers(TwinTest):
    def segments(self, *sides):
        return [
            sentencepiece.SentencePieceProcessor(model_file=str(self.folder / f"{side}.spm"))
            for side in sides
        ]

    def plain(self, processor):
        return [
            processor.id_to_piece(i)
            for i in range(processor.get_piece_size())
            if not processor.is_control(i) and not processor.is_unknown(i)
        ]

    def marian(self, name, **options):
        """A folder as OPUS-MT has it; ids of </s> first, of <pad> last."""
        folder = self.folder / name
        folder.mkdir()
        shared = options.get("share_encoder_decoder_embeddings", True)
        source, target = self.segments("src", "tgt")
        sides = [self.plain(source), self.plain(target)]
        if shared:
            sides = [list(dict.fromkeys(sides[0][::-1] + sides[1]))] * 2
        tables = [["</s>", "<unk>", *names, "<pad>"] for names in sides]
        for file, table in zip(("vocab.json", "target_vocab.json"), tables):
            ids = {piece: number for number, piece in enumerate(table)}
            (folder / file).write_text(json.dumps(ids), encoding="utf-8")
        for side in ("src", "tgt"):
            spm = folder / ("source.spm" if side == "src" else "target.spm")
            spm.write_bytes((self.folder / f"{side}.spm").read_bytes())
        pads = [len(table) - 1 for table in tables]
        if not shared:
            tables[0] += ["<fill>"] * (len(tables[1]) - len(tables[0]))
        config = marian_config(
            vocab_size=len(tables[0]),
            decoder_vocab_size=len(tables[1]),
            pad_token_id=pads[1],
            decoder_start_token_id=pads[1],
            **options,
        )
        torch.manual_seed(2)
        model = roughened(transformers.MarianMTModel(config))
        with torch.no_grad():
            model.get_output_embeddings().weight[pads[1]] = 0
            model.get_decoder().embed_tokens.weight[pads[1]] = 0
        model.save_pretrained(folder)
        tables = [{piece: number for number, piece in enumerate(table)} for table in tables]
        return folder, model, tables, (source, target)

    def read(self, model, source, target, start):
        """Log-probabilities of the target's tokens, and maps by kind, of transformers."""
        begun = torch.tensor([[start, *target[:-1]]])
        with torch.no_grad():
            out = model(
                input_ids=torch.tensor([source]),
                decoder_input_ids=begun,
                output_attentions=True,
            )
        scores = out.logits.double().log_softmax(-1)[0]
        maps = {
            "cross": out.cross_attentions,
            "encoder": out.encoder_attentions,
            "decoder": out.decoder_attentions,
        }
        return [float(scores[i, id_]) for i, id_ in enumerate(target)], maps

    def assert_same(self, run, model, ids_of_source, ids_of_target, given=0):
        """`ids_of_...`: a line as transformers reads it, with </s> at its end. So many tokens of a
        target are given, and are not scored."""
        start = model.config.decoder_start_token_id
        read = [
            self.read(model, ids_of_source(source), ids_of_target(target), start)
            for source, target in zip(SOURCES, TARGETS)
        ]
        scores = self.scores(run)
        for ours, (theirs, _) in zip(scores, read):
            self.assertLess(abs(ours - sum(theirs[given:])) / len(theirs), TOLERANCE)
        self.assertGreater(numpy.ptp(scores), 1)
        tables = self.attention(run, ["cross", "decoder", "encoder"])
        for number, (_, maps) in enumerate(read):
            for kind, layers in maps.items():
                for layer, weights in enumerate(layers):
                    for head in range(weights.shape[1]):
                        ours = tables[kind][0][number + 1, layer, head]
                        difference = abs(ours - weights[0, head].numpy())
                        self.assertLess(difference.max(), MAPS, (kind, layer, head))

    def assert_same_translations(self, run, model, ids_of_source, text_of, **options):
        for beam in (1, 4):
            sets = [f"--set=decoding.beam_size={beam}", "--set=decoding.length_penalty=none"]
            sets += ["--set=decoding.max_length_ratio=1"]
            ours = heed("translate", run, self.folder / "sources", *sets).splitlines()
            for source, line in zip(SOURCES, ours):
                ids = ids_of_source(source)
                given = 2 if "forced_bos_token_id" in options else 1
                found = model.generate(
                    input_ids=torch.tensor([ids]),
                    num_beams=beam,
                    do_sample=False,
                    length_penalty=0.0,
                    early_stopping=False,
                    max_new_tokens=len(ids) - 1 - (given - 1) + 10 + given,
                    **options,
                )
                self.assertEqual(text_of(found[0].tolist()).split(), line.split())

    def test_marian(self):
        options = {
            "activation_function": ("swish", "relu", "gelu"),
            "scale_embedding": (True, False),
            "share_encoder_decoder_embeddings": (True, False),
        }
        for number, values in enumerate(itertools.product(*options.values())):
            chosen = dict(zip(options, values))
            with self.subTest(**chosen):
                folder, model, tables, segments = self.marian(f"marian-{number}", **chosen)
                run = folder.with_name(folder.name + "-run")
                heed("import", folder, "-o", run)
                require_fp32(run)

                def ids(side, line):
                    cut = segments[side].encode(line, out_type=str)
                    unknown = tables[side]["<unk>"]
                    return [tables[side].get(piece, unknown) for piece in cut] + [0]

                names = list(tables[1])

                def text_of(found):
                    cut = [names[i] for i in found if names[i] not in ("</s>", "<pad>")]
                    spelled = ["\u2047" if piece == "<unk>" else piece for piece in cut]
                    return "".join(spelled).replace("\u2581", " ")

                self.assert_same(run, model, lambda x: ids(0, x), lambda x: ids(1, x))
                pad = model.config.pad_token_id
                self.assert_same_translations(
                    run, model, lambda x: ids(0, x), text_of, bad_words_ids=[[pad]]
                )
                self.assert_same_after_a_step(run, model, lambda x: ids(0, x), lambda x: ids(1, x))

    def mbart(self, name):
        """A folder as Facebook's: no file says the ids of the languages."""
        folder = self.folder / name
        folder.mkdir()
        (processor,) = self.segments("joint")
        pieces = self.plain(processor)
        (folder / "sentencepiece.bpe.model").write_bytes(self.fairseq_model(pieces))
        names = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
        tokenizer = transformers.MBart50Tokenizer.from_pretrained(folder, src_lang="de_DE")
        ids = sorted((number, code) for code, number in tokenizer.lang_code_to_id.items())
        self.assertEqual([number for number, _ in ids], list(range(len(names), len(names) + 52)))
        names += [code for _, code in ids]
        self.assertEqual(tokenizer.convert_tokens_to_ids("<mask>"), len(names))
        names.append("<mask>")
        cut = [names.index(piece) for piece in processor.encode(SOURCES[0], out_type=str)]
        self.assertEqual(tokenizer(SOURCES[0])["input_ids"], [names.index("de_DE"), *cut, 2])
        config = mbart_config(vocab_size=len(names) + 3, decoder_start_token_id=2)
        torch.manual_seed(2)
        model = roughened(transformers.MBartForConditionalGeneration(config))
        model.save_pretrained(folder)
        return folder, model, names, processor, ["de_DE", "en_XX", "fr_XX"]

    def many(self, name, nllb):
        folder = self.folder / name
        folder.mkdir()
        (processor,) = self.segments("joint")
        pieces = self.plain(processor)
        names = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
        if nllb:
            languages = ["deu_Latn", "eng_Latn", "fra_Latn"]
            segments = self.fairseq_model(pieces)
            # The order of transformers 4.57.1 where it has no other file: <mask> comes first.
            ids = {piece: len(names) + i for i, piece in enumerate(["<mask>", *languages])}
            (folder / "added_tokens.json").write_text(json.dumps(ids), encoding="utf-8")
            listed = {"additional_special_tokens": languages, "mask_token": "<mask>"}
            (folder / "special_tokens_map.json").write_text(json.dumps(listed), encoding="utf-8")
            names += ["<mask>", *languages]
        else:
            segments = (self.folder / "joint.spm").read_bytes()
            ids = {piece: number for number, piece in enumerate(names)}
            (folder / "vocab.json").write_text(json.dumps(ids), encoding="utf-8")
        (folder / "sentencepiece.bpe.model").write_bytes(segments)
        if not nllb:
            # Its own files, which list no languages.
            tokenizer = transformers.M2M100Tokenizer(
                str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model")
            )
            tokenizer.save_pretrained(folder)
            ids = sorted((tokenizer.get_lang_id(code), code) for code in tokenizer.lang_code_to_id)
            self.assertEqual([number for number, _ in ids], list(range(len(names), len(names) + 100)))
            names += [f"__{code}__" for _, code in ids]
            languages = ["__de__", "__en__", "__fr__"]
        config = m2m_config(vocab_size=len(names) + 3, decoder_start_token_id=2)
        torch.manual_seed(2)
        model = roughened(transformers.M2M100ForConditionalGeneration(config))
        model.save_pretrained(folder)
        return folder, model, names, processor, languages

    def fairseq_model(self, pieces):
        """A file of NLLB's order: <unk>, <s>, </s> and the pieces."""
        from sentencepiece import sentencepiece_model_pb2 as proto

        model = proto.ModelProto.FromString((self.folder / "joint.spm").read_bytes())
        kept = [piece for piece in model.pieces if piece.type == 1]
        special = {piece.piece: piece for piece in model.pieces if piece.type != 1}
        del model.pieces[:]
        model.pieces.extend([special["<unk>"], special["<s>"], special["</s>"], *kept])
        model.trainer_spec.pad_id = -1
        model.trainer_spec.unk_id, model.trainer_spec.bos_id, model.trainer_spec.eos_id = 0, 1, 2
        return model.SerializeToString()

    def test_many_languages(self):
        for kind in ("m2m_100", "nllb", "mbart"):
            with self.subTest(kind):
                made = self.mbart(kind) if kind == "mbart" else self.many(kind, kind == "nllb")
                folder, model, names, processor, languages = made
                run = folder.with_name(folder.name + "-run")
                chosen = ["--source-language", languages[0].strip("_")]
                chosen += ["--target-language", languages[2].strip("_")]
                heed("import", folder, "-o", run, *chosen)
                require_fp32(run)
                place = {piece: number for number, piece in enumerate(names)}

                def ids(language, line):
                    cut = processor.encode(line, out_type=str)
                    return [place[language], *(place.get(piece, 3) for piece in cut), 2]

                def text_of(found):
                    # After the two tokens that both are given, a language is a piece as others are.
                    skipped = {"<s>", "</s>", "<pad>"}
                    known = [names[i] if i < len(names) else "" for i in found[2:]]
                    cut = ["\u2047" if one == "<unk>" else one for one in known]
                    return "".join(p for p in cut if p not in skipped).replace("\u2581", " ")

                self.assert_same(
                    run, model, lambda x: ids(languages[0], x), lambda x: ids(languages[2], x), 1
                )
                unwritten = [[i] for i in (0, 1, *range(len(names), len(names) + 3))]
                self.assert_same_translations(
                    run,
                    model,
                    lambda x: ids(languages[0], x),
                    text_of,
                    forced_bos_token_id=place[languages[2]],
                    bad_words_ids=unwritten,
                )
                self.assert_same_after_a_step(
                    run, model, lambda x: ids(languages[0], x), lambda x: ids(languages[2], x), 1
                )

    def assert_same_after_a_step(self, run, model, ids_of_source, ids_of_target, given=0):
        """Both are trained on the same pairs, word vectors and positions excepted: heed's decoder
        begins with a vector of its own, which is a piece's there."""
        tuned = run.with_name(f"{run.name}-tuned")
        pairs = {"source": self.folder / "sources", "target": self.folder / "targets"}
        tied = "tie: all" in (run / "config.yaml").read_text(encoding="utf-8")
        frozen = ["embedding"] if tied else ["source_embedding", "target_embedding"]
        frozen.append("output")
        if model.config.model_type != "marian":
            frozen += ["source_positions", "target_positions"]
        settings = {
            "output": tuned,
            "data.train": "[{source: %(source)s, target: %(target)s}]" % pairs,
            "model.dropout": 0,
            "model.attention_dropout": 0,
            "training.from": run,
            "training.freeze": f"[{', '.join(frozen)}]",
            "training.optimizer": "sgd",
            "training.schedule": "constant",
            "training.learning_rate": 0.5,
            "training.label_smoothing": 0,
            "training.clip_norm": 0,
            "training.updates": 1,
        }
        sets = [f"--set={key}={value}" for key, value in settings.items()]
        heed("train", run / "config.yaml", *sets)
        before = self.scores(run)
        tokens, loss = 0, 0
        for name, weight in model.named_parameters():
            weight.requires_grad = "shared" not in name and "embed_" not in name
        model.get_output_embeddings().weight.requires_grad = False
        for source, target in zip(SOURCES, TARGETS):
            gold = torch.tensor([ids_of_target(target)])
            begun = torch.tensor([[model.config.decoder_start_token_id, *gold[0, :-1].tolist()]])
            read = model(input_ids=torch.tensor([ids_of_source(source)]), decoder_input_ids=begun)
            scores = read.logits.log_softmax(-1)[0]
            loss = loss - scores[range(gold.shape[1]), gold[0]].sum()
            tokens += gold.shape[1]
        (loss / tokens).backward()
        with torch.no_grad():
            for weight in model.parameters():
                if weight.grad is not None:
                    weight -= 0.5 * weight.grad
        self.assertGreater(max(abs(a - b) for a, b in zip(before, self.scores(tuned))), 0.1)
        self.assert_same(tuned, model, ids_of_source, ids_of_target, given)

    def test_pieces_that_were_added(self):
        """save_pretrained() writes a model and a tokenizer with two pieces more."""
        folder, model, tables, _ = self.marian("added")
        tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
        tokenizer.add_tokens(["<x>", "zork"])
        model.resize_token_embeddings(len(tokenizer))
        saved = self.folder / "added-saved"
        model.save_pretrained(saved)
        tokenizer.save_pretrained(saved)
        run = self.folder / "added-run"
        heed("import", saved, "-o", run)
        require_fp32(run)
        self.write("added-sources", ["zork a b", "c <x> d"])
        self.write("added-targets", ["k zork", "l m"])
        scores = self.scores(run, "added-sources", "added-targets")
        for ours, source, target in zip(
            scores, ("zork a b", "c <x> d"), ("k zork", "l m"), strict=True
        ):
            given = tokenizer(source)["input_ids"]
            gold = tokenizer(text_target=target)["input_ids"]
            self.assertFalse(tables[0]["<unk>"] in given + gold)
            theirs, _ = self.read(model, given, gold, model.config.decoder_start_token_id)
            self.assertLess(abs(ours - sum(theirs)) / len(gold), TOLERANCE)

    def test_what_a_network_does_not_know_is_scored_as_unknown(self):
        folder, model, tables, segments = self.marian("unknown")
        ids = json.loads((folder / "vocab.json").read_text(encoding="utf-8"))
        hidden = [piece for piece in ids if piece.strip("\u2581") == "k"]
        kept = {piece: number for piece, number in ids.items() if piece not in hidden}
        (folder / "vocab.json").write_text(json.dumps(kept), encoding="utf-8")
        run = self.folder / "unknown-run"
        heed("import", folder, "-o", run)
        require_fp32(run)
        tokenizer = transformers.MarianTokenizer.from_pretrained(folder)
        for ours, source, target in zip(self.scores(run), SOURCES, TARGETS):
            given = tokenizer(source)["input_ids"]
            gold = tokenizer(text_target=target)["input_ids"]
            self.assertEqual(gold.count(tables[1]["<unk>"]), target.split().count("k"))
            theirs, _ = self.read(model, given, gold, model.config.decoder_start_token_id)
            self.assertLess(abs(ours - sum(theirs)) / len(gold), TOLERANCE)

    def test_pickles(self):
        """pytorch_model.bin, of now and of before PyTorch 1.6."""
        folder, model, *_ = self.marian("pickled")
        first = self.folder / "pickled-run"
        heed("import", folder, "-o", first)
        (folder / "model.safetensors").unlink()
        for new in (True, False):
            torch.save(
                model.state_dict(),
                folder / "pytorch_model.bin",
                _use_new_zipfile_serialization=new,
            )
            run = self.folder / f"pickled-{new}-run"
            heed("import", folder, "-o", run)
            one, other = (files.weights(at / "model.safetensors") for at in (first, run))
            for name, numbers in one.items():
                numpy.testing.assert_array_equal(numbers, other[name], name)


if __name__ == "__main__":
    unittest.main()
