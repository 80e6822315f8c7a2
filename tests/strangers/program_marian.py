"""Marian itself, as pymarian: models that it trains, its decoder and its scorer. Folders of OPUS-MT are in program_opus.py."""

import gzip
import shutil
from pathlib import Path

import corpus
from case import Case, Program, run

MARIAN = Program("marian", "1.12.42", ("pymarian==1.12.42", "sentencepiece==0.2.3", "subword-nmt==0.3.8"))

NETWORK = {
    "--type": "transformer",
    "--dim-emb": 32,
    "--transformer-dim-ffn": 64,
    "--transformer-heads": 4,
    "--enc-depth": 2,
    "--dec-depth": 2,
}
TRAINING = {
    "--cpu-threads": 1,
    "--workspace": 300,
    "--mini-batch": 32,
    "--learn-rate": 0.007,
    "--lr-warmup": 30,
    "--seed": 7,
    "--data-threads": 1,
    "--dim-vocabs": [90, 90],
    "--sentencepiece-options": "--hard_vocab_limit=false",
    "--after-batches": 250,
}
# One sentence a batch: with others beside it Marian's limit of length is that of the longest.
ALONE = {"--cpu-threads": 1, "--workspace": 200, "--mini-batch": 1, "--maxi-batch": 1}
JOINT = ("vocab.spm", "vocab.spm")
TIED_ALL = {"--tied-embeddings-all": True}
BEAMS = "Marian's beam gets narrower with each translation that ends, heed's stays: the other one is no worse by Marian's scorer"
# With a length penalty heed's wider beam has as many ended hypotheses as it is wide sooner, and stops.
SHARED = "with `normalize` heed's search ends sooner than Marian's, whose beam gets narrower: now and then one finds a better one"
NORMALIZED = {"equal": {4: 0.8}, "no_worse": 0.8, "reason": SHARED}
# Enough pieces for every word to be one.
WORDS_AS_PIECES = {
    "--dim-vocabs": [200, 200],
    "--sentencepiece-options": "--hard_vocab_limit=false --model_type=bpe",
}
LINES, TARGETS = tuple(corpus.sources()), tuple(corpus.targets())
PRE_NORM = {
    "--transformer-preprocess": "n",
    "--transformer-postprocess": "da",
    "--transformer-postprocess-top": "n",
}
# findings/marian_pre_norm_decoding.sh
SCORES_ALONE = {"beams": (), "reason": "Marian's decoder does not compute what its scorer computes: only scores are compared"}


def marian(python, command, options, text=None):
    words = []
    for name, value in options.items():
        words += [name, *(value if isinstance(value, list) else [value] if value is not True else [])]
    return run([python, "-m", "pymarian", command, "--quiet", *words], text=text)


def lines_of(text):
    return text.removesuffix("\n").split("\n")


def train(folder, python, options, vocabularies):
    """Trains in folder/model; the corpora are beside it."""
    (folder / "model").mkdir(exist_ok=True)
    if not (folder / "train.de").exists():
        corpus.write(folder)
    files = [folder / "model" / name for name in vocabularies]
    given = {
        "--model": folder / "model/model.npz",
        "--train-sets": [folder / "train.de", folder / "train.en"],
        "--vocabs": files,
    }
    marian(python, "train", {**NETWORK, **TRAINING, **given, **options})


def decoder_of(folder, model):
    """The search that the model's author meant, as marian-decoder takes it."""
    named = [folder / "model" / name for name in ("decoder.yml", f"{model}.decoder.yml")]
    return next(path for path in named if path.exists())


def translate(folder, python, lines, beam, model):
    options = {**ALONE, "--config": decoder_of(folder, model), "--beam-size": beam}
    return lines_of(marian(python, "decode", options, text="".join(line + "\n" for line in lines)))


def scored(folder, python, sources, targets, model, vocabularies, **options):
    files = []
    for name, lines in (("scored.de", sources), ("scored.en", targets)):
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        files.append(folder / name)
    given = {
        "--model": folder / "model" / model,
        "--train-sets": files,
        "--vocabs": [folder / "model" / name for name in vocabularies],
    }
    return lines_of(marian(python, "score", {**ALONE, **given, **options}))


def searched(scores, options):
    """What Marian's search orders by, of the lines of its scorer with --word-scores and the options of a decoder.yml."""
    power, penalty = float(options.get("normalize", 0)), float(options.get("word-penalty", 0))
    out = []
    for line in scores:
        total, words = line.split(" ||| WordScores= ")
        count = len(words.split())  # of pieces, and one of </s>
        out.append((float(total) - penalty * count) / count**power)
    return out


