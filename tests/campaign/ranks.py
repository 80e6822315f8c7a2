#!/usr/bin/env python3
"""Kills ranks of a training at random instants, and holds the result against a run of one process.

    python3 tests/campaign/ranks.py --kills 50        the whole campaign
    python3 tests/campaign/ranks.py --quick           the quick one of ctest
    python3 tests/campaign/ranks.py --seed 17 --round 4

In a round some ranks train with --restarts. One of them is killed, up to three times, or with it the process that
watches them; then another number of ranks goes on. One more kind of round stops a rank: the others must name it.
"""
import hashlib
import itertools
import os
import pathlib
import random
import shutil
import signal
import sys
import time

import arguments
import process
import references
import table
import toy

QUICK = 3  # kills
CONFIGURATIONS = ("rnn", "transformer_best_accumulate", "rnn_plateau_weighted", "transformer_epochs_cosine")
PARTS = 4  # of each batch
RANK, WATCHER, STOPPED = "a rank killed", "the watching process killed", "a rank stopped"
LIMIT = 2  # seconds within which all are gone


def ranks_of(heed):
    """Process of each rank."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[1])
            if parent != heed.pid:
                continue
            variables = (folder / "environ").read_bytes().split(b"\0")
            rank = [int(each[10:]) for each in variables if each.startswith(b"HEED_RANK=")]
            if rank:
                found[rank[0]] = int(folder.name)
        except (OSError, IndexError):
            continue
    return found


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Round:
    def __init__(self, index, work, seed):
        self.draw = random.Random(f"{seed}-{index}")
        self.where = f"round {index}"
        self.work, self.folder = work, work / f"ranks-{index}"
        self.landed, self.complaints = [], []
        self.name = self.draw.choice(CONFIGURATIONS)
        self.reference = references.training(work, self.name, micro_batches=PARTS)

    def start(self, count, *more):
        arguments = ["train", self.folder / "run.yaml", "--ranks", count, *more]
        return process.Heed(arguments, self.folder / f"console-{len(self.landed)}-{count}",
                            extra={"OMP_NUM_THREADS": "1"})

    def in_the_loop(self, heed):
        """Waits until it trains, and then a while."""
        metrics = self.folder / "run/metrics.jsonl"
        if not heed.until(metrics.exists, pause=0.01):
            return False
        time.sleep(self.draw.uniform(0, 0.8) * max(self.reference.seconds, 1))
        return heed.running()

    def kill_a_rank(self, heed):
        ranks = ranks_of(heed)
        if not ranks:
            return
        victim = self.draw.choice(sorted(ranks))
        os.kill(ranks[victim], signal.SIGKILL)
        self.landed.append(RANK)
        begin = time.monotonic()
        while heed.running() and set(ranks_of(heed).values()) & set(ranks.values()):
            if time.monotonic() - begin > LIMIT:
                self.complaints.append(f"{LIMIT} s after rank {victim} was killed others of its attempt run")
                return
            time.sleep(0.02)

    def kill_the_watcher(self, heed):
        ranks = ranks_of(heed)
        os.kill(heed.pid, signal.SIGKILL)
        heed.wait()
        self.landed.append(WATCHER)
        end = time.monotonic() + LIMIT
        while any(pathlib.Path(f"/proc/{rank}/cwd").exists() for rank in ranks.values()):
            if time.monotonic() > end:
                self.complaints.append(f"{LIMIT} s after the watching process was killed ranks of it run")
                return
            time.sleep(0.02)

    def stop_a_rank(self, count):
        heed = self.start(count, "--rank-timeout", 2)
        if not self.in_the_loop(heed):
            return heed.wait()
        ranks = ranks_of(heed)
        victim = self.draw.choice(sorted(ranks))
        os.kill(ranks[victim], signal.SIGSTOP)
        self.landed.append(STOPPED)
        status = heed.wait()
        text = heed.text()
        if status != 1:
            self.complaints.append(f"exit status {status} instead of 1 with a stopped rank")
        if f"rank {victim} of {count} is silent for 2 s" not in text:
            self.complaints.append(f"rank {victim} was stopped and is not named: {text.splitlines()[-3:]}")
        return status

    def go(self, kills):
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "run").mkdir(parents=True)
        corpora = toy.write_corpora(self.work / "corpora")
        (self.folder / "run.yaml").write_text(
            toy.config_text(self.name, corpora, self.folder / "run", micro_batches=PARTS), encoding="utf-8")
        status = None
        if self.draw.random() < 0.25:
            status = self.stop_a_rank(self.draw.randint(2, 3))
        while status != 0 and not self.complaints:
            heed = self.start(self.draw.randint(2, 4), "--restarts", kills, "--resume")
            for _ in range(kills):
                if len(self.landed) >= kills or not self.in_the_loop(heed):
                    break
                if self.draw.random() < 0.2:
                    self.kill_the_watcher(heed)
                else:
                    self.kill_a_rank(heed)
            status = heed.wait()
            if status != 0 and WATCHER not in self.landed:
                self.complaints.append(f"exit status {status}: {heed.text().splitlines()[-3:]}")
            if status is None:
                self.complaints.append("hangs")
        if not self.complaints and sha256(self.folder / "run/model.safetensors") != sha256(
                self.reference.run / "model.safetensors"):
            self.complaints.append("model.safetensors differs from that of one process")
        if not self.complaints:
            shutil.rmtree(self.folder)


def campaign(kills, seed, work, only=None, say=print):
    """Returns Results whose rows are disturbances."""
    results = table.Results("ranks")
    say(f"ranks: seed {seed}; one round again: ranks.py --seed {seed} --round N")
    for index in itertools.count() if only is None else [only]:
        played = Round(index, work, seed)
        try:
            played.go(1 + index % 3)
        except Exception as error:  # a round that breaks is a finding, too
            played.complaints.append(f"{type(error).__name__}: {error}")
        for number, what in enumerate(played.landed or ["no kill in time"]):
            results.add(what, played.complaints if number == 0 else (), played.where, bool(played.complaints))
        say(f"{played.where}, {played.name}: {', '.join(played.landed) or 'no kill in time'}; {results.times()} in "
            f"all: " + ("; ".join(played.complaints) or "the same bits"))
        if results.times() >= kills:
            break
    return results


def main():
    args = arguments.parser(__doc__, "kills", 50, QUICK).parse_args()
    results = campaign(args.times, args.seed, args.work.resolve(), args.round, say=arguments.say)
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
