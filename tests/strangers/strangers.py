#!/usr/bin/env python3
"""./run strangers: other programs train or convert models, heed imports them, and both compute the same.

Names select programs ("marian"), versions ("ctranslate2-4.8.5") and cases ("right-left", "marian/right-left"). Environments
are in HEED_STRANGERS, else in build/strangers/env; models and what heed made of them in build/strangers/cases.
"""

import argparse
import hashlib
import importlib
import os
import re
import shutil
import sys
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import corpus
from environments import Unavailable, environment
from heed import ROOT, Heed, Run

HERE = Path(__file__).resolve().parent
HEADER = ("program", "version", "case", "lines", "equal", "scores", "bound", "result")


@dataclass
class Result:
    case: object
    lines: int = 0
    equal: dict = field(default_factory=dict)  # how many translations, by beam; of "links", too
    difference: float | None = None
    failures: list = field(default_factory=list)
    skipped: str = ""
    seconds: float = 0

    def row(self):
        equal = ", ".join(f"{name} {count}" for name, count in self.equal.items())
        difference = "" if self.difference is None else f"{self.difference:.1e}"
        result = "skipped" if self.skipped else "FAILS" if self.failures else "passes"
        program = self.case.program
        bound = "" if self.case.refused else f"{self.case.bound:.0e}"
        return (program.name, program.version, self.case.name, str(self.lines), equal, difference, bound, result)


def say(line):
    print(line, file=sys.stderr, flush=True)


def all_cases(table="CASES"):
    """Pairs of a module and a case of its CASES, or of its FIXTURES."""
    for path in sorted(HERE.glob("program_*.py")):
        module = importlib.import_module(path.stem)
        yield from ((module, case) for case in getattr(module, table))


def names_of(case):
    program = case.program
    return {program.name, program.folder, case.name, f"{program.name}/{case.name}", f"{program.folder}/{case.name}"}


def made(module, case, folder, python, keep):
    """The case's folder with its model, made anew where the module has changed."""
    home = folder / case.program.folder / case.name
    stamp = home / ".made"
    sources = [Path(module.__file__), HERE / "corpus.py"]
    wanted = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    if stamp.exists() and (keep or stamp.read_text(encoding="utf-8") == wanted):
        return home
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    case.make(home, python)
    stamp.write_text(wanted, encoding="utf-8")
    return home


def count_equal(result, name, ours, theirs, share, lines):
    if len(ours) != len(theirs):
        result.failures.append(f"{name}: heed wrote {len(ours)} lines, the program {len(theirs)}")
        return
    same = sum(a == b for a, b in zip(ours, theirs))
    result.equal[name] = f"{same}/{len(theirs)}"
    if same < share * len(theirs):
        wrong = [(line, b, a) for line, a, b in zip(lines, ours, theirs) if a != b][:3]
        shown = "".join(f"\n    {line!r}\n      program {b!r}\n      heed    {a!r}" for line, b, a in wrong)
        result.failures.append(f"{name}: {same} of {len(theirs)} are equal, {share:.0%} should be{shown}")


def with_wordless_lines(lines, translations):
    """The translations with the lines that have neither a letter nor a digit: heed gives these back, without a model."""
    return [translation if any(c.isalnum() for c in line) else line for line, translation in zip(lines, translations, strict=True)]


def count_no_worse(result, name, sources, ours, theirs, home, python):
    """Where texts differ, the program says by its own scorer which of the two its search should have found."""
    case = result.case
    differing = [triple for triple in zip(sources, ours, theirs, strict=True) if triple[1] != triple[2]]
    if not differing:
        return
    lines, mine, other = map(list, zip(*differing))
    ranks = list(zip(case.ordered(home, python, lines, mine), case.ordered(home, python, lines, other), strict=True))
    worse = [(*texts, *pair) for texts, pair in zip(differing, ranks, strict=True) if pair[0] < pair[1] - 1e-4]
    result.equal[name] += f" + {len(differing) - len(worse)} no worse"
    if len(ours) - len(worse) < case.no_worse * len(ours):
        shown = "".join(f"\n    {s!r}\n      program {b!r} {y:.4f}\n      heed    {a!r} {x:.4f}" for s, a, b, x, y in worse[:3])
        result.failures.append(f"{name}: {len(worse)} of {len(ours)} are worse by the program's own scorer{shown}")