def trained(
    name,
    *,
    vocabularies=JOINT,
    options=None,
    prepare=None,
    after=None,
    model="model.npz",
    aligned=False,
    cut=None,
    joined=None,
    codes="",
    **case,
):
    """A case whose model Marian trains: with these options, and those that `prepare(folder, python)` returns.
    `after(folder, python)` changes the folder. `model` is the file that Marian scores and decodes with. `cut(folder, python,
    lines)` makes of heed's lines those that Marian reads, and `joined(line)` of Marian's translations heed's; heed imports it with these `codes`."""
    cut = cut or (lambda folder, python, lines: lines)

    def make(folder, python):
        prepared = prepare(folder, python) if prepare else {}
        train(folder, python, {**(options or {}), **prepared}, vocabularies)
        if after:
            after(folder, python)

    def translations(folder, python, lines, beam):
        out = translate(folder, python, cut(folder, python, lines), beam, model)
        return [joined(line) for line in out] if joined else out

    def score(folder, python, sources, targets):
        sides = [cut(folder, python, lines) for lines in (sources, targets)]
        return [float(line) for line in scored(folder, python, *sides, model, vocabularies)]

    def ordered(folder, python, sources, targets):
        decoder = decoder_of(folder, model).read_text(encoding="utf-8")
        options = dict(line.split(": ", 1) for line in decoder.splitlines() if ": " in line)
        words = {"--word-scores": True}
        sides = [cut(folder, python, lines) for lines in (sources, targets)]
        return searched(scored(folder, python, *sides, model, vocabularies, **words), options)

    def align(folder, python, sources, targets):
        hard = {"--alignment": "hard"}
        lines = scored(folder, python, sources, targets, model, vocabularies, **hard)
        return [without_ends(line.split(" ||| ")[1], *pair) for line, *pair in zip(lines, sources, targets)]

    return Case(
        **{
            "name": name,
            "program": MARIAN,
            "make": make,
            "translate": translations,
            "options": ("--codes", codes) if codes else (),
            "score": score,
            "align": align if aligned else None,
            "ordered": ordered,
            "lines": LINES,
            "targets": TARGETS,
            "equal": {4: 0.9},
            "reason": BEAMS,
            **case,
        }
    )


def without_ends(links, source, target):
    """Marian links ends, too, which come after the last word."""
    sides = [len(source.split()), len(target.split())]
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    return " ".join(f"{i}-{j}" for i, j in pairs if i < sides[0] and j < sides[1])


def refused(name, message, **given):
    """A model that heed must refuse. Two updates are enough for that."""
    options = {**TIED_ALL, "--after-batches": 2, **given}
    return trained(name, options=options, refused=message, equal={}, reason="")


# What Marian says besides.


def totals(folder, python, run):
    """The last column of both n-best lists: (log-probability - penalty n) / n^normalize."""
    beam = 4
    options = {**ALONE, "--config": decoder_of(folder, "model.npz"), "--beam-size": beam, "--n-best": True}
    text = "".join(line + "\n" for line in LINES)
    fields = [line.split(" ||| ") for line in lines_of(marian(python, "decode", options, text=text))]
    theirs = {(int(one[0]), one[1]): float(one[-1]) for one in fields}
    ours = run.n_best(list(LINES), beam)
    common = ours.keys() & theirs.keys()
    if len(common) < 2 * len(LINES):
        return [f"n-best lists: only {len(common)} of {len(theirs)} translations are in both"]
    worst = max(common, key=lambda key: abs(ours[key] - theirs[key]))
    if abs(ours[worst] - theirs[worst]) < 2e-4:  # Marian prints six digits
        return []
    return [f"n-best lists: {ours[worst]} of heed and {theirs[worst]} of the program for {worst}"]


def taught_head(folder, python, run):
    """Marian's soft alignments are the weights of the head that decoding.alignment names."""
    config = (run.folder / "run/config.yaml").read_text(encoding="utf-8")
    if "alignment:\n    layer: 0\n    head: 0\n" not in config:
        return ["decoding.alignment is not layer 0, head 0"]
    options = {**ALONE, "--config": decoder_of(folder, "model.npz"), "--alignment": "soft", "--beam-size": 1}
    sources = list(LINES[:-5])
    text = "".join(line + "\n" for line in sources)
    pairs = [line.split(" ||| ") for line in lines_of(marian(python, "decode", options, text=text))]
    compared, failures = 0, []
    for ours, (target, rows) in zip(run.attention(sources, [one[0] for one in pairs], 0, 0), pairs, strict=True):
        weights = [map(float, row.split(",")) for row in rows.split()]
        theirs = {(t, s): weight for t, row in enumerate(weights) for s, weight in enumerate(row)}
        if ours.keys() != theirs.keys():
            continue  # the search wrote other pieces than those of the text
        compared += 1
        difference = max(abs(ours[place] - weight) for place, weight in theirs.items())
        if difference > 1e-4:
            failures.append(f"attention of {target!r}: weights differ by {difference:.1e}")
    return failures if compared > 10 else [f"attention: only {compared} translations could be compared"]


