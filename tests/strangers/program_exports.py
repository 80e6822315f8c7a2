"""What heed exports, opened by Marian, fxtranslate, Bergamot's C++ engine and Argos Translate: each translates as the model that was
exported, and as heed with the model that it imports again. heed trains the models."""

import shutil

import corpus
from case import Case, ask
from heed import heed, lines_of, write_lines
from program_argos import ARGOS, asked
from program_argos import SEARCH as ARGOS_SEARCH
from program_bergamot import BERGAMOT, FXTRANSLATE
from program_marian import MARIAN, scored
from program_marian import translate as translate_by_marian

SOURCES = tuple(corpus.sources(200))
TARGETS = tuple(corpus.targets(200))

CONFIGURATION = """
name: trained
output: {folder}/trained
data:
  train: [{{source: {folder}/train.de, target: {folder}/train.en}}]
  valid: {{source: {folder}/valid.de, target: {folder}/valid.en}}
  vocabulary: {{kind: {kind}, size: 72}}
model: {{width: 64, feed_forward: 128, heads: 4, encoder_layers: 2, decoder_layers: 2, norm: post, norm_epsilon: 1.0e-6, positions: tensor2tensor}}
training: {{batch_type: sentences, batch_size: 32, learning_rate: 0.003, warmup: 60, updates: {updates}, validate_every: 300, validate_bleu: false}}
decoding: {{beam_size: 1, max_length_ratio: 3, max_length_extra: 3, forbid: [<unk>]}}
"""
STUDENT = ("model.decoder=ssru", "model.decoder_layers=1", "model.activation=relu", "model.tie=all")
LIMIT_OF_FIREFOX = ("decoding.max_length_ratio=2", "decoding.max_length_extra=2")
ROUNDED = "its numbers have 8 bits, those of activations too"
MODEL, VOCABULARY, LEX = "model.deen.intgemm.alphas.bin", "vocab.deen.spm", "lex.deen.s2t.bin"
LANGUAGES = ("--source-language", "de", "--target-language", "en")


def train(folder, settings, kind="joint", updates=1000):
    corpus.write(folder)
    pairs = list(corpus.pairs(100, seed=3))
    for side, language in enumerate(("de", "en")):
        write_lines(folder / f"valid.{language}", [pair[side] for pair in pairs])
    file = folder / "trained.yaml"
    file.write_text(CONFIGURATION.format(folder=folder, kind=kind, updates=updates), encoding="utf-8")
    heed("train", file, *[f"--set={setting}" for setting in settings])


def as_the_exported(translate, settings=(), share=1.0):
    """`more` of a case: the program translates as the run that was exported, greedily."""

    def more(folder, python, run_again):
        text = write_lines(folder / "exported_lines", SOURCES)
        sets = [f"--set={setting}" for setting in ("precision=fp32", *settings)]
        ours = lines_of(heed("translate", folder / "trained", text, *sets))
        theirs = translate(folder, python, list(SOURCES), 1)
        pairs = zip(SOURCES, theirs, strict=True)
        theirs = [text if any(c.isalnum() for c in line) else line for line, text in pairs]
        same = sum(a == b for a, b in zip(ours, theirs, strict=True))
        return [] if same >= share * len(ours) else [f"of the model that was exported {same} of {len(ours)} are equal"]

    return more


def for_marian(name, settings, kind="joint"):
    vocabularies = ("vocab.spm", "vocab.spm") if kind == "joint" else ("source.spm", "target.spm")

    def make(folder, python):
        train(folder, settings, kind)
        heed("export", folder / "trained", "--format", "marian", "-o", folder / "model")

    def translate(folder, python, lines, beam):
        return translate_by_marian(folder, python, lines, beam, "model.npz")

    def score(folder, python, sources, targets):
        return [float(line) for line in scored(folder, python, sources, targets, "model.npz", vocabularies)]

    more = as_the_exported(translate)
    return Case(name, MARIAN, make, translate, score, more=more, lines=SOURCES, targets=TARGETS, beams=(1,))


def for_firefox(name, program, shortlist):
    do = "bergamot" if program is BERGAMOT else "translate"

    def make(folder, python):
        train(folder, STUDENT, updates=2000)
        sets = [f"--set={setting}" for setting in LIMIT_OF_FIREFOX]
        if shortlist:
            heed("shortlist", folder / "trained", folder / "train.de", folder / "train.en", "--best", 8, "--frequent", 8)
            sets.append(f"--set=decoding.shortlist={folder / 'trained/shortlist.bin'}")
        lines = ["--lines", folder / "valid.de"]
        heed("export", folder / "trained", "--format", "bergamot", *lines, *sets, *LANGUAGES, "-o", folder / "firefox")
        (folder / "model").mkdir()
        shutil.copy(folder / "firefox" / VOCABULARY, folder / "model")
        request = {"do": "values", "bin": str(folder / "firefox" / MODEL), "plain": str(folder / "model/plain.npz")}
        ask(python, "inside_bergamot.py", request)

    def translate(folder, python, lines, beam):
        home = folder / "firefox"
        files = {side: str(home / VOCABULARY) for side in ("source", "target")}
        lists = str(home / LEX) if shortlist else ""
        return ask(python, "inside_bergamot.py", {"do": do, "model": str(home / MODEL), **files, "shortlist": lists, "lines": lines})

    def score(folder, python, sources, targets):
        return [float(line) for line in scored(folder, python, sources, targets, "plain.npz", (VOCABULARY, VOCABULARY))]

    return Case(
        name,
        program,
        make,
        translate,
        score,
        more=as_the_exported(translate, (*LIMIT_OF_FIREFOX, "decoding.weights=int8"), share=0.96),
        imports="firefox",
        lines=SOURCES,
        targets=TARGETS,
        beams=(1,),
        equal={1: 0.96},
        reason=f"{ROUNDED}; scores are those of pymarian with the same numbers in fp32",
    )


def for_argos(name):
    def make(folder, python):
        train(folder, ())
        heed("export", folder / "trained", "--format", "argos", *LANGUAGES, "-o", folder / "packed")
        asked("install", folder, python, package_file=str(folder / "packed/translate-de_en-1_0.argosmodel"))

    def translate(folder, python, lines, beam):
        return asked("translate", folder, python, lines=lines, beam=beam)

    def score(folder, python, sources, targets):
        return asked("score", folder, python, sources=sources, targets=targets)

    package = "packed/translate-de_en-1_0.argosmodel"
    return Case(name, ARGOS, make, translate, score, imports=package, settings=ARGOS_SEARCH, beams=(4,))


CASES = [
    for_marian("export", ("model.tie=all",)),
    for_marian("export-ssru", STUDENT),
    for_marian("export-two-vocabularies", ("model.tie=decoder", "model.activation=silu"), kind="separate"),
    for_firefox("export", FXTRANSLATE, shortlist=False),
    for_firefox("export-shortlist", FXTRANSLATE, shortlist=True),
    for_firefox("export", BERGAMOT, shortlist=True),
    for_argos("export"),
]
FIXTURES = []
