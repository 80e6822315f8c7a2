"""Commands that are killed and given again: all that write files, but for `heed train`, which has trainings.py."""
import pathlib
import re
import subprocess
import time

import process
import references
import run_folder
import toy
from rounds import SIGNALS, Round


OWN = re.compile(rb"/[^\s'\"]*/(?:making|round|case)-[^/\s]*/(?:run|out)\b")


def files_in(folder):
    """What is in a folder. Its own path, which some files have in them, is that of any folder."""
    return {str(path.relative_to(folder)): OWN.sub(b"/run", path.read_bytes()) for path in folder.rglob("*") if path.is_file()}


def mixed(out, old, new):
    """Complaints about files in `out` that are neither of the one age nor of the other, or of both ages. `old` and `new`
    are groups of files that belong together, as the undisturbed command leaves them."""
    complaints, files = [], {name: bytes for name, bytes in files_in(out).items() if ".tmp." not in name}
    for first, second in zip(old, new):
        ages = {name: (first.get(name) == files[name], second.get(name) == files[name])
                for name in sorted(first.keys() | second.keys()) if name in files}
        complaints += [f"{name}: is neither old nor new" for name, age in ages.items() if not any(age)]
        only = [[name for name, age in ages.items() if age == which] for which in ((True, False), (False, True))]
        if all(only):
            complaints.append(f"files of two ages: {only[0]} and {only[1]}")
    return complaints


def is_whole(out, groups):
    files = files_in(out)
    return all(files.get(name) == text for group in groups for name, text in group.items())


class Command(Round):
    """A command that is killed and given again, and then leaves the files that it leaves undisturbed."""

    def go(self):
        for phase, name in self.kills:
            if self.complete():
                break
            log = self.folder / f"calls-{self.attempts}"
            aimed = self.random.random() < 0.5 and name != "SIGSTOP+CONT" and self.calls > 0
            extra = process.disturbed([self.out], log, at=self.random.randint(1, self.calls),
                                      signal=int(SIGNALS[name])) if aimed else {}
            heed = self.start(self.arguments, extra)
            try:
                if aimed:
                    status = heed.wait()
                    if log.exists() and "disturbed" in log.read_text(encoding="utf-8"):
                        self.landed.append((phase, name))
                else:
                    self.wait_random(heed, 0.8 * self.seconds)
                    status = self.strike(heed, name, phase)
            finally:
                heed.end()
            self.judge(heed, status, name, phase)
            self.blame(self.torn())
        self.again()
        self.compare()

    def again(self):
        heed = self.start(self.arguments)
        status = heed.wait()
        self.complain(process.complaints_about_error(heed.text(), status, expected=(0,)))

    def torn(self):
        """What is wrong with the files that a killed command left: a list of complaints."""
        return []

    def aim(self, heed):
        self.wait_random(heed, 0.8 * self.seconds)

    def complete(self):
        return False

    def compare(self):
        """Every file of the undisturbed command, byte by byte, and no other."""
        mine, other = files_in(self.out), files_in(self.undisturbed)
        for name in sorted(mine.keys() | other.keys()):
            if mine.get(name) != other.get(name):
                self.complain([f"{name}: " + ("differs" if name in mine and name in other else
                                              "is left over" if name in mine else "is missing")])

    def remember(self, key, arguments):
        """The undisturbed command, made once; arguments(folder) writes into that folder."""
        self.out = self.folder / "out"
        reference = references.make(self.work, key, lambda run: f"# {key} {run}\n",
                                    lambda config: arguments(config.parent / "run"))
        self.arguments, self.undisturbed = arguments(self.out), reference.run
        self.calls, self.seconds = len(reference.calls), reference.seconds


class Vocabulary(Command):
    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)
        corpora = toy.write_corpora(work / "corpora")

        def arguments(out):
            out.mkdir(exist_ok=True)
            return ["vocab", corpora / "train.src", corpora / "train.tgt", "--size", 40, "-o", out / "made.spm"]

        self.remember("vocabulary", arguments)


def _best(work):
    return sorted((references.training(work, "transformer_best_accumulate").run / "checkpoints").glob("best-*.safetensors"))


def _exported(work, name):
    model = references.training(work, name).run
    return references.make(work, f"export-{name}", lambda run: f"# {name} {run}\n",
                           lambda config: ["export", model, "-o", config.parent / "run"]).run


