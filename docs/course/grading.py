"""What a lab's check.py is written with. It has one function, check(lab), which calls for each question one of

    lab.number(name, right, within, hint)         a number in answers.txt
    lab.word(name, right, hint, choices)          a word in answers.txt: one of `right`
    lab.function(file, name, cases, hint, about)  a function in a Python file: what it gives for arguments

and reads what the student's commands have written with lab.rows(file, column=value, ...).
"""
import array
import base64
import contextlib
import csv
import importlib.util
import io
import json
import math
import re
import sys
from pathlib import Path


class LabError(Exception):
    """One line for the person at the terminal."""


class NotYet(Exception):
    """A file that a question is about is not there."""


def normal(text):
    return " ".join(str(text).lower().replace(",", " ").strip("\"'\u2581").split())


def near(got, right, within):
    """Whether numbers, or lists of them, differ by at most `within`."""
    if isinstance(right, (list, tuple)):
        try:
            return len(got) == len(right) and all(near(g, r, within) for g, r in zip(got, right))
        except TypeError:
            return False
    return (isinstance(got, (int, float)) and (got == right or abs(got - right) <= within)) and not math.isnan(got)


def strongest(lab, target, file="attention.csv"):
    """The source word with the largest weight of a word of the translation, and this weight."""
    row = max(lab.rows(file, target_position=target), key=lambda row: row["weight"])
    return row["source_token"], row["weight"]