# What is done before and after training.


def compress(folder, python):
    """As people hand models on: compressed, without the states of training."""
    (folder / "packed").mkdir()
    with gzip.open(folder / "packed/model.npz.gz", "wb") as file:
        file.write((folder / "model/model.npz").read_bytes())
    for name in (*JOINT[:1], "model.npz.decoder.yml"):
        shutil.copy(folder / "model" / name, folder / "packed" / name)


def only_models(folder, python):
    """Leaves what translates: states of the optimiser are large."""
    for path in (folder / "model").iterdir():
        if not path.name.endswith((".spm", "model.npz", "decoder.yml")):
            path.unlink()


def search(**options):
    """Writes decoder.yml as an author does who has chosen how to search."""

    def after(folder, python):
        chosen = {name.replace("_", "-"): value for name, value in options.items()}
        text = decoder_of(folder, "model.npz").read_text(encoding="utf-8")
        kept = [line for line in text.splitlines() if line.partition(":")[0] not in chosen]
        kept += [f"{name}: {value}" for name, value in chosen.items()]
        (folder / "model/decoder.yml").write_text("\n".join(kept), encoding="utf-8")

    return after


def links_of_words(folder, python):
    """Gold alignments for guided alignment, of pieces that are words."""
    corpus.write(folder)
    with open(folder / "train.align", "w", encoding="utf-8") as file:
        for links in corpus.links():
            print(*(f"{i}-{j}" for i, j in links), file=file)
    return {"--guided-alignment": folder / "train.align"}


def validation(folder, python):
    corpus.write(folder)
    sides = []
    for side, language in enumerate(("de", "en")):
        sides.append(folder / f"valid.{language}")
        text = "".join(pair[side] + "\n" for pair in corpus.pairs(50, seed=3))
        sides[-1].write_text(text, encoding="utf-8")
    return {"--valid-sets": sides}


def tables_of_words(folder, python):
    """Vocabularies of whole words, as pymarian vocab makes them of tokenised text."""
    corpus.write(folder)
    (folder / "model").mkdir()
    for language in ("de", "en"):
        text = (folder / f"train.{language}").read_text(encoding="utf-8")
        table = run([python, "-m", "pymarian", "vocab"], text=text)
        (folder / f"model/vocab.{language}.yml").write_text(table, encoding="utf-8")
    return {}


def cut_by_subword_nmt(folder, python, lines):
    text = "".join(line + "\n" for line in lines)
    command = [Path(python).parent / "subword-nmt", "apply-bpe", "-c", folder / "codes"]
    return lines_of(run(command, text=text))


def joined_words(line):
    return line.replace("@@ ", "")


def pieces_of_subword_nmt(folder, python):
    """The corpora in pieces of 60 merges, and one table of the pieces of both sides."""
    corpus.write(folder)
    sides = [folder / "train.de", folder / "train.en"]
    texts = [path.read_text(encoding="utf-8") for path in sides]
    learn = [Path(python).parent / "subword-nmt", "learn-bpe", "-s", 60]
    (folder / "codes").write_text(run(learn, text="".join(texts)), encoding="utf-8")
    for path, text in zip(sides, texts, strict=True):
        pieces = cut_by_subword_nmt(folder, python, lines_of(text))
        path.write_text("".join(line + "\n" for line in pieces), encoding="utf-8")
    (folder / "model").mkdir()
    both = "".join(path.read_text(encoding="utf-8") for path in sides)
    table = run([python, "-m", "pymarian", "vocab"], text=both)
    (folder / "model/vocab.yml").write_text(table, encoding="utf-8")
    return {}


