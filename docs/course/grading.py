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
import ctypes
import importlib.util
import json
import math
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

SECONDS = 30            # for all functions of a lab; a student's loop may have no end
MOST_BYTES = 64 << 20   # of what a function gives


class LabError(Exception):
    """One line for the person at the terminal."""


class NotYet(Exception):
    """A file that a question is about is not there."""


class Raised(Exception):
    """What a student's function raised: the names of its classes, and its message."""

    def __init__(self, kinds, message):
        super().__init__(one_line(f"{kinds[0]}: {message}"))
        self.kinds = kinds


def one_line(text, most=200):
    """Whatever a student's file says, it is shown in one line, and writes nothing else to a terminal."""
    text = "".join(letter if letter.isprintable() else " " for letter in " ".join(str(text).split()))
    return text if len(text) <= most else text[:most] + "..."


def read_text(path):
    """A text of a student, which an editor may have begun with a byte order mark."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabError(f"{path}: is not in UTF-8, from byte {error.start} on; save it as UTF-8") from error


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


def shown_arguments(arguments):
    """The input of a function, short enough for a hint."""
    return one_line(", ".join(map(repr, arguments)), 90)


def strongest(lab, target, file="attention.csv"):
    """The source word with the largest weight of a word of the translation, and this weight."""
    row = max(lab.rows(file, target_position=target), key=lambda row: row["weight"])
    return row["source_token"], row["weight"]


class Lab:
    """A student's folder. With `show` the right answers stand beside the student's."""

    def __init__(self, folder, show=False):
        self.folder, self.show = Path(folder), show
        self.answers, self.right, self.asked = {}, 0, 0
        self.until = time.monotonic() + SECONDS
        for number, line in enumerate(read_text(self.folder / "answers.txt").splitlines(), 1):
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
        if not path.is_file():
            raise NotYet(f"{path} is no file; move it away, and run the command of the handout again")
        return path

    def rows(self, name, **where):
        """The rows of a CSV that have these values, as dictionaries; numbers are numbers."""
        def value(text):
            try:
                return float(text)
            except ValueError:
                return text
        with open(self.path(name), newline="", encoding="utf-8-sig") as file:
            table = [{key: value(text) for key, text in row.items()} for row in csv.DictReader(file)]
        found = [row for row in table if all(str(row.get(key)) == str(value(str(wish))) for key, wish in where.items())]
        if not found:
            wanted = " and ".join(f"{key} = {wish}" for key, wish in where.items())
            raise NotYet(f"{self.folder / name} has no row with {wanted}; run the command of the handout again as it stands there")
        return found

    def in_run(self, name):
        """A file of a run, such as runs/lab4/scaled/metrics.jsonl: in the nearest folder above the lab's, or in this one."""
        for place in [*self.folder.resolve().parents, Path.cwd()]:
            if (place / name).is_file():
                return place / name
        raise NotYet(f"{name} is not there: the handout's training writes it; let it finish")

    def training(self, run, event="train"):
        """The lines of a run's metrics.jsonl about this event."""
        lines = map(json.loads, read_text(self.in_run(f"{run}/metrics.jsonl")).splitlines())
        found = [line for line in lines if line["event"] == event]
        self.in_run(f"{run}/summary.json")  # which a training writes at its end
        if not found:
            raise NotYet(f"{run} has not got so far; let its training finish")
        return found

    def worked(self, name, head=0):
        """The numbers of one head of the first sentence in a page of `heed attention --step`."""
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', read_text(self.path(name)), re.DOTALL)
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
        except Exception as error:  # whatever a student's files have in them
            self.tell(False, name, f"{type(error).__name__}: {one_line(error)}: what your commands have written is not as they write "
                                   "it; run those of the handout again")
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
                return False, name, f"'{one_line(text, 60)}' is no number"
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

    def called(self, file, name, calls):
        """What a student's function gives for each of these arguments, in order, as JSON can say it. It runs in a process of its
        own, which knows no right answer, and ends with all that it has started. NotYet while the hole is there; Raised."""
        path = self.folder / file
        if not path.exists():
            raise NotYet(f"{path} is not there: heed course start wrote it")
        if time.monotonic() > self.until:
            raise NotYet(f"not tried: the functions before took {SECONDS} seconds")
        with contextlib.closing(results_of(path, name, calls, self.until)) as results:
            for result in results:
                if "raised" in result:
                    raise Raised(result["raised"], result["message"])
                got = result.get("value")
                if got is None or (isinstance(got, list) and None in got):
                    raise NotYet("the hole is still there")
                yield got

    def function(self, file, name, cases, hint, within=1e-4, about=""):
        """`cases`: (arguments, what is right), or a function that gives them; `about` says which ones they are."""
        label = f"{file} {name}" + (f", {about}" if about else "")
        cases = self.measured(label, cases)
        if cases is None:
            return
        tried = 0
        try:
            cases = list(cases)
            with contextlib.closing(self.called(file, name, [arguments for arguments, _ in cases])) as results:
                for (arguments, right), got in zip(cases, results):
                    tried += 1
                    if not near(got, right, within):
                        return self.tell(False, label, f"{hint} (for {shown_arguments(arguments)})")
        except NotYet as missing:
            return self.tell(False, label, str(missing))
        except Exception as error:  # whatever a student's function does
            # A file that Python cannot read has seen no input.
            if isinstance(error, Raised) and "SyntaxError" not in error.kinds and tried < len(cases):
                return self.tell(False, label, f"{error} (for {shown_arguments(cases[tried][0])})")
            return self.tell(False, label, str(error) if isinstance(error, Raised) else f"{type(error).__name__}: {one_line(error)}")
        self.tell(True, label, "")

    def raises(self, file, name, arguments, kind, hint):
        """A function in a Python file has to refuse these arguments."""
        label = f"{file} {name}"
        try:
            list(self.called(file, name, [arguments]))
        except NotYet as missing:
            return self.tell(False, label, str(missing))
        except Raised as error:
            good = kind.__name__ in error.kinds
            return self.tell(good, label, "" if good else str(error))
        self.tell(False, label, hint)


