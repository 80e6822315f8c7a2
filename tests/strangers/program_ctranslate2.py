"""CTranslate2 of every age of its format: each version converts a Marian model by itself and computes with the file. Other
programs' models are the same file with other settings; what their converters set is in inside_ctranslate2.py."""

from dataclasses import replace

from case import Case, Program, ask
from heed import ROOT

OPUS = ROOT / "tests/exchange/fixtures/marian-1.12.42-opus"  # of program_opus.py
OLD = {"python": "3.10"}  # the last for which there are packages of all these versions
OF_OLD = ("numpy==1.26.4", "pyyaml==6.0.4", "sentencepiece==0.2.3")
VERSIONS = {
    "2.24.0": Program("ctranslate2", "2.24.0", ("ctranslate2==2.24.0", *OF_OLD, "setuptools==60.0.0"), **OLD),
    **{
        version: Program("ctranslate2", version, (f"ctranslate2=={version}", *OF_OLD, "setuptools==69.5.1"), **OLD)
        for version in ("3.0.2", "3.10.0", "3.24.0", "4.0.0")
    },
    "4.8.5": Program("ctranslate2", "4.8.5", ("ctranslate2==4.8.5", "numpy==2.4.6", "pyyaml==6.0.4", "sentencepiece==0.2.3")),
}
SEARCH = ("precision=fp32", "decoding.length_penalty=none", "decoding.max_length_ratio=3")


def converted(version, name, variant="", quantization="", opus="opus"):
    def asked(action, folder, python, **request):
        return ask(python, "inside_ctranslate2.py", {"action": action, "folder": str(folder), **request})

    def make(folder, python):
        model = str(OPUS.with_name(f"marian-1.12.42-{opus}") / "model")
        asked("make", folder, python, opus=model, variant=variant, quantization=quantization)

    def translate(folder, python, lines, beam):
        return asked("translate", folder, python, lines=lines, beam=beam)

    def score(folder, python, sources, targets):
        return asked("score", folder, python, sources=sources, targets=targets)

    case = Case(name, VERSIONS[version], make, translate, score, settings=SEARCH)
    if variant != "no-end":
        return case
    reason = "a model that was trained with ends does not end without; beams that end nowhere are pruned differently"
    return replace(case, equal={4: 0.9}, reason=reason)


def cases():
    for version in VERSIONS:
        yield converted(version, "float32")
        yield converted(version, "two-tables", opus="opus-pre-norm")
        for quantization in ("int8", "int16", "float16", "int8_float16"):
            yield converted(version, quantization.replace("_", "-"), quantization=quantization)
    for version in ("2.24.0", "3.0.2", "4.8.5"):
        for variant in ("no-table", "marian-positions", "factor-root", "factor-other", "no-end", "begins-with-the-end"):
            yield converted(version, variant, variant)
        yield converted(version, "marian-positions-float16", "marian-positions", "float16")


CASES = list(cases())
FIXTURES = [
    converted("2.24.0", "float16", "short-table", "float16"),
    converted("3.10.0", "int8", "short-table", "int8"),
    converted("4.8.5", "no-table-int16", "no-table", "int16"),
]
