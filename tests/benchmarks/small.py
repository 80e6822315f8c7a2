#!/usr/bin/env python3
"""heed-translate beside heed: the same model, lines and search, taking turns.

    python3 tests/benchmarks/small.py MODEL SOURCE [--weights fp32,int8] [--repeats 5] [--threads 2]

Whole commands are timed, by the clock and by the processor, loading included. Numbers are medians of the runs, the ratio is that
of neighbours: processor time of heed-translate divided by that of heed, which other programs disturb least. Where the two do
not print the same bytes, scores included, the measurement ends.
"""
import argparse
import os
import resource
import statistics
import subprocess
import sys
import time


def timed(program, args, weights):
    """(what it printed, seconds by the clock, seconds of processor time)"""
    command = [program, "--quiet", "translate", args.model, args.source, "--scores", "--beam", str(args.beam), "--device", "cpu",
               "--set", f"decoding.weights={weights}", "--set", f"threads={args.threads}", "--set", "precision=fp32"]
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return printed, wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--small", default="build/small/heed-translate")
    parser.add_argument("--weights", default="fp32,bf16,int8")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    args = parser.parse_args()
    print(f"{'weights':8} {'heed s':>7} {'processor':>10} {'small s':>8} {'processor':>10} {'ratio':>6}")
    for weights in args.weights.split(","):
        pairs = [(timed(args.heed, args, weights), timed(args.small, args, weights)) for _ in range(args.repeats)]
        if len({run[0] for pair in pairs for run in pair}) != 1:
            sys.exit(f"{weights}: {args.heed} and {args.small} print different translations or scores")
        row = [statistics.median(run[column] for run in side) for side in zip(*pairs) for column in (1, 2)]
        row.append(statistics.median(small[2] / heed[2] for heed, small in pairs))
        print(f"{weights:8} {row[0]:7.2f} {row[1]:10.2f} {row[2]:8.2f} {row[3]:10.2f} {row[4]:6.2f}", flush=True)


if __name__ == "__main__":
    main()
