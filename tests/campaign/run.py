#!/usr/bin/env python3
"""The whole campaign against heed: kills, failures of the world, numbers of ranks, misuse, attacks, damaged input, costs that
grow with the square, long runs; ends with one table.

    python3 tests/campaign/run.py            the quick one, a few minutes
    python3 tests/campaign/run.py --full     200 kills, 50 of ranks, every write of a run, 200 slips, 500
                                             attacks, an hour of damaged input, every text doubled,
                                             a million lines

The exit code is 0 where everything is as docs/reliability.md promises.
"""
import argparse
import pathlib
import random
import subprocess
import sys

import attacks
import bits
import faults
import growth
import kills
import long_runs
import misuse
import ranks
import table
import toy

FUZZ = toy.ROOT / "tests/fuzz/run.py"
PARTS = ("kills", "faults", "ranks", "bits", "misuse", "attacks", "fuzz", "growth", "long_runs")


def fuzz(full):
    """Damaged input has a program of its own, with a table of its own."""
    results = table.Results("fuzz")
    minutes = 60 if full else 2
    status = subprocess.run([sys.executable, str(FUZZ), "--minutes", str(minutes)], check=False).returncode
    results.add(f"damaged input for {minutes} minutes", [f"exit status {status}, see above"] if status else [])
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="all of it instead of the quick one")
    parser.add_argument("--parts", default=",".join(PARTS), help="separated by commas; default: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="kills and failures at the same time")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--work", type=pathlib.Path, default=toy.ROOT / "build/campaign")
    args = parser.parse_args()
    parts, work = args.parts.split(","), args.work.resolve()
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown parts {', '.join(unknown)}; there are {', '.join(PARTS)}")

    def say(text):
        print(text, flush=True)

    rows, complaints = [], []

    def take(results, order=None):
        rows.extend(results.rows(order))
        complaints.extend(results.complaints)

    if "kills" in parts:
        take(kills.campaign(200 if args.full else kills.QUICK, args.seed, work, args.jobs, say=say), kills.order)
    if "faults" in parts:
        take(faults.campaign(not args.full, args.seed, work, args.jobs, say=say))
    if "ranks" in parts:
        take(ranks.campaign(50 if args.full else ranks.QUICK, args.seed, work, say=say))
    if "bits" in parts:
        take(bits.campaign(not args.full, work, say=say))
    if "misuse" in parts:
        take(misuse.campaign(200 if args.full else misuse.QUICK, args.seed, work, say=say))
    if "attacks" in parts:
        take(attacks.campaign(500 if args.full else attacks.QUICK, args.seed, work, say=say))
    if "fuzz" in parts:
        take(fuzz(args.full))
    if "growth" in parts:
        take(growth.campaign(not args.full, args.seed, work, args.jobs, say=say))
    if "long_runs" in parts:
        take(long_runs.campaign(not args.full, work, say=say))
    say("")
    say(table.markdown(rows))
    for complaint in complaints:
        say(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