def results_of(path, name, calls, until):
    """The lines of JSON that a process with a student's function writes, one for each call; NotYet where it does not."""
    # Whoever is left without a parent comes to this process, which ends them.
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
    command = [sys.executable, "-B", "-X", "utf8", __file__, "--call", str(path), name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          start_new_session=True) as child:
        try:
            try:
                child.stdin.write(json.dumps(calls).encode())
                child.stdin.close()
            except BrokenPipeError:  # it ended before
                pass
            yield from lines_of(child.stdout.fileno(), len(calls), until)
        finally:
            end(child)


def lines_of(pipe, count, until):
    """So many lines, each as JSON. It does not wait for the end of the pipe, which a process that goes on running has, too."""
    got = bytearray()
    while count > 0:
        left = until - time.monotonic()
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            raise NotYet(f"did not end within {SECONDS} seconds, which all functions of the lab have together")
        more = os.read(pipe, 1 << 16)
        if not more:
            raise NotYet("the process of the function ended without a result")
        got += more
        if b"\n" in more:
            *lines, rest = got.split(b"\n")
            got = bytearray(rest)
            count -= len(lines)
            yield from map(json.loads, lines)
        if len(got) > MOST_BYTES:
            raise NotYet("the function gives more than 64 MiB")


def end(child):
    """Ends a process, those of its session, and those that came to this one."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()
    while True:
        try:
            for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
                os.kill(int(pid), signal.SIGKILL)
            os.waitpid(-1, 0)
        except OSError:  # no child is left
            return


def call(path, name):
    """Calls a function for each of the arguments on standard input. What it prints goes nowhere."""
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    calls = json.load(sys.stdin)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nowhere, number)

    def tell(result):
        out.write(json.dumps(result) + "\n")
        out.flush()

    try:
        spec = importlib.util.spec_from_file_location(Path(path).stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        for arguments in calls:
            got = getattr(module, name)(*arguments)
            tell({} if got is ... else {"value": got})
    except (Exception, SystemExit) as error:  # whatever a student's function does
        tell({"raised": [kind.__name__ for kind in type(error).__mro__], "message": one_line(error)})



def main(check_file, folder, *show):
    lab = Lab(folder, bool(show))
    spec = importlib.util.spec_from_file_location("check", check_file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.check(lab)
    print(f"{lab.right} of {lab.asked} right")


if __name__ == "__main__":
    if sys.argv[1] == "--call":
        sys.exit(call(*sys.argv[2:]))
    importlib.import_module("grading").main(*sys.argv[1:])  # as the module that check.py imports
