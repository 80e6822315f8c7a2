"""The speed of training beside another busy program.

    python3 tests/benchmarks/busy.py CONFIG [--systems transformer] [--loops 0,1] [--rounds 3]

Runs `heed-bench train CONFIG` with one thread and with all, beside each number of busy loops in
turn, and prints the medians of target tokens per second. The bar: beside one loop all threads are
at least 0.95 as fast as one thread beside it, and 0.6 as fast as all threads without it (docs/performance.md).
"""

import argparse
import os
import statistics
import subprocess
import sys


def speed(args, threads):
    command = [args.bench, "--quiet", "train", args.config, "--systems", args.systems,
               "--threads", str(threads), "--updates", str(args.updates), "--pairs", "1500"]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    column = table[0].split().index("tokens_per_s")
    return float(table[1].split()[column])


def beside(loops, measure):
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        return measure()
    finally:
        for other in others:
            other.kill()
            other.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("--systems", default="transformer")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--loops", default="0,1")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=20)
    args = parser.parse_args()
    cases = [(int(loops), threads) for loops in args.loops.split(",") for threads in (1, args.threads)]
    speeds = {case: [] for case in cases}
    for _ in range(args.rounds):
        for loops, threads in cases:
            speeds[loops, threads].append(beside(loops, lambda: speed(args, threads)))
    medians = {case: statistics.median(found) for case, found in speeds.items()}
    quiet = medians.get((0, args.threads))
    print("loops  threads  tokens_per_s  of_one_thread  of_quiet")
    for (loops, threads), found in medians.items():
        of_quiet = f"{found / quiet:.2f}" if quiet and threads == args.threads else ""
        print(f"{loops:5}  {threads:7}  {found:12.0f}  {found / medians[loops, 1]:13.2f}  {of_quiet:>8}")


if __name__ == "__main__":
    main()
