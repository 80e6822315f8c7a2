"""Cases of what may fail around a training, and how heed is judged then."""
import errno
import os
import shutil
import signal
import subprocess
import time

import commands
import process
import references
import run_folder
import toy


def begin(heed, run):
    """Lets a training begin and kills it."""
    heed.until(lambda: run_folder.last_update(run) >= 3)
    heed.send(signal.SIGKILL)
    heed.wait()


class Case:
    """A run of its own. go() disturbs it; then it is judged and resumed without the disturbance."""

    config = "smallest"
    changes = {}

    def __init__(self, what, work, number):
        self.what, self.work = what, work
        self.folder = work / f"case-{os.getpid()}-{number}"
        self.run, self.yaml = self.folder / "run", self.folder / "run.yaml"
        self.complaints, self.attempts = [], 0

    def play(self):
        self.reference = references.training(self.work, self.config, **self.changes)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        text = toy.config_text(self.config, self.work / "corpora", self.run, **self.changes)
        self.yaml.write_text(text, encoding="utf-8")
        self.go()
        if not self.complaints:
            shutil.rmtree(self.folder)
        return self

    def complain(self, texts):
        self.complaints += texts

    def start(self, extra=None, limits=None, command=None):
        self.attempts += 1
        return process.Heed(command or ["train", self.yaml, "--resume"], self.folder / f"console-{self.attempts}",
                            extra, limits)

    def disturbed(self, extra=None, limits=None, expected=(1,)):
        """Trains under the disturbance and judges how that ends. Returns the exit status."""
        before = run_folder.newest(self.run)
        heed = self.start(extra, limits)
        status = heed.wait()
        heed.end()
        self.judge(heed, status, before, expected)
        return status

    def judge(self, heed, status, before=-1, expected=(1,)):
        self.complain(process.complaints_about_error(heed.text(), status, expected))
        self.complain(run_folder.damage(self.run))
        if run_folder.newest(self.run) < before:
            self.complain([f"a checkpoint was lost: {run_folder.newest(self.run)} after {before}"])

    def resumed(self, command=None, aside=frozenset()):
        heed = self.start(command=command)
        status = heed.wait()
        heed.end()
        self.complain(process.complaints_about_error(heed.text(), status, expected=(0,)))
        if status == 0:
            self.complain(run_folder.difference(self.run, self.reference.run, aside))


class FailedCall(Case):
    """The k-th call that changes a file of the run fails: alone (a broken disk), or with all after it (a full one)."""

    def __init__(self, what, work, number, at, error, forever, calls=None):
        super().__init__(what, work, number)
        self.shim = {"at": at, "error": error, "forever": forever}
        if calls:
            self.shim["calls"] = calls

    @staticmethod
    def harmless(call):
        """What cannot be removed is in nobody's way. A file that is gone already, as the lock at the end, loses
        nothing. train.log is opened again where that fails once."""
        what, path = call.split()[2:4]
        return what == "remove" or call.endswith("(deleted)") or (what == "open" and path.endswith("/train.log"))

    def go(self):
        log = self.folder / "calls"
        status = self.disturbed(process.disturbed([self.run], log, **self.shim), expected=(0, 1))
        hit = [line for line in log.read_text(encoding="utf-8").splitlines() if line.startswith("disturbed")]
        if not hit:
            self.complain(["the call never came"])
        elif status == 0 and not self.harmless(hit[0]):
            self.complain([f"nothing was said of a call that failed: {hit[0]}"])
        if self.complaints:
            self.complaints[0] += f"; the call: {hit[:1]}, {self.shim}"
        self.resumed()