def compare(case, home, python):
    result = Result(case)
    lines = list(case.lines or corpus.sources())
    shutil.rmtree(home / "run", ignore_errors=True)
    options = [option.replace("{folder}", str(home)) for option in case.options]
    try:
        run = Run(home / case.imports, home, options, case.settings)
    except Heed as error:
        if not case.refused or not re.search(case.refused, str(error)):
            result.failures.append(str(error))
        return result
    if case.refused:
        result.failures.append(f"heed imports it; it should have said: {case.refused}")
        return result
    result.lines = len(lines)
    targets = list(case.targets)
    for beam in case.beams:
        theirs = with_wordless_lines(lines, case.translate(home, python, lines, beam))
        ours = run.translate(lines, beam)
        count_equal(result, f"beam {beam}", ours, theirs, case.equal.get(beam, 1), lines)
        if case.ordered and beam > 1 and len(ours) == len(theirs):
            count_no_worse(result, f"beam {beam}", lines, ours, theirs, home, python)
        targets = targets or theirs
        if len(set(theirs)) < case.distinct:
            result.failures.append(f"beam {beam}: {len(set(theirs))} different translations prove little")
    theirs = case.score(home, python, lines, targets)
    ours = run.score(lines, targets)
    if not len(ours) == len(theirs) == len(lines):
        result.failures.append(f"scores: {len(ours)} of heed and {len(theirs)} of the program for {len(lines)} lines")
    else:
        differences = [abs(a - b) for a, b in zip(ours, theirs)]
        result.difference = max(differences)
        if not result.difference <= case.bound:
            worst = differences.index(result.difference)
            result.failures.append(f"scores: {ours[worst]:.6f} of heed and {theirs[worst]:.6f} of the program for {lines[worst]!r}")
        if max(theirs) - min(theirs) < 1:
            result.failures.append("scores: all alike, which proves little")
    if case.more:
        result.failures += case.more(home, python, run)
    if case.align:
        links = case.align(home, python, lines, targets)
        count_equal(result, "links", run.align(lines, targets), links, case.equal.get("links", 1), lines)
    return result


def checked(job, folder, pythons, keep):
    module, case = job
    begun = time.monotonic()
    python = pythons[case.program]
    if isinstance(python, Unavailable):
        result = Result(case, skipped=str(python))
    else:
        try:
            result = compare(case, made(module, case, folder, python, keep), python)
        except Exception as error:  # of a program or a module: the other cases go on
            known = isinstance(error, (Heed, RuntimeError))
            result = Result(case, failures=[str(error) if known else traceback.format_exc()])
    result.seconds = time.monotonic() - begun
    say(f"{' '.join(names_of_result(result))} ({result.seconds:.0f} s)")
    return result


def names_of_result(result):
    row = result.row()
    return row[0], row[1], row[2] + ":", row[-1]


def table(results, markdown):
    rows = [HEADER, *(result.row() for result in results)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEADER))]
    for number, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        yield "| " + " | ".join(row) + " |" if markdown else "  ".join(cells).rstrip()
        if markdown and number == 0:
            yield "| " + " | ".join("---" for _ in row) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="programs, versions and cases; none: all")
    parser.add_argument("--list", action="store_true", help="print the cases, and make nothing")
    parser.add_argument("--keep", action="store_true", help="use models of an earlier call although a module has changed")
    parser.add_argument("--jobs", type=int, default=2, help="cases at once (2)")
    parser.add_argument("--markdown", action="store_true", help="print the table for a page of the documentation")
    args = parser.parse_args()
    jobs = list(all_cases())
    paths = [f"{case.program.folder}/{case.name}" for _, case in jobs]
    assert len(set(paths)) == len(paths), "two cases have one folder"
    known = set().union(*(names_of(case) for _, case in jobs))
    for name in args.names:
        if name not in known:
            parser.error(f"nothing is called {name}; --list prints the cases")
    jobs = [job for job in jobs if not args.names or names_of(job[1]) & set(args.names)]
    if args.list:
        print("\n".join(f"{case.program.folder}/{case.name}" for _, case in jobs))
        return 0
    work = ROOT / "build/strangers"
    environments = Path(os.environ.get("HEED_STRANGERS", work / "env"))
    environments.mkdir(parents=True, exist_ok=True)
    pythons = {}
    for _, case in jobs:
        if case.program not in pythons:
            try:
                pythons[case.program] = environment(case.program, environments, say)
            except Unavailable as reason:
                pythons[case.program] = reason
    with ThreadPoolExecutor(args.jobs) as pool:
        results = list(pool.map(lambda job: checked(job, work / "cases", pythons, args.keep), jobs))
    print("\n".join(table(results, args.markdown)))
    for result in results:
        name = f"{result.case.program.folder}/{result.case.name}"
        if result.skipped:
            print(f"{name} is skipped: {result.skipped}")
        if result.case.reason:
            print(f"{name}: {result.case.reason}")
        for failure in result.failures:
            print(f"{name} FAILS: {failure}")
    return any(result.failures for result in results)


if __name__ == "__main__":
    sys.exit(main())
