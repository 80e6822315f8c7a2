"""What a module of another program says about its models: the interface between `strangers.py` and `program_*.py`.

A module `program_NAME.py` has

    CASES: list[Case]      compared by ./run strangers
    FIXTURES: list[Case]   tiny models that fixtures.py makes once, into tests/exchange/fixtures/NAME (may be empty)

The functions of a case run in heed's Python. `python` is the Python of the case's environment, which has the program: call it
by ask(), or start its programs from the same folder (Path(python).parent / "ct2-transformers-converter").
"""

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Program:
    """A version of a program, and so an environment of Python, which its cases share."""

    name: str
    version: str
    packages: tuple[str, ...]  # as pip takes them, each with its version
    bare: tuple[str, ...] = ()  # installed before them with --no-deps
    python: str = ""  # such as "3.10", where the packages are for this version alone

    @property
    def folder(self):
        return f"{self.name}-{self.version}"


@dataclass(frozen=True)
class Case:
    """A model of another program, and what heed must compute with it.

    `make(folder, python)` writes the model into folder / `imports`, and what else it likes beside it, such as a corpus. Models are
    kept from one call of ./run strangers to the next, as long as the text of the module stays the same.
    `translate(folder, python, lines, beam)` returns the program's translation of each line; a beam of 1 is greedy.
    `score(folder, python, sources, targets)` returns each pair's log-probability: natural, the sum over all pieces and the end.
    `align(folder, python, sources, targets)` returns lines of links as `heed align` prints them ("0-0 1-2").
    `ordered(folder, python, sources, targets)` returns what the program's search orders translations by (higher is better), each
    computed by its scorer: the log-probability, divided by the length and with penalties as its search has them.
    """

    name: str  # in lower case with hyphens; one of its kind within the program
    program: Program
    make: Callable[[Path, str], None]
    translate: Callable[[Path, str, list[str], int], list[str]] | None = None  # None only where heed refuses
    score: Callable[[Path, str, list[str], list[str]], list[float]] | None = None
    align: Callable[[Path, str, list[str], list[str]], list[str]] | None = None
    ordered: Callable[[Path, str, list[str], list[str]], list[float]] | None = None
    # What else the program says, compared with heed.Run by the case itself: a list of failures, each a sentence.
    more: Callable[[Path, str, object], list[str]] | None = None
    imports: str = "model"  # what heed imports: a folder or file below the case's folder
    options: tuple[str, ...] = ()  # of heed import; "{folder}" becomes the case's folder
    settings: tuple[str, ...] = ()  # for heed translate and score, as --set takes them
    lines: tuple[str, ...] = ()  # to translate; none: corpus.sources()
    targets: tuple[str, ...] = ()  # to score with `lines`; none: the program's translations by the first beam
    beams: tuple[int, ...] = (1, 4)
    # What may differ, and why: shares of translations by beam that must be equal (others: all), and the largest difference of
    # log-probabilities of a pair.
    equal: dict[int | str, float] = field(default_factory=dict)  # "links": of alignments
    bound: float = 1e-4
    # The share of translations by beams that are equal or that the program itself orders at least as high as its own, less 1e-4.
    # It is tested where a case has `ordered`.
    no_worse: float = 1
    distinct: int = 5  # how many of the translations must differ: those that are all alike prove little
    refused: str = ""  # a regular expression: heed refuses the model, with an error that has this
    reason: str = ""  # a sentence; needed where `equal` or `bound` is not the usual one

    def __post_init__(self):
        if (self.equal or self.bound != 1e-4) and not self.reason:
            raise ValueError(f"{self.name}: a bound of its own needs a reason")


def ask(python, script, request, timeout=1800):
    """Runs tests/strangers/`script` with an environment's Python. The script reads `request` as JSON from its standard input,
    and writes its answer as JSON, as the last line of its standard output."""
    text = run([python, HERE / script], text=json.dumps(request), timeout=timeout)
    return json.loads(text.rstrip("\n").rpartition("\n")[2])


def run(command, text=None, timeout=1800):
    """The standard output of a command. Where it fails, the end of what it wrote is the error."""
    command = [str(part) for part in command]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, input=text, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)[:400]} ended with {done.returncode}:\n{(done.stdout + done.stderr)[-2000:]}")
    return done.stdout
