"""A sitting: parts of commands, one after the other, within a number of seconds, and a report that is whole after each row.

A Part has a limit in seconds and its steps. A step is a command, whose output becomes rows, or rows that are computed from
what the commands before it found. A command gets its own limit or what is left of its part, whichever is less. What does
not begin, or is cut off by the end of its part, is a row that says so; what fails by itself is a row with its error. Where a
step asks for it, what was printed before that counts.
"""
import dataclasses
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import time
import typing

LEAST = 4  # seconds: with less left of its part, a command does not begin


@dataclasses.dataclass
class Row:
    what: str
    setting: str
    result: str
    goal: str = ""
    command: str = ""
    good: bool = True


@dataclasses.dataclass
class Done:
    said: str = ""  # standard output
    seconds: float = 0


@dataclasses.dataclass
class Step:
    """`command` is its words; None: nothing is run. `read` makes rows of what it did. Where an error has what the
    expression `optional` says, program or device do not have what is asked for. `partial`: what it printed before it failed
    or was cut off is read, too, as far as its lines are whole."""
    what: str
    setting: str
    command: typing.Optional[list]
    read: typing.Callable[[Done], typing.Iterable[Row]]
    limit: float = 60
    least: float = LEAST
    optional: str = ""
    partial: bool = False
    why: typing.Callable[[str], str] = lambda said: ""  # what the output of a command that failed says of the reason


@dataclasses.dataclass
class Part:
    name: str
    seconds: float
    question: str
    steps: typing.Callable[[], typing.Iterable[Step]]
    later: bool = False  # only where --only names it
    missing: typing.Callable[[], str] = lambda: ""  # why it cannot be run; "": it can


def table(rows):
    """Rows of equal cells as Markdown."""
    lines = ["| what | setting | result | goal | command |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        cells = [row.what, row.setting, row.result, row.goal, f"`{row.command}`" if row.command else ""]
        lines.append("| " + " | ".join(str(cell).replace("\n", " ").replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def last_line(text):
    return (text.strip().splitlines() or ["it printed nothing"])[-1][:300]


def ended_by(status):
    return f"signal {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"


def put_aside(path):
    """The report of an earlier sitting, as REPORT-1.md, or with the first number that is free."""
    number = 1
    while path.exists():
        aside = path.with_stem(f"{path.stem}-{number}")
        if not aside.exists():
            path.rename(aside)
        number += 1


class Ended(Exception):
    """A command did not end well; `late`: because its time was over. `said` is its standard output."""

    def __init__(self, problem, late=False, said=""):
        super().__init__(problem)
        self.late, self.said = late, said


def run(command, limit, log, cwd=None, environment=None):
    """The standard output of a command; all that it printed is in the files LOG.out and LOG.err. Processes that it started
    end with it."""
    with open(f"{log}.out", "w+", encoding="utf-8", errors="replace") as out, \
            open(f"{log}.err", "w+", encoding="utf-8", errors="replace") as err:
        print(shlex.join(command), file=err, flush=True)
        try:
            process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                       start_new_session=True)
        except OSError as error:
            raise Ended(f"{command[0]}: {error.strerror}") from None
        try:
            status = process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        out.seek(0)
        err.seek(0)
        said, errors = out.read(), err.read().split("\n", 1)[1]
        if status is None:
            raise Ended(f"not done after {limit:.0f} s", late=True, said=said)
        if status:
            raise Ended(f"{ended_by(status)}: {last_line(errors.strip() or said)}", said=said)
        return said


class Sitting:
    """Runs parts in `folder` and keeps `path`, the report, up to date. `start(command)` is what is run for a command: its words
    and the environment; `shown(command)` is what the table says of it. The seconds count from `begin` of the clock; `patience`
    is a factor of the limits of all parts and commands."""

    def __init__(self, path, seconds, head, start, shown, folder=None, clock=time.monotonic, begin=None, patience=1):
        self.path, self.head, self.start, self.shown = pathlib.Path(path), head, start, shown
        self.folder, self.clock, self.patience = folder, clock, patience
        self.rows, self.waiting, self.count = [], [], 0
        self.seconds, self.begin = seconds, clock() if begin is None else begin
        self.logs = self.path.parent / "logs"
        self.logs.mkdir(parents=True, exist_ok=True)
        put_aside(self.path)

    @property
    def good(self):
        return all(row.good for row in self.rows)

    def left(self):
        return self.begin + self.seconds - self.clock()

    def report(self):
        text = self.head + f"- {self.clock() - self.begin:.0f} of {self.seconds:.0f} s\n\n" + table(self.rows)
        if self.waiting:
            text += "\nNot reached: " + ", ".join(self.waiting) + ".\n"
        return text

    def add(self, row):
        self.rows.append(row)
        print(f"    {row.setting}: {row.result}" + (f" (goal: {row.goal})" if row.goal else ""), file=sys.stderr, flush=True)
        self.write()

    def write(self):
        """The file is the old one or the new one, whatever ends this process."""
        fresh = self.path.with_suffix(".new")
        fresh.write_text(self.report(), encoding="utf-8")
        fresh.replace(self.path)

    def run(self, parts):
        self.waiting = [part.name for part in parts]
        self.write()
        for part in parts:
            self.waiting.remove(part.name)
            print(f"==> {part.name}: {part.question}", file=sys.stderr, flush=True)
            if why := part.missing():
                self.add(Row(part.name, "", f"left out: {why}"))
            else:
                self.run_part(part)
        self.write()

    def run_part(self, part):
        end = self.clock() + min(self.patience * part.seconds, self.left())
        for step in part.steps():
            if step.command is None:
                self.read(step, Done(), "")
                continue
            left = end - self.clock()
            if left < step.least:
                self.add(Row(step.what, step.setting,
                             f"left out: it needs {step.least:.0f} s, and {max(0, left):.0f} s were left",
                             command=self.shown(step.command)))
                continue
            self.run_step(step, min(self.patience * step.limit, left))

    def run_step(self, step, limit):
        shown = self.shown(step.command)
        print(f"  $ {shown}", file=sys.stderr, flush=True)
        self.count += 1
        name = re.sub(r"\W+", "_", f"{self.count:02} {step.what} {step.setting}")[:60]
        command, environment = self.start(step.command)
        begin = self.clock()
        try:
            said = run(command, limit, self.logs / name, self.folder, environment)
        except Ended as ended:
            if step.partial:
                whole = ended.said[:ended.said.rfind("\n") + 1]
                self.read(step, Done(whole, self.clock() - begin), shown, whole=False)
            cut = ended.late and limit < self.patience * step.limit
            unknown = bool(step.optional and re.search(step.optional, str(ended)))
            result = f"left out: {ended}, the end of its part" if cut else \
                     f"left out: {str(ended)[:100]}" if unknown else f"FAILED: {step.why(ended.said) or ended}"
            self.add(Row(step.what, step.setting, result, command=shown, good=cut or unknown))
            return
        self.read(step, Done(said, self.clock() - begin), shown)

    def read(self, step, done, shown, whole=True):
        """Adds the rows of what a command printed. If that is not `whole`, it may end where `read` expects more."""
        try:
            for row in step.read(done):
                row.command = row.command or shown
                self.add(row)
        except Exception as error:  # whatever an unexpected output leads to, the rows after it count, too
            if whole:
                self.add(Row(step.what, step.setting, f"FAILED: its output was not understood: {error!r}", command=shown,
                             good=False))
