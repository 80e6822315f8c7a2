"""Commands that are killed and given again: `heed vocab`, `heed export`, `heed bottleneck`."""
import pathlib
import re
import time

import process
import references
import run_folder
import toy
from rounds import SIGNALS, Round


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
        heed = self.start(self.arguments)
        status = heed.wait()
        self.complain(process.complaints_about_error(heed.text(), status, expected=(0,)))
        self.compare()

    def aim(self, heed):
        self.wait_random(heed, 0.8 * self.seconds)

    def complete(self):
        return False

    def compare(self):
        """Every file of the undisturbed command, byte by byte, and no other."""
        def files(folder):
            return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

        mine, other = files(self.out), files(self.undisturbed)
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


class Export(Command):
    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)
        model = references.training(work, "transformer_best_accumulate").run
        self.remember("export", lambda out: ["export", model, "-o", out])


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
