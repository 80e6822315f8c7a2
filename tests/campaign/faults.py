#!/usr/bin/env python3
"""Lets the world fail while heed trains: full and broken disks, folders that go away, too little memory, too few open
files, scorers that fail, clocks that jump.

    python3 tests/campaign/faults.py            every write of a run fails once
    python3 tests/campaign/faults.py --quick    some of them

After each failure no file is torn, no older checkpoint is lost, the command ended with exit code 1 and one line of
error, and --resume reaches the bits of a run that nothing disturbed.
"""
import argparse
import concurrent.futures
import errno
import os
import pathlib
import random
import resource
import shutil
import sys
import time

import cases
import commands
import process
import references
import table
import toy

GROWING = ("open", "write", "sync", "close", "rename", "mkdir", "truncate")  # what a full disk refuses
CHANGING = ("open", "write", "sync", "rename", "mkdir", "truncate", "remove")  # what a read-only one refuses


def least(kind, low, high, step, folder):
    """The smallest limit under which heed starts with LibTorch: below it the system's loader fails, not heed."""
    while high - low > step:
        middle = (low + high) // 2
        status, _ = process.run(["train", "--help"], folder / "console-least", limits={kind: middle})
        low, high = (low, middle) if status == 0 else (middle, high)
    return high


def peak_memory(work, begun):
    """Address space of a run in bytes, as RLIMIT_AS counts it: from its start, or of its resume."""
    corpora, folder = toy.write_corpora(work / "corpora"), work / f"peak-{os.getpid()}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = folder / "run.yaml"
    config.write_text(toy.config_text("rnn", corpora, folder / "run"), encoding="utf-8")
    command = ["train", config, "--resume"]
    if begun:
        cases.begin(process.Heed(command, folder / "console"), folder / "run")
    heed, peak = process.Heed(command, folder / "console"), 0
    while heed.running():
        try:
            status = pathlib.Path(f"/proc/{heed.pid}/status").read_text(encoding="utf-8")
            peak = max([peak] + [1024 * int(line.split()[1]) for line in status.splitlines() if line[:7] == "VmPeak:"])
        except OSError:
            break
        time.sleep(0.005)
    heed.end()
    shutil.rmtree(folder)
    return peak


def some(calls, draw):
    """One place of each kind: a call and the kind of file that it changes."""
    kinds = {}
    for k, (call, path) in enumerate(calls, start=1):
        name = path.split("/")[-1].split("-")[0]
        kinds.setdefault((call, name), []).append(k)
    return sorted(draw.choice(places) for places in kinds.values())


def plan(work, quick, draw):
    """(class, arguments) of every case; the first argument is what the table calls it."""
    calls = references.training(work, "smallest").calls
    places = range(1, len(calls) + 1)
    chosen = some(calls, draw) if quick else places
    writing = [k for k in chosen if calls[k - 1][0] not in ("remove",)]

    def among(kinds, k):
        """The place of call k, or the next one of these kinds, where they alone are counted."""
        before = sum(call in kinds for call, _ in calls[:k])
        return before if calls[k - 1][0] in kinds else min(before + 1, sum(call in kinds for call, _ in calls))

    lone = draw.sample(writing, 6) if quick else writing
    full = draw.sample(writing, 8) if quick else writing
    for k in full:
        yield cases.FailedCall, ("disk full from a call on (ENOSPC)", among(GROWING, k), errno.ENOSPC, True,
                           ",".join(GROWING))
    for k in lone:
        yield cases.FailedCall, ("one call fails (EIO)", k, errno.EIO, False)
    for k in [1] + draw.sample(writing, 2 if quick else 20):
        yield cases.FailedCall, ("folder read-only from a call on (EROFS)", among(CHANGING, k), errno.EROFS, True,
                           ",".join(CHANGING))
    for command in draw.sample(sorted(commands.WRITERS), 2) if quick else commands.WRITERS:
        for _ in range(1 if quick else 10):
            yield cases.FullDisk, ("disk full from a call on (ENOSPC), " + command, command, draw.random())
    for at in (1, 3) if quick else range(1, 9):
        yield cases.FailedRead, ("a read of the corpus fails (EIO)", at)
    yield cases.FullLog, ("train.log on a full disk",)
    yield cases.FullOutput, ("standard output on a full disk",)
    for at, taken in ((6, "."), (14, "checkpoints")) if quick else ((n, t) for n in (2, 9, 23, 41)
                                                                   for t in (".", "checkpoints")):
        yield cases.GoneFolder, ("a folder of the run goes away", at, taken)
    work.mkdir(parents=True, exist_ok=True)
    low, steps = least(resource.RLIMIT_AS, 0, 2**36, 2**22, work), 2 if quick else 20
    for begun in (False, True):
        high = peak_memory(work, begun)
        for i in range(steps):
            yield cases.Limited, ("too little memory (RLIMIT_AS), " + ("resumed" if begun else "from the start"),
                            resource.RLIMIT_AS, low + (high - low) * (2 * i + 1) // (2 * steps), begun)
    first = least(resource.RLIMIT_NOFILE, 3, 64, 1, work)
    for limit in (first, first + 2, first + 5) if quick else range(first, first + 16):
        yield cases.Limited, ("too few open files (RLIMIT_NOFILE)", resource.RLIMIT_NOFILE, limit, False)
    for mode, expected in (("1", (0,)), ("fail", (1,)), ("die", (1,)), ("nonsense", (1,)), ("missing", (1,))):
        what = "a slow scorer" if expected == (0,) else "a scorer that fails where BLEU decides"
        yield cases.Scorer, (what, mode, expected)
    for mode in ("fail",) if quick else ("fail", "die", "nonsense"):
        yield cases.LostScore, ("a scorer that fails where the loss decides", mode)
    for mode in ("fail",) if quick else ("fail", "die", "nonsense"):
        yield cases.LateScorer, ("a scorer that fails on the test set", mode)
    for jump in (3600,) if quick else (1, 3600, 10**7):
        yield cases.JumpingClock, ("the wall clock jumps", jump)
    yield cases.SecondTraining, ("a second training in the folder",)
    yield cases.GoneConfig, ("the configuration is lost",)


def campaign(quick, seed, work, jobs=1, only="", say=print):
    results = table.Results("faults")
    say(f"faults: seed {seed}")

    def one(numbered):
        number, (kind, (what, *arguments)) = numbered
        case = kind(what, work, number, *arguments)
        try:
            case.play()
        except Exception as error:  # a case that breaks is a finding, too
            case.complain([f"{type(error).__name__}: {error}"])
        results.add(what, case.complaints, where=f"{arguments}, kept in {case.folder}")
        say(f"case {number}, {what} {arguments}: " + ("; ".join(case.complaints) or "as promised"))

    wanted = (case for case in plan(work, quick, random.Random(seed)) if only in case[1][0])
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, enumerate(wanted)))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="some calls and limits instead of all")
    parser.add_argument("--only", default="", help="cases whose name has this text in it")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time")
    parser.add_argument("--work", type=pathlib.Path, default=toy.ROOT / "build/campaign")
    args = parser.parse_args()
    results = campaign(args.quick, args.seed, args.work.resolve(), args.jobs, args.only,
                       say=lambda text: print(text, flush=True))
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