class FullDisk:
    """A command that writes several files, on a disk that is full from its k-th call on: the older files are there as they
    were, and the same command makes the newer ones when there is space."""

    GROWING = ("open", "write", "sync", "close", "rename", "mkdir", "truncate")

    def __init__(self, what, work, number, command, share):
        self.what, self.work, self.command, self.share = what, work, command, share
        self.folder = work / f"case-{os.getpid()}-{number}"
        self.complaints = []

    def complain(self, texts):
        self.complaints += texts

    def play(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        out, log = self.folder / "run", self.folder / "calls"
        arguments, old, new = commands.begin_with_old(self.work, self.command, out, self.folder / "console-old")
        calls = [call for call, _ in commands.undisturbed(self.work, self.command, 1).calls if call in self.GROWING]
        at = 1 + int(self.share * (len(calls) - 1))
        extra = process.disturbed([out], log, at=at, error=errno.ENOSPC, forever=True, calls=",".join(self.GROWING))
        heed = process.Heed(arguments, self.folder / "console", extra, output=subprocess.DEVNULL)
        status = heed.wait()
        self.complain(process.complaints_about_error(heed.text(), status, expected=(0, 1)))
        said = log.read_text(encoding="utf-8") if log.exists() else ""
        hit = [line for line in said.splitlines() if line.startswith("disturbed")]
        if hit and status == 0 and not FailedCall.harmless(hit[0]):
            self.complain([f"nothing was said of a call that failed: {hit[0]}"])
        self.complain(commands.mixed(out, old, new))
        left = [name for name in commands.files_in(out) if ".tmp." in name]
        self.complain([f"temporary files are left: {left}"] if left else [])
        if self.complaints:
            self.complaints[0] += f"; the call: {hit[:1]}, {at} of {len(calls)}"
        if self.command not in commands.NEW or not commands.is_whole(out, new):
            status, said = process.run(arguments, self.folder / "console-again")
            self.complain(process.complaints_about_error(said, status, expected=(0,)))
        if not commands.is_whole(out, new):
            self.complain(["not as undisturbed"])
        if not self.complaints:
            shutil.rmtree(self.folder)
        return self


class FailedRead(Case):
    """A read of the corpus fails."""

    def __init__(self, what, work, number, at):
        super().__init__(what, work, number)
        self.at = at

    def go(self):
        log = self.folder / "calls"
        extra = process.disturbed([self.work / "corpora"], log, at=self.at, error=errno.EIO, calls="read")
        self.disturbed(extra)
        if "disturbed" not in log.read_text(encoding="utf-8"):
            self.complain(["the read never came"])
        self.resumed()


class FullLog(Case):
    """train.log alone is on a full disk: heed says so once and goes on."""

    def go(self):
        self.run.mkdir()
        (self.run / "train.log").symlink_to("/dev/full")
        heed = self.start()
        status = heed.wait()
        warnings = [line for line in heed.text().splitlines() if "cannot write the log file" in line]
        if status != 0 or len(warnings) != 1:
            self.complain([f"exit status {status}, warnings {warnings}"])
        (self.run / "train.log").unlink()
        self.resumed()


class GoneFolder(Case):
    """The run's folder goes away while it trains, and comes back."""

    config = "rnn"

    def __init__(self, what, work, number, at, taken):
        super().__init__(what, work, number)
        self.at, self.taken = at, taken

    def go(self):
        heed = self.start()
        folder = self.run / self.taken
        heed.until(lambda: run_folder.last_update(self.run) >= self.at)
        folder.rename(self.folder / "gone")
        status = heed.wait()
        self.complain(process.complaints_about_error(heed.text(), status))
        if folder.exists():
            self.complain([f"a folder that went away is there again: {list(folder.rglob('*'))}"])
            shutil.rmtree(folder)
        (self.folder / "gone").rename(folder)
        self.resumed()


class Limited(Case):
    """Less memory or fewer files than the run would take, from its start or from a resume on. Where it is enough, the
    bits are the same."""

    config = "rnn"

    def __init__(self, what, work, number, kind, value, begun):
        super().__init__(what, work, number)
        self.limits, self.begun = {kind: value}, begun

    def go(self):
        if self.begun:
            begin(self.start(), self.run)
        self.disturbed(limits=self.limits, expected=(0, 1))
        halved = any("halves" in path.read_text(encoding="utf-8", errors="replace")
                     for path in self.folder.glob("console-*"))
        # Files may be too few for the pipes to the scorer alone: then validations have no BLEU.
        scored = all("has no score" not in path.read_text(encoding="utf-8", errors="replace")
                     for path in self.folder.glob("console-*"))
        if not halved:  # a batch that is computed in halves is rounded otherwise
            self.resumed(aside=frozenset() if scored else {"bleu", "validation_bleu"})


class Scorer(Case):
    """A scorer that is slow, fails, dies or answers nonsense. A slow one changes nothing. Others end the run where BLEU
    chooses the best weights."""

    changes = {"early_stopping": "{metric: bleu}"}

    def __init__(self, what, work, number, mode, expected):
        super().__init__(what, work, number)
        self.mode, self.expected = mode, expected

    def go(self):
        extra = {"HEED_SACREBLEU": self.folder / "missing"} if self.mode == "missing" else \
            {"CAMPAIGN_SCORER": self.mode}
        self.disturbed(extra, expected=self.expected)
        self.resumed()


class LostScore(Case):
    """Where the loss chooses, a scorer that fails costs its scores alone; without those of the test set the run ends
    with exit code 1."""

    def __init__(self, what, work, number, mode):
        super().__init__(what, work, number)
        self.mode = mode

    def go(self):
        self.disturbed({"CAMPAIGN_SCORER": self.mode})
        bleu = [event["bleu"] for event in run_folder.events(self.run) if event["event"] == "validation"]
        if len(bleu) < 2 or any(value is not None for value in bleu):
            self.complain([f"BLEU of validations that were not scored: {bleu}"])
        self.resumed(aside={"bleu", "validation_bleu"})


class LateScorer(Case):
    """Only the scoring of the test set fails: --resume scores and does not train again."""

    changes = {"validate_bleu": "false"}

    def __init__(self, what, work, number, mode):
        super().__init__(what, work, number)
        self.mode = mode

    def go(self):
        self.disturbed({"CAMPAIGN_SCORER": self.mode})
        if not (self.run / "test.hypothesis").exists():
            self.complain(["the translations were not written before they were scored"])
        self.resumed()


class JumpingClock(Case):
    """Durations are measured by a clock that does not jump: the run is not ended by its limit of time."""

    config = "rnn"
    changes = {"max_minutes": 600}

    def __init__(self, what, work, number, jump):
        super().__init__(what, work, number)
        self.jump = jump

    def go(self):
        started = time.monotonic()
        extra = {"LD_PRELOAD": process.SHIM, "CAMPAIGN_CLOCK": self.jump}
        heed = self.start(extra)
        self.judge(heed, heed.wait(), expected=(0,))
        passed = time.monotonic() - started
        times = [event["seconds"] for event in run_folder.events(self.run)]
        if times != sorted(times) or not times or not 0 <= times[-1] <= passed:
            self.complain([f"seconds that were not: {times[:1]} to {times[-1:]} in {passed:.1f}"])
        self.complain(run_folder.difference(self.run, self.reference.run))


class SecondTraining(Case):
    """A second training in the same folder is refused and leaves the first alone."""

    config = "rnn"

    def go(self):
        first = self.start()
        first.until(lambda: run_folder.last_update(self.run) >= 3)
        first.send(signal.SIGSTOP)
        second = self.start()
        status = second.wait()
        first.send(signal.SIGCONT)
        self.complain(process.complaints_about_error(second.text(), status, expected=(1, 2)))
        status = first.wait()
        self.complain(process.complaints_about_error(first.text(), status, expected=(0,)))
        self.complain(run_folder.difference(self.run, self.reference.run))


class GoneConfig(Case):
    """The configuration is lost; the run's folder alone is enough to go on."""

    config = "rnn"

    def go(self):
        heed = self.start()
        heed.until(lambda: run_folder.last_update(self.run) >= 9)
        heed.send(signal.SIGTERM)
        self.judge(heed, heed.wait())
        self.yaml.unlink()
        self.resumed(command=["train", self.run, "--resume"])


class FullOutput(Case):
    """Standard output on a full disk."""

    def go(self):
        model = references.training(self.work, "transformer_best_accumulate").run
        for command in (["translate", model, self.work / "corpora/test.src"], ["inspect", model], ["config"]):
            with open("/dev/full", "wb") as full:
                heed = process.Heed(command, self.folder / "console", output=full)
                status = heed.wait()
            self.complain([f"{command[0]}: {text}" for text in process.complaints_about_error(heed.text(), status)])