# Lines of pieces, which another program has cut already.
PIECES = {
    "vocabularies": ("vocab.yml", "vocab.yml"),
    "options": {**TIED_ALL, "--dim-vocabs": [0, 0]},
    "prepare": pieces_of_subword_nmt,
}
VALIDATED = {
    **TIED_ALL,
    "--valid-freq": 100,
    "--valid-metrics": ["cross-entropy", "perplexity"],
    "--valid-mini-batch": 8,
    "--keep-best": True,
    "--overwrite": True,
}
CASES = [
    trained("tied-all", options=TIED_ALL),
    # By the alphabet the target's file comes first.
    trained(
        "two-spm",
        vocabularies=("vocab.yy.spm", "vocab.xx.spm"),
        options={"--tied-embeddings": True, "--normalize": 0.6, "--beam-size": 6},
        **NORMALIZED,
    ),
    trained("nothing-tied", vocabularies=("vocab.de.spm", "vocab.en.spm")),
    trained("tied-embeddings-only", options={"--tied-embeddings": True}),
    trained("tied-sides-only", options={"--tied-embeddings-src": True}),
    trained("pre-norm", options={**TIED_ALL, **PRE_NORM}, **SCORES_ALONE),
    trained(
        "pre-norm-no-affine",
        options={**TIED_ALL, **PRE_NORM, "--transformer-no-affine": True, "--transformer-ffn-activation": "relu"},
        **SCORES_ALONE,
    ),
    trained("no-affine", options={**TIED_ALL, "--transformer-no-affine": True}),
    trained("relu", options={**TIED_ALL, "--transformer-ffn-activation": "relu"}),
    trained("norm-after-embeddings", options={**TIED_ALL, "--transformer-postprocess-emb": "n"}),
    trained("no-positions", options={**TIED_ALL, "--transformer-disable-position-embeddings": True}),
    trained(
        "depth-scaling",
        options={**TIED_ALL, "--transformer-depth-scaling": True, "--enc-depth": 4, "--dec-depth": 1},
    ),
    trained("no-bias-of-output", options={**TIED_ALL, "--output-omit-bias": True}),
    trained(
        "guided",
        prepare=links_of_words,
        options={**TIED_ALL, **WORDS_AS_PIECES, "--transformer-guided-alignment-layer": 1},
        aligned=True,
        more=taught_head,
        lines=tuple(corpus.sources()[:-5]),
        targets=tuple(corpus.targets()[:-5]),
    ),
    trained(
        "search",
        options=TIED_ALL,
        after=search(normalize=0.6, word_penalty=0.4, max_length_factor=1.2, beam_size=6),
        more=totals,
        **NORMALIZED,
    ),
    trained("unknown-allowed", options=TIED_ALL, after=search(allow_unk="true")),
    trained("compressed", options=TIED_ALL, after=compress, imports="packed"),
    trained("folder-of-training", prepare=validation, options=VALIDATED),
    trained(
        "best-itself",
        prepare=validation,
        options=VALIDATED,
        model="model.npz.best-cross-entropy.npz",
        imports="model/model.npz.best-cross-entropy.npz",
    ),
    trained("words", vocabularies=("vocab.de.yml", "vocab.en.yml"), prepare=tables_of_words),
    trained(
        "pieces",
        **PIECES,
        settings=("data.pieces=true",),
        lines=("w@@ ei@@ ß baum", "ei@@ n@@ s r@@ o@@ t stadt", "fluss gr@@ o@@ ß", "H@@ au@@ s 4@@ 2", "hund", "katze", "🙂"),
        targets=("tree w@@ h@@ i@@ t@@ e", "o@@ n@@ e town re@@ d", "river la@@ r@@ g@@ e", "H@@ o", "dog", "cat", "🙂"),
    ),
    trained("pieces-of-codes", **PIECES, cut=cut_by_subword_nmt, joined=joined_words, codes="{folder}/codes"),
    refused("right-left", "option right-left is true", **{"--right-left": True}),
    refused("tied-layers", "transformer-tied-layers", **{"--transformer-tied-layers": [1, 1]}),
    refused("recurrent", "type", **{"--type": "s2s"}),
    refused("average-attention", "autoreg", **{"--transformer-decoder-autoreg": "average-attention"}),
]
TINY = {
    "--dim-emb": 16,
    "--transformer-dim-ffn": 24,
    "--transformer-heads": 2,
    "--enc-depth": 1,
    "--dec-depth": 1,
    "--after-batches": 300,
    "--learn-rate": 0.015,
    # Without a table of normalisations, which takes more than all weights.
    "--sentencepiece-options": "--hard_vocab_limit=false --normalization_rule_name=identity",
}
FEW = {"lines": LINES[:8] + LINES[-5:], "targets": TARGETS[:8] + TARGETS[-5:], "after": only_models}
FIXTURES = [
    trained("joint", options={**TINY, **TIED_ALL}, **FEW),
    trained("two-spm", vocabularies=("vocab.yy.spm", "vocab.xx.spm"), options=TINY, **FEW),
    trained("pre-norm", options={**TINY, **TIED_ALL, **PRE_NORM}, **FEW, **SCORES_ALONE),
    trained("norm-after-embeddings", options={**TINY, **TIED_ALL, "--transformer-postprocess-emb": "n"}, **FEW),
]
