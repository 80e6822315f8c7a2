"""transformers of Hugging Face: makes a tokenizer and a model of a kind, trains it for some seconds, saves both as this version does,
and computes with them. Runs in transformers' environment; asked by program_transformers.py."""

import json
import subprocess
import sys
from pathlib import Path

import sentencepiece
import torch
import transformers
from transformers import (
    M2M100Config,
    M2M100ForConditionalGeneration,
    MarianConfig,
    MarianMTModel,
    MBartConfig,
    MBartForConditionalGeneration,
)

SHAPE = {
    "d_model": 24,
    "encoder_ffn_dim": 48,
    "decoder_ffn_dim": 48,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "max_position_embeddings": 96,
    "init_std": 0.1,
    "scale_embedding": True,
    "dropout": 0.0,
    "attention_dropout": 0.0,
    "activation_dropout": 0.0,
}
LANGUAGES = {"m2m-100": ("de", "en"), "nllb-200": ("deu_Latn", "eng_Latn"), "mbart-50": ("de_DE", "en_XX")}
FORCED = {"m2m-100": "__en__", "nllb-200": "eng_Latn", "mbart-50": "en_XX"}
CONFIG, SMALL = "tokenizer_config.json", "SMALL100Tokenizer"
ADDED = ("<x>", "[NAME]", "katze")  # pieces that are added to a tokenizer, one of them a word of the corpus