class Lab:
    """A student's folder. With `show` the right answers stand beside the student's."""

    def __init__(self, folder, show=False):
        self.folder, self.show = Path(folder), show
        self.answers, self.right, self.asked = {}, 0, 0
        for number, line in enumerate((self.folder / "answers.txt").read_text().splitlines(), 1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            name, equals, value = line.partition("=")
            if not equals:
                raise LabError(f"{self.folder / 'answers.txt'}:{number}: not of the form NAME = ANSWER; "
                               "put explanations after a #")
            self.answers[name.strip()] = value.strip()

    def path(self, name):
        path = self.folder / name
        if not path.exists():
            raise NotYet(f"{path} is not there: a command of the handout writes it")
        return path

    def rows(self, name, **where):
        """The rows of a CSV that have these values, as dictionaries; numbers are numbers."""
        def value(text):
            try:
                return float(text)
            except ValueError:
                return text
        with open(self.path(name), newline="") as file:
            table = [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]
        found = [row for row in table if all(str(row.get(key)) == str(value(str(wish))) for key, wish in where.items())]
        if not found:
            wanted = " and ".join(f"{key} = {wish}" for key, wish in where.items())
            raise NotYet(f"{self.folder / name} has no row with {wanted}; run the command of the handout again as it stands there")
        return found

    def in_run(self, name):
        """A file of a run, such as runs/lab4/scaled/metrics.jsonl: in the nearest folder above the lab's, or in this one."""
        for place in [*self.folder.resolve().parents, Path.cwd()]:
            if (place / name).exists():
                return place / name
        raise NotYet(f"{name} is not there: the handout's training writes it; let it finish")

    def training(self, run, event="train"):
        """The lines of a run's metrics.jsonl about this event."""
        lines = map(json.loads, self.in_run(f"{run}/metrics.jsonl").read_text().splitlines())
        found = [line for line in lines if line["event"] == event]
        self.in_run(f"{run}/summary.json")  # which a training writes at its end
        if not found:
            raise NotYet(f"{run} has not got so far; let its training finish")
        return found

    def worked(self, name, head=0):
        """The numbers of one head of the first sentence in a page of `heed attention --step`."""
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', self.path(name).read_text(), re.DOTALL)
        if not data or not (sentences := json.loads(data[1])):
            raise NotYet(f"{self.folder / name} has no sentence; run the command of the handout again")
        def unpacked(part):
            if not isinstance(part, dict) or "floats" not in part:
                return part
            numbers = list(array.array("f", base64.b64decode(part["floats"])))
            for size in reversed(part["shape"][1:]):
                numbers = [numbers[i:i + size] for i in range(0, len(numbers), size)]
            return numbers
        return {name: unpacked(part) for name, part in sentences[0]["heads"][head].items()}

    def tell(self, good, name, hint, right=None):
        self.asked += 1
        self.right += good
        shown = f" [{right}]" if self.show and right is not None else ""
        print(f"  {'right' if good else 'wrong'}  {name}{shown}" + ("" if good else f": {hint}"), flush=True)

    def measured(self, name, right):
        """What a function measures in files, or None with a line that says what is missing."""
        try:
            return right() if callable(right) else right
        except NotYet as missing:
            self.tell(False, name, str(missing))
            return None

    def answered(self, name, right, judge):
        """Compares an answer: judge(text, right) gives whether it is right, and a hint."""
        value = self.measured(name, right)
        if value is None:
            return
        text = self.answers.get(name)
        if text is None:
            self.tell(False, name, f"answers.txt has no line '{name} ='; heed course start writes one", value)
        elif not text:
            self.tell(False, name, "no answer yet", value)
        else:
            self.tell(*judge(text, value), value)

    def number(self, name, right, within, hint):
        def judge(text, value):
            try:
                got = float(text.rstrip("%").replace(",", ""))
            except ValueError:
                return False, name, f"'{text}' is no number"
            last_digit = 10.0 ** -len(text.rstrip("%").partition(".")[2])
            if near(got, value, within):
                return True, name, ""
            if near(-got, value, within):
                return False, name, "the sign; the question says what is taken from what"
            if near(got, value, 0.5001 * last_digit):
                return False, name, "right so far; write more digits"
            return False, name, hint
        self.answered(name, right, judge)

    def word(self, name, right, hint, choices=()):
        """`choices`: the words that an answer may be, where the question says so."""
        def judge(text, value):
            words = [value] if isinstance(value, str) else value
            no_choice = choices and normal(text) not in map(normal, choices)
            return normal(text) in map(normal, words), name, f"write {' or '.join(choices)}" if no_choice else hint
        self.answered(name, right, judge)

    def called(self, file, name, arguments):
        """What a student's function gives; NotYet while the hole is there."""
        path = self.folder / file
        if not path.exists():
            raise NotYet(f"{path} is not there: heed course start wrote it")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        with contextlib.redirect_stdout(io.StringIO()):
            spec.loader.exec_module(module)
            got = getattr(module, name)(*arguments)
        if got is None or got is ... or (isinstance(got, list) and None in got):
            raise NotYet("the hole is still there")
        return got

    def function(self, file, name, cases, hint, within=1e-4, about=""):
        """`cases`: (arguments, what is right), or a function that gives them; `about` says which ones they are."""
        label = f"{file} {name}" + (f", {about}" if about else "")
        cases = self.measured(label, cases)
        if cases is None:
            return
        try:
            for arguments, right in cases:
                if not near(self.called(file, name, arguments), right, within):
                    shown = ", ".join(map(str, arguments))
                    shown = shown if len(shown) < 90 else shown[:90] + "..."
                    return self.tell(False, label, f"{hint} (for {shown})")
        except NotYet as missing:
            return self.tell(False, label, str(missing))
        except (Exception, SystemExit) as error:  # whatever a student's function does
            return self.tell(False, label, f"{type(error).__name__}: {error}")
        self.tell(True, label, "")

    def raises(self, file, name, arguments, kind, hint):
        """A function in a Python file has to refuse these arguments."""
        label = f"{file} {name}"
        try:
            self.called(file, name, arguments)
        except kind:
            return self.tell(True, label, "")
        except NotYet as missing:
            return self.tell(False, label, str(missing))
        except (Exception, SystemExit) as error:  # whatever a student's function does
            return self.tell(False, label, f"{type(error).__name__}: {error}")
        self.tell(False, label, hint)


def main(check_file, folder, *show):
    lab = Lab(folder, bool(show))
    spec = importlib.util.spec_from_file_location("check", check_file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.check(lab)
    print(f"{lab.right} of {lab.asked} right")


if __name__ == "__main__":
    importlib.import_module("grading").main(*sys.argv[1:])  # as the module that check.py imports
