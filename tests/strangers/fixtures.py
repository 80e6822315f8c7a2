#!/usr/bin/env python3
"""Makes the fixtures of ctest `strangers` again: tiny models that other programs wrote, with what these programs computed.

    python3 tests/strangers/fixtures.py [NAME...]

Names are those of ./run strangers. Each fixture is a folder of tests/exchange/fixtures, PROGRAM-VERSION-CASE:
    model/         as the program wrote it
    expected.json  lines, translations by beam, targets and their log-probabilities, all of the program
    made_by        the program, its packages, and the day
"""

import datetime
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import corpus
from environments import environment, version_of
from heed import ROOT
from strangers import all_cases, names_of, say

FIXTURES = ROOT / "tests/exchange/fixtures"
LARGEST_FILE, LARGEST_SUM = 100_000, 700_000  # bytes


def size_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def expected(case, folder, python):
    """What the program computes, as the test reads it."""
    lines = list(case.lines or corpus.sources(12))
    translations = {beam: case.translate(folder, python, lines, beam) for beam in case.beams}
    targets = list(case.targets) or translations[case.beams[0]]
    out = {
        "options": list(case.options),
        "settings": list(case.settings),
        "lines": lines,
        "translations": translations,
        "targets": targets,
        "scores": case.score(folder, python, lines, targets),
        "equal": case.equal,
        "bound": case.bound,
        "reason": case.reason,
    }
    if case.align:
        out["links"] = case.align(folder, python, lines, targets)
    return out


def make(case, python):
    program = case.program
    home = FIXTURES / f"{program.folder}-{case.name}"
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        case.make(work, python)
        answers = expected(case, work, python)
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        shutil.copytree(work / case.imports, home / "model")
    for path in home.rglob("*"):
        if path.is_file() and path.stat().st_size > LARGEST_FILE:
            raise RuntimeError(f"{path} has {path.stat().st_size} bytes, more than {LARGEST_FILE}")
    text = json.dumps(answers, ensure_ascii=False, indent=1)
    (home / "expected.json").write_text(text + "\n", encoding="utf-8")
    day = datetime.date.today()
    (home / "made_by").write_text(
        f"{program.name} {program.version}, Python {version_of(python)}\n"
        f"packages: {' '.join(program.bare + program.packages)}\n"
        f"made on {day.isoformat()} by python3 tests/strangers/fixtures.py {program.folder}/{case.name}\n",
        encoding="utf-8",
    )
    say(f"{home.relative_to(ROOT)}: {size_of(home)} bytes")


def main():
    environments = Path(os.environ.get("HEED_STRANGERS", ROOT / "build/strangers/env"))
    environments.mkdir(parents=True, exist_ok=True)
    names = set(sys.argv[1:])
    cases = [case for _, case in all_cases("FIXTURES") if not names or names_of(case) & names]
    if not cases:
        sys.exit(f"no fixture is called {' or '.join(sorted(names))}")
    for case in cases:
        make(case, environment(case.program, environments, say))
    if (whole := size_of(FIXTURES)) > LARGEST_SUM:
        sys.exit(f"{FIXTURES} has {whole} bytes, more than {LARGEST_SUM}")


if __name__ == "__main__":
    main()