def cutter(folder, name, languages, algorithm="bpe"):
    """A SentencePiece file for the text of some languages, and its pieces without the special ones."""
    sentencepiece.SentencePieceTrainer.train(
        input=",".join(str(folder / f"train.{language}") for language in languages), model_prefix=str(folder / name), vocab_size=90,
        model_type=algorithm, hard_vocab_limit=False, character_coverage=1.0, normalization_rule_name="identity", minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.model"))
    return (folder / f"{name}.model").read_bytes(), [model.id_to_piece(i) for i in range(3, model.get_piece_size())]


def marian(folder, made, algorithm="bpe", more=()):
    """`more`: pieces of vocab.json that neither SentencePiece file has."""
    sides = [cutter(folder, side, [language], algorithm) for side, language in (("source", "de"), ("target", "en"))]
    for side, (file, _) in zip(("source", "target"), sides):
        (made / f"{side}.spm").write_bytes(file)
    names = ["</s>", "<unk>", *dict.fromkeys(sides[0][1] + sides[1][1]), *more, "<pad>"]
    (made / "vocab.json").write_text(json.dumps({name: number for number, name in enumerate(names)}), encoding="utf-8")
    tokenizer = transformers.MarianTokenizer(
        str(made / "source.spm"), str(made / "target.spm"), str(made / "vocab.json"), source_lang="de", target_lang="en"
    )
    pad = len(names) - 1
    config = MarianConfig(
        vocab_size=len(names), pad_token_id=pad, decoder_start_token_id=pad, eos_token_id=0, forced_eos_token_id=None,
        activation_function="swish", **SHAPE,
    )
    model = MarianMTModel(config)
    model.generation_config.bad_words_ids = [[pad]]
    return tokenizer, model


def marian_added(folder, made):
    """Letters of one side, "☃" of no side, and added pieces, of which two take the blanks beside them."""
    tokenizer, model = marian(folder, made, "unigram", ["☃"])
    tokenizer.add_tokens([*ADDED, transformers.AddedToken("<l>", lstrip=True), transformers.AddedToken("<r>", rstrip=True)])
    forbidden = model.generation_config.bad_words_ids
    model.resize_token_embeddings(len(tokenizer))
    model.generation_config.bad_words_ids = forbidden
    return tokenizer, model


def m2m_100(folder, made):
    file, pieces = cutter(folder, "joint", ["de", "en"])
    (made / "sentencepiece.bpe.model").write_bytes(file)
    names = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
    (made / "vocab.json").write_text(json.dumps({name: number for number, name in enumerate(names)}), encoding="utf-8")
    tokenizer = transformers.M2M100Tokenizer(str(made / "vocab.json"), str(made / "sentencepiece.bpe.model"))
    # len(tokenizer) counts none of the 100 languages in version 5. The published models have 8 rows after them.
    return tokenizer, many(len(names) + 100 + 8)


def m2m_100_added(folder, made):
    tokenizer, model = m2m_100(folder, made)
    tokenizer.add_tokens(list(ADDED))  # they get the ids of the first languages
    return tokenizer, model


def nllb_200(folder, made):
    file, _ = cutter(folder, "joint", ["de", "en"])
    (made / "sentencepiece.bpe.model").write_bytes(file)
    if transformers.__version__.startswith("4."):
        tokenizer = transformers.NllbTokenizer(vocab_file=str(made / "sentencepiece.bpe.model"))
    else:  # which ignores `vocab_file` without a word, and has no pieces then
        from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

        # Without these it has no languages: a folder with nothing but a SentencePiece file names none.
        tokenizer = transformers.NllbTokenizer.from_pretrained(made, extra_special_tokens=list(FAIRSEQ_LANGUAGE_CODES))
    return tokenizer, many(len(tokenizer))


def nllb_200_alone(folder, made):
    """What the library `tokenizers` writes, tokenizer.json, with added pieces; there is no SentencePiece file."""
    tokenizer, _ = nllb_200(folder, made)
    if transformers.__version__.startswith("4."):
        tokenizer = transformers.NllbTokenizerFast(str(made / "sentencepiece.bpe.model"))
    tokenizer.add_tokens(list(ADDED))
    return tokenizer, many(len(tokenizer))


def mbart_50(folder, made):
    """Unigrams, as in the published file: MBart50Tokenizer of version 5 knows nothing else."""
    file, _ = cutter(folder, "joint", ["de", "en"], "unigram")
    (made / "sentencepiece.bpe.model").write_bytes(file)
    tokenizer = transformers.MBart50Tokenizer.from_pretrained(made)
    config = MBartConfig(
        vocab_size=len(tokenizer), decoder_start_token_id=2, forced_eos_token_id=None, activation_function="gelu",
        tokenizer_class="MBart50Tokenizer", **SHAPE,
    )
    return tokenizer, MBartForConditionalGeneration(config)


def many(count):
    config = M2M100Config(vocab_size=count, decoder_start_token_id=2, activation_function="relu", **SHAPE)
    return M2M100ForConditionalGeneration(config)


MAKERS = {
    "marian": marian,
    "marian-added": marian_added,
    "m2m-100": m2m_100,
    "m2m-100-added": m2m_100_added,
    "small-100": m2m_100,
    "nllb-200": nllb_200,
    "nllb-200-alone": nllb_200_alone,
    "mbart-50": mbart_50,
}


def make(folder, kind):
    torch.manual_seed(3)
    torch.set_num_threads(1)
    made = folder / "made"
    made.mkdir()
    tokenizer, model = MAKERS[kind](folder, made)
    family = kind.removesuffix("-added").removesuffix("-alone")
    if family in LANGUAGES:
        tokenizer.src_lang, tokenizer.tgt_lang = LANGUAGES[family]
        model.generation_config.forced_bos_token_id = tokenizer.convert_tokens_to_ids(FORCED[family])
    train(folder, tokenizer, model, small=kind == "small-100")
    model.save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    if kind == "nllb-200-alone":
        (folder / "model" / "sentencepiece.bpe.model").unlink(missing_ok=True)
    if kind == "small-100":
        config = folder / "model" / CONFIG
        settings = json.loads(config.read_text(encoding="utf-8"))
        for key in ("src_lang", "tgt_lang"):
            settings.pop(key, None)
        config.write_text(json.dumps({**settings, "tokenizer_class": SMALL}), encoding="utf-8")


def pairs_of(folder, update, batch, small):
    """Texts of a batch, and the language that the sources begin with, if the model is a SMaLL-100. It learns to translate, and to
    write a text again."""
    texts = [(folder / f"train.{language}").read_text(encoding="utf-8").splitlines() for language in ("de", "en")]
    at = update * batch % (len(texts[0]) - batch)
    given, gold = (side[at : at + batch] for side in texts)
    if not small:
        return given, gold, None
    return (given, gold, "en") if update % 2 else (given, given, "de")


def train(folder, tokenizer, model, small, updates=260, batch=48):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.006)
    model.train()
    for update in range(updates):
        given, gold, language = pairs_of(folder, update, batch, small)
        inputs = tokenizer_inputs(tokenizer, given, gold, language, padding=True)
        labels = inputs.pop("labels")
        loss = model(**inputs, labels=labels.masked_fill(labels == tokenizer.pad_token_id, -100)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def tokenizer_inputs(tokenizer, given, gold, language, **options):
    """What the program's tokenizer makes of texts. With a `language`, what SMALL100Tokenizer does: the source begins with the
    language of the target, and the target with none."""
    if language:
        tokenizer.src_lang = tokenizer.tgt_lang = language
    inputs = tokenizer(given, text_target=gold, return_tensors="pt", **options)
    if language:
        inputs["labels"] = inputs["labels"][:, 1:]
    return inputs


def is_small(folder):
    return SMALL in (folder / "model" / CONFIG).read_text(encoding="utf-8")


def opened(folder):
    torch.set_num_threads(1)
    kind = transformers.M2M100Tokenizer if is_small(folder) else transformers.AutoTokenizer
    tokenizer = kind.from_pretrained(folder / "model")
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(folder / "model", attn_implementation="eager")
    return tokenizer, model.eval()


def given_of(folder, model):
    """How many pieces of a translation are given: the first one, and a language."""
    return 1 if model.config.model_type == "marian" or is_small(folder) else 2


def prefix(folder, language):
    return (language or "en") if is_small(folder) else None


def translate(folder, lines, beam, language=None):
    tokenizer, model = opened(folder)
    search = {"num_beams": beam, "do_sample": False, "length_penalty": 0.0, "early_stopping": False}
    for line in lines:
        inputs = tokenizer_inputs(tokenizer, line, "", prefix(folder, language))
        inputs.pop("labels")
        first = given_of(folder, model)
        # The pieces of a source are counted without its own language; SMaLL-100's begins with the target's.
        sources = inputs["input_ids"].shape[1] - (first - 1)
        found = model.generate(**inputs, max_length=3 * (sources - 1) + 10 + first, **search)[0]
        # Version 5 takes M2M-100's languages for text.
        yield tokenizer.decode(found[first:], skip_special_tokens=True)


def read(folder, sources, targets, language):
    """For each pair what the network computes, and the pieces of the target."""
    tokenizer, model = opened(folder)
    for source, target in zip(sources, targets):
        inputs = tokenizer_inputs(tokenizer, source, target, prefix(folder, language))
        with torch.no_grad():
            yield given_of(folder, model) - 1, model(**inputs, output_attentions=True), inputs["labels"][0]


def score(folder, sources, targets, language=None):
    for first, out, gold in read(folder, sources, targets, language):
        found = out.logits.double().log_softmax(-1)[0]
        yield float(found[range(first, len(gold)), gold[first:]].sum())  # a language is given


def attention(folder, sources, targets, layer, head, language=None):
    """Of each pair a table, (target position, source position)."""
    for _, out, _ in read(folder, sources, targets, language):
        yield out.cross_attentions[layer][0, head].tolist()


def pieces(folder, lines):
    """The pieces of each line as a source and as a target, as a user gets them from the tokenizer of the folder."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "model")
    for line in lines:
        ids = tokenizer(line)["input_ids"], tokenizer(text_target=line)["input_ids"]
        yield [tokenizer.convert_ids_to_tokens(side) for side in ids]


def convert(folder, kind):
    """By ct2-transformers-converter; what CTranslate2 computes is asked of the same folder."""
    make(folder, kind)
    (folder / "model").rename(folder / "transformers")
    program = Path(sys.executable).parent / "ct2-transformers-converter"
    copied = ["source.spm", "target.spm"] if kind == "marian" else ["sentencepiece.bpe.model"]
    command = [program, "--model", folder / "transformers", "--output_dir", folder / "model", "--copy_files", *copied]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


ACTIONS = {one.__name__: one for one in (make, translate, score, attention, pieces, convert)}
request = json.load(sys.stdin)
answer = ACTIONS[request.pop("action")](Path(request.pop("folder")), **request)
print(json.dumps(None if answer is None else list(answer)))
