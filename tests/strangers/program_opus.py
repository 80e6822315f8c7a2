"""Marian's models in folders as OPUS-MT publishes them, trained by Marian itself. CTranslate2's converters take the same folders
(program_ctranslate2.py)."""

import corpus
from case import Case, ask
from program_marian import LINES, MARIAN, NORMALIZED, PRE_NORM, SCORES_ALONE, TARGETS, searched

NORMALIZE = {"normalize": 1}  # of inside_opus.py's decoder.yml


def opus(name, *options, joint=True, **differs):
    def asked(action, folder, python, **request):
        return ask(python, "inside_opus.py", {"action": action, "folder": str(folder), **request})

    def make(folder, python):
        corpus.write(folder)
        asked("make", folder, python, options=options, joint=joint)

    def translate(folder, python, lines, beam):
        return asked("translate", folder, python, lines=lines, beam=beam)

    def score(folder, python, sources, targets):
        return asked("score", folder, python, sources=sources, targets=targets)

    def ordered(folder, python, sources, targets):
        return searched(asked("word_scores", folder, python, sources=sources, targets=targets), NORMALIZE)

    return Case(name, MARIAN, make, translate, score, ordered=ordered, **differs)


# Measured with `opus` on 29 November 2026: 36 of 40 are equal, and Marian orders its own higher in the other four.
TWO_TABLES = ("--tied-embeddings", "--transformer-ffn-activation", "relu")
CASES = [
    opus("opus", "--tied-embeddings-all", "--transformer-ffn-activation", "swish", **NORMALIZED),
    opus("opus-two-tables", *TWO_TABLES, joint=False, **NORMALIZED),
    opus("opus-pre-norm", *TWO_TABLES, *sum(PRE_NORM.items(), ()), joint=False, lines=LINES, targets=TARGETS, **SCORES_ALONE),
]
FIXTURES = CASES
