#!/usr/bin/env python3
"""Training speed of heed beside a plain PyTorch loop and other trainers, one after the other, again and again.

  python3 tests/benchmarks/training.py --python /tmp/torch/bin/python --rounds 5
  python3 tests/benchmarks/training.py --systems transformer --peer 'eole=python my_eole.py --updates 20'

Needs data/multi30k (python3 data_scripts/multi30k.py) and, for reference.py, a Python with torch and sentencepiece.
A peer is a command that prints a JSON line with "target_tokens_per_second"; one that fails is skipped with a word.
Numbers are medians over the rounds, in target tokens a second without padding; ratios are to reference.py in fp32.
"""
import argparse
import csv
import json
import pathlib
import shlex
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "tests/benchmarks/training.yaml"


def run(command):
    return subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False)


class Heed:
    def __init__(self, args, precision):
        self.name, self.args, self.precision = f"heed {precision}", args, precision

    def measure(self, system):
        with tempfile.TemporaryDirectory() as folder:
            result = run([self.args.heed, "bench", "train", CONFIG, "--systems", system, "--repeats", 1,
                          "--updates", self.args.updates, "--threads", self.args.threads,
                          "--set", f"precision={self.precision}", "-o", folder])
            if result.returncode:
                raise RuntimeError(result.stderr.strip().splitlines()[-1])
            with open(pathlib.Path(folder) / "training.csv", encoding="utf-8") as file:
                row = next(csv.DictReader(file))
        return float(row["tokens_per_s"]), float(row["peak_mib"])


class Command:
    """A program that prints one JSON line."""

    def __init__(self, name, command_for):
        self.name, self.command_for = name, command_for

    def measure(self, system):
        result = run(self.command_for(system))
        lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise RuntimeError((result.stderr.strip().splitlines() or ["printed nothing"])[-1])
        numbers = json.loads(lines[-1])
        return float(numbers["target_tokens_per_second"]), float(numbers.get("peak_memory_mib", "nan"))


def reference(args, precision):
    data = ROOT / "data/multi30k"
    return Command(f"reference {precision}", lambda system: [
        args.python, ROOT / "tests/benchmarks/reference.py", "--source", data / "train.de", "--target",
        data / "train.en", "--vocabulary", ROOT / "runs/benchmark/vocabulary/joint.spm", "--model", system,
        "--precision", precision, "--updates", args.updates, "--threads", args.threads])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", default=ROOT / "build/release/heed")
    parser.add_argument("--python", default=sys.executable, help="a Python with torch, for reference.py")
    parser.add_argument("--systems", default="transformer,luong_general,bahdanau,none")
    parser.add_argument("--precisions", default="fp32,bf16", help="of heed; default: fp32,bf16")
    parser.add_argument("--references", default="fp32", help="precisions of reference.py; default: fp32")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    runners = [Heed(args, precision) for precision in args.precisions.split(",")]
    runners += [reference(args, precision) for precision in args.references.split(",")]
    for peer in args.peer:
        name, command = peer.split("=", 1)
        runners.append(Command(name, lambda system, command=command: shlex.split(command)))

    for system in args.systems.split(","):
        speeds, memory = {}, {}
        for round_number in range(args.rounds):
            for runner in list(runners):
                print(f"{system}, round {round_number + 1} of {args.rounds}: {runner.name}", file=sys.stderr)
                try:
                    speed, peak = runner.measure(system)
                except (RuntimeError, OSError) as error:
                    print(f"{runner.name} skipped: {error}", file=sys.stderr)
                    runners.remove(runner)
                    continue
                speeds.setdefault(runner.name, []).append(speed)
                memory.setdefault(runner.name, []).append(peak)
        base = statistics.median(speeds.get("reference fp32", [float("nan")]))
        print(f"\n{system:16}{'tokens/s':>10}{'ratio':>8}{'peak MiB':>10}   lowest and highest")
        for name, values in speeds.items():
            middle = statistics.median(values)
            print(f"{name:16}{middle:10.0f}{middle / base:8.2f}{statistics.median(memory[name]):10.0f}"
                  f"   {min(values):.0f} {max(values):.0f}", flush=True)


if __name__ == "__main__":
    main()
