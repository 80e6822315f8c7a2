"""Models as Firefox and Bergamot have them: students with an SSRU decoder that pymarian trains, as .bin; what fxtranslate computes
with them, and pymarian with their numbers in fp32. Some are of pymarian alone."""

import gzip
import shutil

import corpus
from case import Case, Program, ask, run
from program_marian import FEW, TIED_ALL, TINY, decoder_of, scored, train, trained

FXTRANSLATE = Program("fxtranslate", "0.5.0", ("pymarian==1.12.42", "sentencepiece==0.2.3", "fxtranslate==0.5.0"))
# Bergamot's C++ engine, which Firefox has, too.
BERGAMOT = Program(
    "bergamot",
    "0.4.5",
    ("pymarian==1.12.42", "sentencepiece==0.2.3", "numpy==2.2.6", "bergamot==0.4.5"),
    python="3.10",
)
SSRU = {
    **TIED_ALL,
    "--transformer-decoder-autoreg": "rnn",
    "--dec-cell": "ssru",
    "--transformer-ffn-activation": "relu",
}
# fxtranslate wants widths that are multiples of 64, and pieces that are a multiple of 8. A student must be sure of its words.
LEARNING = {"--learn-rate": 0.005, "--lr-warmup": 60, "--lr-decay-inv-sqrt": 60, "--after-batches": 1200}
STUDENT = {
    **SSRU,
    **LEARNING,
    "--after-batches": 2000,
    "--dim-emb": 64,
    "--transformer-dim-ffn": 128,
    "--dim-vocabs": [72, 72],
    "--sentencepiece-options": "--hard_vocab_limit=true",
}
ROUNDED = "it rounds activations to 8 bits, heed does not"
VOCABULARY, MODEL, LEX = "vocab.deen.spm", "model.deen.intgemm.alphas.bin", "lex.50.50.deen.s2t.bin"
SOURCES, TARGETS = tuple(corpus.sources(1000)), tuple(corpus.targets(1000))


def binary(kind):
    """`after` of a case whose folder `binary` has the model as a .bin that pymarian wrote. Of numbers of 8 bits Marian gets the
    values in fp32."""

    def after(folder, python):
        home = folder / "binary"
        home.mkdir()
        convert = ["--from", folder / "model/model.npz", "--to", home / "model.bin", "--gemm-type", kind]
        run([python, "-m", "pymarian", "convert", *convert])
        if kind != "float32":
            request = {"do": "values", "bin": str(home / "model.bin"), "plain": str(folder / "model/model.npz")}
            ask(python, "inside_bergamot.py", request)
        for path in (folder / "model").glob("*.spm"):
            shutil.copy(path, home)
        decoder = decoder_of(folder, "model.npz").read_text(encoding="utf-8")
        (home / "decoder.yml").write_text(decoder.replace("model.npz", "model.bin"), encoding="utf-8")

    return after


def make_lex(folder, python):
    """A shortlist of pairs of pieces, as pymarian makes the binary file."""
    ask(python, "inside_bergamot.py", {
        "do": "pairs", "vocabulary": str(folder / "model" / VOCABULARY), "text": str(folder / "lex"),
        "sources": [source for source, _ in corpus.pairs(3000)], "targets": [target for _, target in corpus.pairs(3000)],
    })
    vocabularies = ["--vocabs", *[folder / "model" / VOCABULARY] * 2]
    lists = ["--shortlist", folder / "lex", 8, 12, 0, "--dump-shortlist", folder / "firefox" / LEX]
    run([python, "-m", "pymarian", "convert", *lists, *vocabularies])


def make_student(folder, python, shortlist, compressed):
    train(folder, python, STUDENT, (VOCABULARY, VOCABULARY))
    home = folder / "firefox"
    home.mkdir()
    ask(python, "inside_bergamot.py", {
        "do": "student", "model": str(folder / "model/model.npz"), "vocabulary": str(folder / "model" / VOCABULARY),
        "sources": SOURCES[:200], "targets": TARGETS[:200],
        "bin": str(home / MODEL), "plain": str(folder / "model/plain.npz"),
    })
    shutil.copy(folder / "model" / VOCABULARY, home)
    if shortlist:
        make_lex(folder, python)
    if compressed:
        (folder / "packed").mkdir()
        for path in home.iterdir():
            (folder / "packed" / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))


def student(name, program, *, shortlist, compressed, equal, reason):
    do = "bergamot" if program is BERGAMOT else "translate"

    def translate(folder, python, lines, beam):
        files = {side: str(folder / "firefox" / VOCABULARY) for side in ("source", "target")}
        lists = str(folder / "firefox" / LEX) if shortlist else ""
        model = str(folder / "firefox" / MODEL)
        return ask(python, "inside_bergamot.py", {"do": do, "model": model, **files, "shortlist": lists, "lines": lines})

    def score(folder, python, sources, targets):
        out = scored(folder, python, sources, targets, "plain.npz", (VOCABULARY, VOCABULARY))
        return [float(line) for line in out]

    return Case(
        name=name,
        program=program,
        make=lambda folder, python: make_student(folder, python, shortlist, compressed),
        translate=translate,
        score=score,
        imports="packed" if compressed else "firefox",
        lines=SOURCES,
        targets=TARGETS,
        beams=(1,),
        equal={1: equal},
        reason=f"{reason}; scores are those of pymarian with the same numbers in fp32",
    )


CASES = [
    trained("ssru", options=SSRU),
    trained("binary", options=SSRU, after=binary("float32"), imports="binary"),
    trained("binary-int8", options={**SSRU, "--dim-emb": 64}, after=binary("intgemm8"), imports="binary"),
    trained("binary-int8-untied", options={"--dim-emb": 64, "--dim-vocabs": [40, 40]}, vocabularies=("vocab.de.spm", "vocab.en.spm"), after=binary("intgemm8"), imports="binary"),
    student("student", BERGAMOT, shortlist=False, compressed=False, equal=0.99, reason=ROUNDED),
    student("student-packed", FXTRANSLATE, shortlist=True, compressed=True, equal=0.98, reason=ROUNDED),
]
SMALL = {**TINY, **SSRU, "--dim-emb": 32, "--transformer-dim-ffn": 64, **LEARNING}
FIXTURES = [
    trained("ssru-int8", options=SMALL, **{**FEW, "after": binary("intgemm8")}, imports="binary"),
]
