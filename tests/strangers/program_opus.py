"""Marian's models in folders as OPUS-MT publishes them, trained by Marian itself. CTranslate2's converters take the same folders
(program_ctranslate2.py)."""

import corpus
from case import Case, ask
from program_marian import MARIAN


def opus(name, *options, joint=True, one=False):
    def asked(action, folder, python, **request):
        return ask(python, "inside_opus.py", {"action": action, "folder": str(folder), **request})

    def make(folder, python):
        corpus.write(folder)
        asked("make", folder, python, options=options, joint=joint, one=one)

    def translate(folder, python, lines, beam):
        return asked("translate", folder, python, lines=lines, beam=beam)

    def score(folder, python, sources, targets):
        return asked("score", folder, python, sources=sources, targets=targets)

    return Case(name, MARIAN, make, translate, score)


CASES = [
    opus("opus", "--tied-embeddings-all", "--transformer-ffn-activation", "swish"),
    # One SentencePiece file for both sides, as packages of Argos Translate have (program_argos.py).
    opus("opus-one-file", "--tied-embeddings-all", "--transformer-ffn-activation", "relu", one=True),
    opus(
        "opus-two-tables", "--tied-embeddings", "--transformer-ffn-activation", "relu", "--transformer-preprocess", "n",
        "--transformer-postprocess", "da", "--transformer-postprocess-top", "n", joint=False,
    ),
]  # fmt: skip
FIXTURES = CASES
