"""Argos Translate: a package that it installs itself, and its translations."""

from case import Case, Program, ask
from heed import ROOT

MODEL = ROOT / "tests/exchange/fixtures/marian-1.12.42-joint/model"  # of program_marian.py
ARGOS = Program(
    "argos",
    "1.11.0",
    ("ctranslate2==4.8.5", "sentencepiece==0.2.1", "numpy==2.4.6", "pyyaml==6.0.4", "sacremoses==0.1.1", "packaging==26.4", "requests==2.34.2"),
    bare=("argostranslate==1.11.0",),  # its sentence splitters are 3 GB
)
# Argos Translate asks CTranslate2 for a length penalty of 0.2.
SEARCH = ("precision=fp32", "decoding.length_penalty=power", "decoding.alpha=0.2", "decoding.max_length_ratio=3")


def asked(action, folder, python, **request):
    return ask(python, "inside_argos.py", {"action": action, "folder": str(folder), **request})


def argos(name, end):
    def make(folder, python):
        asked("pack", folder, python, marian=str(MODEL), end=end)

    def translate(folder, python, lines, beam):
        return asked("translate", folder, python, lines=lines, beam=beam)

    def score(folder, python, sources, targets):
        return asked("score", folder, python, sources=sources, targets=targets)

    return Case(name, ARGOS, make, translate, score, imports="de_en.argosmodel", settings=SEARCH, beams=(4,))


CASES = [argos("package", end=True)]
FIXTURES = []