def _rnn(work):
    return references.training(work, "rnn").run


def _transformer(work):
    return references.training(work, "transformer_best_accumulate").run


TRANSFORMERS = ("transformer_best_accumulate", "transformer_bf16_bleu")
# Commands that write several files: how the names of those begin that belong together, so that they are all old or all
# new; and the arguments of an older call (age 0) and of the one that is disturbed (age 1). NEW take the place of nothing.
NEW = ("heed average", "heed prune", "heed import")
WRITERS = {
    "heed clean": ("", lambda work, out, age: [
        "clean", *(work / "corpora" / f"{('valid', 'train')[age]}.{side}" for side in ("src", "tgt")), "--remove", "all", "-o", out / "kept",
        "--model", _transformer(work)]),
    "heed init": ("parts/", lambda work, out, age: [
        "init", *(work / "corpora" / f"train.{side}" for side in ("src", "tgt")), "--valid", 20 + age, "--test", 20, "-o", out / "made.yaml",
        "--data", out / "parts", "--force"]),
    "heed average": ("", lambda work, out, age: ["average", *_best(work)[:age + 1], "-o", out]),
    "heed prune": ("", lambda work, out, age: ["prune", _transformer(work), "--heads", ("encoder.0.1", "cross.0.1")[age], "-o", out]),
    "heed import": ("", lambda work, out, age: ["import", _exported(work, TRANSFORMERS[age]), "-o", out]),
    "heed export": ("", lambda work, out, age: ["export", references.training(work, TRANSFORMERS[age]).run, "-o", out]),
    "heed attention": ("", lambda work, out, age: ["attention", _rnn(work), "--text", ("a b", "a b c d")[age], "-o", out]),
    "heed runs --curves": ("", lambda work, out, age: ["runs", "--curves", _rnn(work), *([_transformer(work)] if age else []), "-o", out]),
    "heed lengths": (None, lambda work, out, age: [
        "lengths", _rnn(work), *([_transformer(work)] if age else []), "--csv", out / "lengths.csv", "--svg", out / "lengths.svg"]),
    "heed faithful": (None, lambda work, out, age: [
        "faithful", _rnn(work), "--source", work / "corpora/few.src", "--target", work / "corpora/few.tgt", "--draws", 2 + age, "-o", out / "numbers.csv",
        "--html", out / "page.html"]),
}


def undisturbed(work, what, age):
    """The reference of a writer, made once."""
    toy.write_pairs(toy.write_corpora(work / "corpora"), "few", 3, seed=6)

    def arguments(out):
        out.mkdir(exist_ok=True)
        return WRITERS[what][1](work, out, age)

    name = f"{what.replace(' ', '_')}-{age}"
    return references.make(work, name, lambda run: f"# {name} {run}\n", lambda config: arguments(config.parent / "run"))


def begin_with_old(work, what, out, console):
    """Lets an older call leave its files. Returns (arguments of the newer call, old and new files in groups)."""
    groups = []
    for age in (0, 1):
        made = files_in(undisturbed(work, what, age).run)
        first = WRITERS[what][0]
        together = {name: made[name] for name in made if first is not None and name.startswith(first)}
        groups.append([together] + [{name: made[name]} for name in sorted(made.keys() - together.keys())])
    if what in NEW:
        return WRITERS[what][1](work, out, 1), [{} for _ in groups[1]], groups[1]
    out.mkdir()
    status, said = process.run(WRITERS[what][1](work, out, 0), console)
    if status != 0:
        raise RuntimeError(f"{what}: an older call ends with {status}:\n{said}")
    return WRITERS[what][1](work, out, 1), *groups


class Writer(Command):
    """One of WRITERS, in a folder where an older call has left its files."""

    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)
        what, self.out = kills[0][0], self.folder / "run"
        reference = undisturbed(work, what, 1)
        self.undisturbed, self.calls, self.seconds = reference.run, len(reference.calls), reference.seconds
        self.arguments, self.old, self.new = begin_with_old(work, what, self.out, self.folder / "console-old")

    def start(self, arguments, extra=None):
        """What it prints is no matter here, and its console has errors alone."""
        self.attempts += 1
        return process.Heed(arguments, self.folder / f"console-{self.attempts}", extra, output=subprocess.DEVNULL)

    def complete(self):
        """A new folder is refused where it is there already."""
        return self.kills[0][0] in NEW and is_whole(self.out, self.new)

    def again(self):
        if not self.complete():
            super().again()

    def torn(self):
        return mixed(self.out, self.old, self.new)


