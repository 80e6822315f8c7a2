"""Rounds of the campaign: those of kills, in which one run is killed up to three times and then resumed to its end, and those in
which something else is drawn that goes wrong."""
import os
import random
import shutil
import signal
import time

import process
import references
import table
import toy

SIGNALS = {"SIGKILL": signal.SIGKILL, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGHUP": signal.SIGHUP,
           "SIGTERM+KILL": signal.SIGTERM, "SIGSTOP+CONT": signal.SIGSTOP}
GRACEFUL = ("SIGTERM", "SIGINT", "SIGHUP")


class Round:
    """The members that all kinds of rounds share: a folder, chances, and the kills that came to pass."""

    def __init__(self, index, work, seed, kills):
        self.index, self.work, self.kills = index, work, kills
        self.random = random.Random(f"{seed}/{index}")
        self.folder = work / f"round-{os.getpid()}-{index}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.landed, self.complaints, self.attempts = [], [], 0
        self.where = f"round {index}, {kills[0][0]}"

    def start(self, arguments, extra=None):
        self.attempts += 1
        self.mark.unlink(missing_ok=True)
        return process.Heed(arguments, self.folder / f"console-{self.attempts}",
                            {"CAMPAIGN_MARK": self.mark, **(extra or {})})

    @property
    def mark(self):
        return self.folder / "scoring"

    def complain(self, texts, kill=None):
        """Complains of one kill (its index in `landed`), or of what the whole round led to."""
        self.complaints += [(kill, text) for text in texts]

    def blame(self, texts):
        """Complains of the last kill."""
        self.complain(texts, len(self.landed) - 1 if self.landed else None)

    def strike(self, heed, name, phase):
        """Sends the signal, if there is still a process, and waits for what comes of it. Returns the exit status."""
        if not heed.running():
            return heed.wait()
        heed.send(SIGNALS[name])
        if name == "SIGSTOP+CONT":
            time.sleep(self.random.uniform(0, 0.3))
            heed.send(signal.SIGCONT)
        if name == "SIGTERM+KILL":  # who stops it has no patience
            self.until_killed(heed)
            heed.send(signal.SIGKILL)
        status = heed.wait()
        self.landed.append((phase, name))
        return status

    def until_killed(self, heed):
        self.wait_random(heed, 0.03)

    def wait_random(self, heed, seconds):
        end = time.monotonic() + self.random.uniform(0, seconds)
        heed.until(lambda: time.monotonic() > end, pause=0.0005)

    def judge(self, heed, status, name, phase, ends_well=(0,)):
        """Judges what holds for each process that got a signal, whatever it was doing."""
        if status is None:
            return self.blame([f"{phase}: hangs after {name}"])
        allowed = set(ends_well)
        if name != "SIGSTOP+CONT":
            allowed.add(-SIGNALS[name])
        if name in GRACEFUL or name == "SIGTERM+KILL":
            allowed.add(1)
        if name == "SIGTERM+KILL":
            allowed.add(-signal.SIGKILL)
        if status not in allowed:
            self.blame([f"exit status {status} after {name}: {heed.text().splitlines()[-2:]}"])
        elif status == 1:
            self.blame(process.complaints_about_error(heed.text(), status))

    def finish(self, results):
        where = f"{self.where}, kept in {self.folder}"
        common = [text for kill, text in self.complaints if kill is None]
        for number, (phase, name) in enumerate(self.landed):
            own = [text for kill, text in self.complaints if kill == number]
            results.add(f"{name} in {phase}", own + (common if number == 0 else []), where, failed=bool(common))
        if common and not self.landed:
            results.add("no kill", common, where)
        if not self.complaints:
            shutil.rmtree(self.folder, ignore_errors=True)


class DrawnRound:
    """A round of one of several kinds, which take turns, so that a few rounds have seen all. What happens in it follows from the seed."""
    name = ""  # of the campaign and its script

    def __init__(self, index, work, seed, models):
        self.index, self.work, self.draw = index, work, random.Random(f"{seed}-{index}")
        self.where, self.folder = f"round {index}", work / f"{self.name}-{index}"
        self.complaints = []
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.corpora = toy.write_corpora(work / "corpora")
        self.model_name = self.draw.choice(sorted(models))
        self.model = references.training(work, self.model_name).run

    def kinds(self):
        """The methods of which each plays a round and returns what it has done."""
        raise NotImplementedError

    def go(self):
        kinds = self.kinds()
        kind = kinds[self.index % len(kinds)]
        try:
            done = kind()
        except Exception as error:  # a round that breaks is a finding, too
            done = kind.__name__
            self.complaints.append(f"{type(error).__name__}: {error}")
        if not self.complaints:
            shutil.rmtree(self.folder)
        return done


def play(kind, rounds, seed, work, only=None, say=print):
    """Plays rounds of a kind of DrawnRound. Returns Results whose rows are what the rounds have done."""
    results = table.Results(kind.name)
    say(f"{kind.name}: seed {seed}; one round again: {kind.name}.py --seed {seed} --round N")
    for index in range(rounds) if only is None else [only]:
        played = kind(index, work, seed)
        done = played.go()
        results.add(done, played.complaints, f"{played.where}, kept in {played.folder}")
        say(f"{played.where}, {done}: " + ("; ".join(played.complaints) or "as promised"))
    return results
