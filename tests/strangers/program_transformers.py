"""transformers of Hugging Face, two versions of it, as each saves models and tokenizers, and the same models as
ct2-transformers-converter writes them. tests/twins/test_transformers.py compares more options, attention and tuning with one version;
here the whole way is the program's: its tokenizer, its search and its files."""

import corpus
from case import Case, Program, ask

OF_BOTH = ("torch==2.11.0", "safetensors==0.8.0", "numpy==2.4.6", "protobuf==7.36.2", "ctranslate2==4.8.5", "pyyaml==6.0.4", "setuptools==81.0.0")
VERSIONS = {
    "4.57.1": Program("transformers", "4.57.1", ("transformers==4.57.1", "sentencepiece==0.2.1", *OF_BOTH)),
    "5.24.0": Program("transformers", "5.24.0", ("transformers==5.24.0", "sentencepiece==0.2.3", *OF_BOTH)),
}
SEARCH = ("precision=fp32", "decoding.length_penalty=none", "decoding.max_length_ratio=3")
LANGUAGES = {
    "marian": (),
    "m2m-100": ("--source-language", "de", "--target-language", "en"),
    "nllb-200": ("--source-language", "deu_Latn", "--target-language", "eng_Latn"),
    "mbart-50": ("--source-language", "de_DE", "--target-language", "en_XX"),
}


def saved(version, kind):
    def asked(action, folder, python, **request):
        return ask(python, "inside_transformers.py", {"action": action, "folder": str(folder), **request})

    def make(folder, python):
        corpus.write(folder)
        asked("make", folder, python, kind=kind)

    def translate(folder, python, lines, beam):
        return asked("translate", folder, python, lines=lines, beam=beam)

    def score(folder, python, sources, targets):
        return asked("score", folder, python, sources=sources, targets=targets)

    return Case(kind, VERSIONS[version], make, translate, score, options=LANGUAGES[kind], settings=SEARCH)


CASES = [saved(version, kind) for version in VERSIONS for kind in LANGUAGES]
FIXTURES = []