class Distill(Command):
    """A teacher's translations go on after the last whole row, and the student's training after its last checkpoint."""

    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)
        corpora = toy.write_corpora(work / "corpora")

        def arguments(out):
            settings = ("training.updates=6", "training.validate_every=3", "training.batch_size=200", "model.width=16", "model.feed_forward=32",
                        "device=cpu", "threads=1", "data.test={source: '', target: ''}")
            return ["distill", _rnn(work), corpora / "more.src", "-o", out, "--set", "decoding.batch_size=2", "--set", "data.test={source: '', target: ''}",
                    *(word for setting in settings for word in ("--student", setting))]

        self.remember("distill", arguments)

    def compare(self):
        self.complain(run_folder.difference(self.out, self.undisturbed, {"corpora"}))  # whose paths are others
        for name in ("translations.tsv", "taught.source", "taught.target", "taught.align"):
            if (self.out / "teaching" / name).read_bytes() != (self.undisturbed / "teaching" / name).read_bytes():
                self.complain([f"teaching/{name} differs"])


class CourseStart(Command):
    """The folder of a lab is there whole, or not at all."""

    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)

        def arguments(out):
            out.mkdir(exist_ok=True)
            return ["course", "start", 2, "-o", out / "lab"]

        self.remember("course", arguments)

    def complete(self):
        return (self.out / "lab").exists()

    def again(self):
        if not self.complete():
            super().again()

    def torn(self):
        files, new = files_in(self.out), files_in(self.undisturbed)
        half = self.complete() and any(files.get(name) != new[name] for name in new)
        return ["the folder of the lab is half made"] if half else []


class Bottleneck(Command):
    """Two systems that train side by side; they end with the command that started them."""

    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)
        corpora, self.out = toy.write_corpora(work / "corpora"), self.folder / "run"

        def text(run):
            return (toy.config_text("family", corpora, run) +
                    "systems:\n  - name: none\n"
                    "  - {name: transformer, set: [model.type=transformer, training.updates=16]}\n")

        self.reference = references.make(work, "bottleneck", text, lambda config: ["bottleneck", config, "--jobs", 2])
        config = self.folder / "run.yaml"
        config.write_text(text(self.out), encoding="utf-8")
        self.arguments, self.calls = ["bottleneck", config, "--jobs", 2], 0
        self.seconds = self.reference.seconds

    def complete(self):
        return (self.out / "report.html").exists()

    def aim(self, heed):
        """At any time, or when one of the two is trained and the other is not."""
        if self.random.random() < 0.5:
            return super().aim(heed)
        heed.until(lambda: (self.out / "transformer/summary.json").exists())
        self.wait_random(heed, 0.1)

    def strike(self, heed, name, phase):
        trainings = self.children(heed)
        status = super().strike(heed, name, phase)
        if status != 0:
            limit = time.monotonic() + 20
            while any(self.lives(training) for training in trainings) and time.monotonic() < limit:
                time.sleep(0.01)
            alive = [training for training in trainings if self.lives(training)]
            if alive:
                self.blame([f"trainings live on: {alive}"])
        return status

    @staticmethod
    def children(heed):
        try:
            return pathlib.Path(f"/proc/{heed.pid}/task/{heed.pid}/children").read_text(encoding="utf-8").split()
        except OSError:
            return []

    @staticmethod
    def lives(number):
        return pathlib.Path(f"/proc/{number}").exists()

    def compare(self):
        for system in ("none", "transformer"):
            self.complain([f"{system}: {text}" for text in
                           run_folder.difference(self.out / system, self.reference.run / system)])
            # Tiny models do not show that other numbers of threads give other bits.
            log = (self.out / system / "train.log").read_text(encoding="utf-8")
            threads = sorted(set(re.findall(r"\d+ threads?", log)))
            if len(threads) != 1:
                self.complain([f"{system} was trained with {' and then '.join(threads)}"])
        if (self.out / "lengths.csv").read_bytes() != (self.reference.run / "lengths.csv").read_bytes():
            self.complain(["lengths.csv differs"])
        self.complain([f"temporary file left: {name}" for name in run_folder.left_over(self.out)])
