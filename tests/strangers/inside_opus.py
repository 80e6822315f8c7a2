"""Marian as OPUS-MT uses it: text is cut by SentencePiece before, and tables of pieces are .yml files. Runs in pymarian's
environment; asked by program_opus.py."""

import json
import subprocess
import sys
from pathlib import Path

import sentencepiece

QUIET = ["--cpu-threads", "1", "-w", "200", "--quiet"]


def marian(*arguments):
    command = [sys.executable, "-m", "pymarian", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, encoding="utf-8")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr[-3000:]}")
    return done.stdout


def processors(model):
    return [sentencepiece.SentencePieceProcessor(model_file=str(model / f"{side}.spm")) for side in ("source", "target")]


def cut(processor, lines, path):
    pieces = [" ".join(processor.encode(line, out_type=str)) for line in lines]
    path.write_text("".join(line + "\n" for line in pieces), encoding="utf-8")
    return path


def make(folder, options, joint):
    model = folder / "model"
    model.mkdir()
    texts = []
    for side, language in (("source", "de"), ("target", "en")):
        sentencepiece.SentencePieceTrainer.train(
            input=str(folder / f"train.{language}"), model_prefix=str(folder / side), vocab_size=72, model_type="bpe",
            hard_vocab_limit=False, character_coverage=1.0, normalization_rule_name="identity", minloglevel=2,
        )
        (folder / f"{side}.model").rename(model / f"{side}.spm")
    sides = processors(model)
    for processor, language in zip(sides, ("de", "en")):
        lines = (folder / f"train.{language}").read_text(encoding="utf-8").splitlines()
        texts.append(cut(processor, lines, folder / f"train.{language}.pieces"))
    plain = [[one.id_to_piece(i) for i in range(3, one.get_piece_size())] for one in sides]
    if joint:
        plain = [list(dict.fromkeys(plain[0] + plain[1]))] * 2
    # OPUS-MT's tables end with <pad>, which Marian never writes; its padding is another matter.
    names = ["opus.vocab.yml"] * 2 if joint else ["opus.src.vocab.yml", "opus.trg.vocab.yml"]
    for name, pieces in zip(names, plain):
        table = ["</s>", "<unk>", *pieces, "<pad>"]
        lines = [f"{json.dumps(piece, ensure_ascii=False)}: {number}\n" for number, piece in enumerate(table)]
        (model / name).write_text("".join(lines), encoding="utf-8")
    marian(
        "train", "--type", "transformer", "-m", folder / "opus.npz", "-t", *texts, "-v", *(model / name for name in names),
        "--dim-vocabs", 0, 0, "--dim-emb", 24, "--transformer-dim-ffn", 48, "--transformer-heads", 4, "--enc-depth", 1,
        "--dec-depth", 1, "--mini-batch", 64, "-l", 0.006, "--lr-warmup", 60, "--after-batches", 1200, "--label-smoothing", 0.1,
        "--seed", 7, "--data-threads", 1, *QUIET, *options,
    )  # fmt: skip
    (folder / "opus.npz").rename(model / "opus.npz")
    written = f"models:\n  - opus.npz\nvocabs:\n  - {names[0]}\n  - {names[1]}\nbeam-size: 6\nnormalize: 1\nword-penalty: 0\n"
    (model / "decoder.yml").write_text("relative-paths: true\n" + written, encoding="utf-8")


def vocabularies(model):
    lines = (model / "decoder.yml").read_text(encoding="utf-8").splitlines()
    named = [line.strip("- ") for line in lines if line.strip().startswith("- ")]
    return model / named[0], [model / name for name in named[1:]]


def translate(folder, lines, beam):
    model = folder / "model"
    source, target = processors(model)
    file, tables = vocabularies(model)
    text = cut(source, lines, folder / "asked")
    out = marian(
        "decode", "-m", file, "-v", *tables, "-i", text, "-b", beam, "--normalize", 1, "--mini-batch", 1, "--maxi-batch", 1,
        "--max-length-factor", 3, *QUIET,
    )  # fmt: skip
    return [target.decode(line.split()) for line in out.removesuffix("\n").split("\n")]


def scored(folder, sources, targets, *options):
    model = folder / "model"
    file, tables = vocabularies(model)
    sides = zip(processors(model), (sources, targets), ("asked.source", "asked.target"))
    texts = [cut(processor, lines, folder / name) for processor, lines, name in sides]
    given = ["-m", file, "-v", *tables, "-t", *texts, "--mini-batch", 1, "--maxi-batch", 1]
    return marian("score", *given, *QUIET, *options).removesuffix("\n").split("\n")


def score(folder, sources, targets):
    return [float(line) for line in scored(folder, sources, targets)]


def word_scores(folder, sources, targets):
    return scored(folder, sources, targets, "--word-scores")


ACTIONS = {"make": make, "translate": translate, "score": score, "word_scores": word_scores}
request = json.load(sys.stdin)
action = ACTIONS[request.pop("action")]
print(json.dumps(action(Path(request.pop("folder")), **request)))
