#!/usr/bin/env python3
"""Kills heed at random instants, resumes it, and holds the result against a run that nothing disturbed.

    python3 tests/campaign/kills.py --kills 200            the whole campaign
    python3 tests/campaign/kills.py --kills 12             the quick one of ctest
    python3 tests/campaign/kills.py --seed 17 --round 4    one round again

A round is one run, killed up to three times and then resumed to its end. The seed that is printed chooses the rounds
and the instants; the scheduler of the system has a say in what a process is doing at an instant.
"""
import concurrent.futures
import itertools
import random
import sys

import arguments
import table
from commands import WRITERS, Bottleneck, CourseStart, Distill, Vocabulary, Writer
from rounds import SIGNALS
from trainings import LOOP, PHASES, Training

QUICK = 12  # kills
KINDS = {"heed vocab": Vocabulary, "heed bottleneck": Bottleneck, "heed distill": Distill,
         "heed course start": CourseStart, **{what: Writer for what in WRITERS}}


def rounds(seed):
    """(kind, kills) without end: every pair of phase and signal comes equally often, those of the loop thrice."""
    draw = random.Random(seed)
    while True:
        pairs = [(phase, name) for phase in (*PHASES, *KINDS, *LOOP, *LOOP) for name in SIGNALS]
        draw.shuffle(pairs)
        waiting = []
        for phase, name in pairs:
            if phase in KINDS or name == "SIGSTOP+CONT":  # a process that was stopped goes on to its end
                yield KINDS.get(phase, Training), [(phase, name)]
                continue
            waiting.append((phase, name))
            if len(waiting) > draw.randrange(3):
                yield Training, waiting
                waiting = []
        if waiting:
            yield Training, waiting


def order(what):
    name, phase = what.split(" in ", 1) if " in " in what else (what, "")
    phases, names = [*PHASES, *KINDS, ""], [*SIGNALS, what]
    return phases.index(phase), names.index(name)


def campaign(kills, seed, work, jobs=1, only=None, say=print):
    """Returns Results whose rows are disturbances."""
    results = table.Results("kills")
    say(f"kills: seed {seed}; one round again: kills.py --seed {seed} --round N")
    stream = enumerate(rounds(seed))
    if only is not None:
        stream = ((index, kind) for index, kind in itertools.islice(stream, only, only + 1))

    def one(index, kind, wanted):
        played = None
        try:
            played = kind(index, work, seed, wanted)
            played.go()
        except Exception as error:  # a round that breaks is a finding, too
            if played is None:
                raise
            played.complain([f"{type(error).__name__}: {error}"])
        played.finish(results)
        landed = ", ".join(f"{name} in {phase}" for phase, name in played.landed) or "no kill in time"
        say(f"{played.where}: {landed}; {results.times()} in all: " +
            ("; ".join(text for _, text in played.complaints) or "the same bits"))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while results.times() < kills:
            batch = list(itertools.islice(stream, jobs))
            if not batch:
                break
            list(pool.map(lambda item: one(item[0], *item[1]), batch))
    return results


def main():
    parser = arguments.parser(__doc__, "kills", 200, QUICK)
    parser.add_argument("--jobs", type=int, default=1, help="rounds at the same time")
    args = parser.parse_args()
    results = campaign(args.times, args.seed, args.work.resolve(), args.jobs, args.round, say=arguments.say)
    return table.end(results.rows(order), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
