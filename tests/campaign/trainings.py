"""`heed train`, killed in every phase of a run."""
import re
import signal
import time

import process
import references
import run_folder
import toy
from rounds import GRACEFUL, SIGNALS, Round

# The phases in the order in which a run comes to them. In those of the loop a signal means: save, and say how to go on.
PHASES = ("start", "vocabulary", "training", "validation", "saving", "test")
LOOP = ("training", "validation", "saving")
TRAININGS = [name for name in toy.CONFIGS if name not in ("family", "smallest")]
ENDED = ("training is complete", "training ended", "training was complete", "training had ended")
# The files whose calls the shim counts while a run saves. train.log is no part of it, config.yaml and vocabularies are written before.
SAVED = ("checkpoints/", "model.safetensors", "metrics.jsonl")


class Training(Round):
    """`heed train`, killed in phases of one configuration."""

    def __init__(self, index, work, seed, kills):
        super().__init__(index, work, seed, kills)
        self.config = TRAININGS[self.random.randrange(len(TRAININGS))]
        self.reference = references.training(work, self.config)
        self.run = self.folder / "run"
        self.yaml = self.folder / "run.yaml"
        self.yaml.write_text(toy.config_text(self.config, work / "corpora", self.run), encoding="utf-8")
        self.where = f"round {index}, {self.config}"
        self.updates = run_folder.last_update(self.reference.run)
        self.saves = sum(path.startswith(SAVED) for _, path in self.reference.calls)
        self.validates = "validate_bleu: true" in self.yaml.read_text(encoding="utf-8")

    def go(self):
        for phase, name in self.in_order():
            if (self.run / "summary.json").exists():
                return
            self.kill(phase, name)
        heed = self.start(["train", self.yaml, "--resume"])
        status = heed.wait()
        self.complain(process.complaints_about_error(heed.text(), status, expected=(0,)))
        self.complain(run_folder.difference(self.run, self.reference.run))

    def in_order(self):
        """Phases of the loop come again and again, the first two and the last do not."""
        early = [kill for kill in self.kills if kill[0] in ("start", "vocabulary")]
        late = [kill for kill in self.kills if kill[0] == "test"]
        return early + [kill for kill in self.kills if kill[0] in LOOP] + late

    def kill(self, wanted, name):
        before = run_folder.newest(self.run)
        left = self.updates - max(before, 0)
        extra, log = {}, self.folder / f"calls-{self.attempts}"
        if wanted == "saving" and name != "SIGTERM+KILL":
            last = max(1, int(self.saves * left / self.updates * 0.8))
            paths = [self.run / name for name in SAVED]
            extra = process.disturbed(paths, log, at=self.random.randint(1, last), signal=int(SIGNALS[name]))
        if wanted == "validation" and self.random.random() < 0.5:
            extra["CAMPAIGN_SCORER"] = "0.05"
        heed = self.start(["train", self.yaml, "--resume"], extra)
        try:
            if wanted == "saving" and name != "SIGTERM+KILL":
                phase, status = self.shot_by_shim(heed, log, name)
            else:
                self.aim(heed, wanted, max(before, 0), left)
                phase = "saving" if wanted == "saving" else self.phase_of(heed)
                self.save_begun = wanted == "saving"
                logged = run_folder.last_update(self.run)
                scoring = phase == "validation" and self.mark.exists()
                status = self.strike(heed, name, phase)
                if scoring and name == "SIGKILL" and run_folder.newest(self.run) < logged:
                    self.blame([f"update {logged} was validated before it was saved"])
        finally:
            heed.end()
        self.check(heed, status, name, phase, before)

    def shot_by_shim(self, heed, log, name):
        """The signal comes with a call of heed itself; a stopped process has to be woken."""
        if name == "SIGSTOP+CONT":
            if heed.until(heed.stopped):
                time.sleep(self.random.uniform(0, 0.3))
                heed.send(signal.SIGCONT)
        status = heed.wait()
        calls = log.read_text(encoding="utf-8") if log.exists() else ""
        # A resume removes the half files of a process that was killed before it has anything to save.
        phase = "start" if re.search(r"^disturbed \d+ remove .*\.tmp\.\d+$", calls, re.MULTILINE) else "saving"
        if "disturbed" in calls:
            self.landed.append((phase, name))
        return phase, status

    def aim(self, heed, wanted, done, left):
        if wanted == "start":
            self.wait_random(heed, 0.5)
        elif wanted == "vocabulary":
            heed.until(lambda: "training a vocabulary" in heed.text(), pause=0.0005)
            self.wait_random(heed, 0.02)
        elif wanted == "test":
            heed.until(lambda: any(end in heed.text() for end in ENDED))
            self.wait_random(heed, 0.15)
        elif wanted in ("training", "saving"):
            goal = done + self.random.randint(1, max(1, left - 2))
            heed.until(lambda: run_folder.last_update(self.run) >= goal)
            self.wait_random(heed, 0.01)
        elif self.validates and self.random.random() < 0.7:
            for _ in range(self.random.randint(1, max(1, left // toy.VALIDATE_EVERY))):
                heed.until(self.mark.exists)
                if self.random.random() < 0.5:
                    heed.until(lambda: not self.mark.exists())
        else:
            first = done // toy.VALIDATE_EVERY + 1
            goal = toy.VALIDATE_EVERY * self.random.randint(first, max(first, self.updates // toy.VALIDATE_EVERY))
            heed.until(lambda: run_folder.last_update(self.run) >= goal)
            self.wait_random(heed, 0.03)

    def until_killed(self, heed):
        """Waits for the middle of the checkpoint that SIGTERM asked for, where that is wanted."""
        if self.save_begun:
            heed.until(lambda: any(self.run.glob("checkpoints/*.tmp.*")), pause=0)
        else:
            super().until_killed(heed)

    def phase_of(self, heed):
        """The phase of the process, as far as it tells."""
        said = heed.text()
        if any(end in said for end in ENDED):
            return "test"
        if "update " not in said and "resuming at" not in said:
            model = self.run / "joint.spm", self.run / "target.spm"
            learning = "training a vocabulary" in said and not any(file.exists() for file in model)
            return "vocabulary" if learning else "start"
        happened = run_folder.events(self.run)
        last = happened[-1] if happened else {"event": "", "update": 0}
        due = last["event"] == "train" and last["update"] % toy.VALIDATE_EVERY == 0
        return "validation" if due or self.mark.exists() else "training"

    def check(self, heed, status, name, phase, before):
        if status is None or not self.landed:
            return self.judge(heed, status, name, phase, ends_well=(0,))
        ended = (self.run / "summary.json").exists()
        self.judge(heed, status, name, phase, ends_well=(0,) if ended else ())
        if name in GRACEFUL and phase in (*LOOP, "test") and status not in (0, 1):
            self.blame([f"{name} in {phase} ends the process with {status} instead of saving"])
        self.blame(run_folder.damage(self.run))
        newest, logged = run_folder.newest(self.run), run_folder.last_update(self.run)
        if newest < before:
            self.blame([f"a checkpoint was lost: {newest} after {before}"])
        if name in GRACEFUL and phase in LOOP and status == 1:
            if newest != logged:
                self.blame([f"{name} in {phase}: update {logged} is done and {newest} saved"])
            if "--resume" not in heed.text().splitlines()[-1]:
                self.blame([f"{name} in {phase}: does not say how to go on"])
        elif newest >= 0 and newest < logged - toy.SAVE_EVERY:
            self.blame([f"update {logged} is done and only {newest} saved"])
