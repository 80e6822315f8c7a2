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


def cutter(folder, name, languages, algorithm="bpe"):
    """A SentencePiece file for the text of some languages, and its pieces without the special ones."""
    sentencepiece.SentencePieceTrainer.train(
        input=",".join(str(folder / f"train.{language}") for language in languages), model_prefix=str(folder / name), vocab_size=90,
        model_type=algorithm, hard_vocab_limit=False, character_coverage=1.0, normalization_rule_name="identity", minloglevel=2,
    )
    model = sentencepiece.SentencePieceProcessor(model_file=str(folder / f"{name}.model"))
    return (folder / f"{name}.model").read_bytes(), [model.id_to_piece(i) for i in range(3, model.get_piece_size())]


def marian(folder, made):
    sides = [cutter(folder, side, [language]) for side, language in (("source", "de"), ("target", "en"))]
    for side, (file, _) in zip(("source", "target"), sides):
        (made / f"{side}.spm").write_bytes(file)
    names = ["</s>", "<unk>", *dict.fromkeys(sides[0][1] + sides[1][1]), "<pad>"]
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


def m2m_100(folder, made):
    file, pieces = cutter(folder, "joint", ["de", "en"])
    (made / "sentencepiece.bpe.model").write_bytes(file)
    names = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
    (made / "vocab.json").write_text(json.dumps({name: number for number, name in enumerate(names)}), encoding="utf-8")
    tokenizer = transformers.M2M100Tokenizer(str(made / "vocab.json"), str(made / "sentencepiece.bpe.model"))
    return tokenizer, many(len(tokenizer))


def nllb_200(folder, made):
    from sentencepiece import sentencepiece_model_pb2 as proto

    file, _ = cutter(folder, "joint", ["de", "en"])
    # The order of the published file: <unk>, <s>, </s>, as this trainer writes it, too.
    (made / "sentencepiece.bpe.model").write_bytes(proto.ModelProto.FromString(file).SerializeToString())
    tokenizer = transformers.NllbTokenizer(vocab_file=str(made / "sentencepiece.bpe.model"))
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


def make(folder, kind):
    torch.manual_seed(3)
    torch.set_num_threads(1)
    made = folder / "made"
    made.mkdir()
    makers = {"marian": marian, "m2m-100": m2m_100, "nllb-200": nllb_200, "mbart-50": mbart_50}
    tokenizer, model = makers[kind](folder, made)
    if kind in LANGUAGES:
        tokenizer.src_lang, tokenizer.tgt_lang = LANGUAGES[kind]
        model.generation_config.forced_bos_token_id = tokenizer.convert_tokens_to_ids(FORCED[kind])
    train(folder, tokenizer, model)
    model.save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")


def train(folder, tokenizer, model, updates=260, batch=48):
    texts = [(folder / f"train.{language}").read_text(encoding="utf-8").splitlines() for language in ("de", "en")]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.006)
    model.train()
    for update in range(updates):
        at = update * batch % (len(texts[0]) - batch)
        given, gold = (side[at : at + batch] for side in texts)
        inputs = tokenizer(given, text_target=gold, return_tensors="pt", padding=True)
        labels = inputs.pop("labels")
        loss = model(**inputs, labels=labels.masked_fill(labels == tokenizer.pad_token_id, -100)).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def opened(folder):
    torch.set_num_threads(1)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder / "model")
    return tokenizer, transformers.AutoModelForSeq2SeqLM.from_pretrained(folder / "model").eval()


def given_of(model):
    """How many pieces of a translation are given: the first one, and a language."""
    return 1 if model.config.model_type == "marian" else 2


def translate(folder, lines, beam):
    tokenizer, model = opened(folder)
    search = {"num_beams": beam, "do_sample": False, "length_penalty": 0.0, "early_stopping": False}
    for line in lines:
        inputs = tokenizer(line, return_tensors="pt")
        limit = 3 * (inputs["input_ids"].shape[1] - given_of(model)) + 10 + given_of(model)
        found = model.generate(**inputs, max_length=limit, **search)[0]
        yield tokenizer.decode(found, skip_special_tokens=True)


def score(folder, sources, targets):
    tokenizer, model = opened(folder)
    for source, target in zip(sources, targets):
        inputs = tokenizer(source, text_target=target, return_tensors="pt")
        with torch.no_grad():
            logits = model(**inputs).logits.double().log_softmax(-1)[0]
        gold = inputs["labels"][0]
        first = given_of(model) - 1  # a language is given
        yield float(logits[range(first, len(gold)), gold[first:]].sum())


def convert(folder, kind):
    """By ct2-transformers-converter; what CTranslate2 computes is asked of the same folder."""
    make(folder, kind)
    (folder / "model").rename(folder / "transformers")
    program = Path(sys.executable).parent / "ct2-transformers-converter"
    copied = ["source.spm", "target.spm"] if kind == "marian" else ["sentencepiece.bpe.model"]
    command = [program, "--model", folder / "transformers", "--output_dir", folder / "model", "--copy_files", *copied]
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


ACTIONS = {"make": make, "translate": translate, "score": score, "convert": convert}
request = json.load(sys.stdin)
answer = ACTIONS[request.pop("action")](Path(request.pop("folder")), **request)
print(json.dumps(None if answer is None else list(answer)))
