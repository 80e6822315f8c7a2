#!/usr/bin/env python3
"""Training speed of heed beside a plain PyTorch loop and other trainers, one after the other, again and again.

  python3 tests/benchmarks/training.py --python /tmp/torch/bin/python --rounds 5
  python3 tests/benchmarks/training.py --precisions fp32,bf16,auto --references ''
  python3 tests/benchmarks/training.py --peers eole,opennmt,sockeye,joeynmt,marian --peer-python /tmp/peers/bin/python
  python3 tests/benchmarks/training.py --systems transformer --peer 'mine=python my_trainer.py --updates 20'
  python3 tests/benchmarks/training.py --beside newer=build/newer/heed-bench    # two builds of heed, one after the other

Needs data/multi30k (python3 data_scripts/multi30k.py) and, for reference.py, a Python with torch and sentencepiece.
peers.py runs other trainers and tells how to install them. Any other peer is a command that prints a JSON line with
"target_tokens_per_second". What fails is skipped with a word.
Numbers are medians over the rounds: target tokens a second without padding, their ratio to those of reference.py in
fp32 (with --compiled, to the faster of its two forms) and to heed's fastest precision, the most memory of the process, and
the share of a square fp32 product's speed that the model's products reach.
"""
import argparse
import csv
import json
import pathlib
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "tests/benchmarks/training.yaml"


def run(command):
    return subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False)


def last_word(result):
    """Why a program failed: what is last in its log says nothing where a signal ended it."""
    if result.returncode < 0:
        return f"ended by {signal.Signals(-result.returncode).name}"
    return (result.stderr.strip().splitlines() or ["printed nothing"])[-1]


class Heed:
    def __init__(self, args, precision, bench, name="heed"):
        self.name, self.args, self.precision, self.bench = f"{name} {precision}", args, precision, bench

    def measure(self, system):
        with tempfile.TemporaryDirectory() as folder:
            result = run([self.bench, "train", CONFIG, "--systems", system,
                          "--updates", self.args.updates, "--threads", self.args.threads,
                          "--set", f"precision={self.precision}", "-o", folder])
            if result.returncode:
                raise RuntimeError(last_word(result))
            with open(pathlib.Path(folder) / "training.csv", encoding="utf-8") as file:
                row = next(csv.DictReader(file))
        return float(row["tokens_per_s"]), float(row["resident_mib"]), float(row["gemm_%"]) / 100


class Command:
    """A program that prints one JSON line."""

    def __init__(self, name, command_for):
        self.name, self.command_for = name, command_for

    def measure(self, system):
        result = run(self.command_for(system))
        lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
        if not lines:
            raise RuntimeError(last_word(result))
        numbers = json.loads(lines[-1])
        return tuple(float(numbers.get(key, "nan")) for key in (
            "target_tokens_per_second", "peak_memory_mib", "share_of_fp32_gemm_peak"))


def script(args, name, precision, *command):
    data = ROOT / "data/multi30k"
    return Command(f"{name} {precision}", lambda system: [
        *command, "--source", data / "train.de", "--target", data / "train.en",
        "--vocabulary", ROOT / "runs/benchmark/vocabulary/joint.spm", "--model", system,
        "--precision", precision, "--updates", args.updates, "--threads", args.threads])


def reference(args, precision):
    return script(args, "reference", precision, args.python, ROOT / "tests/benchmarks/reference.py")


def compiled(args):
    """The first updates compile, and say nothing of those after them."""
    return script(args, "compiled reference", "fp32", args.python, ROOT / "tests/benchmarks/reference.py", "--compile",
                  "--warmup", "10")


def trainer(args, name, precision):
    python = (args.peer_python or str(args.python)).format(peer=name)
    return script(args, name, precision, python, ROOT / "tests/benchmarks/peers.py", name)


def table(system, measured):
    """The rows of `measured`, which are (speed, memory, share) of each round, as text."""
    def speed_of(names):
        return max((statistics.median(row[0] for row in measured[name]) for name in names if measured.get(name)),
                   default=float("nan"))

    base, best = speed_of(["reference fp32", "compiled reference fp32"]), speed_of([name for name in measured if name.startswith("heed ")])
    lines = [f"\n{system:24}{'tokens/s':>10}{'ratio':>8}{'of best':>9}{'peak MiB':>10}{'of GEMM':>9}   lowest and highest"]
    for name, rows in measured.items():
        if not rows:
            continue
        speeds, memory, shares = zip(*rows)
        middle = statistics.median(speeds)
        lines.append(f"{name:24}{middle:10.0f}{middle / base:8.2f}{middle / best:9.2f}{statistics.median(memory):10.0f}"
                     f"{statistics.median(shares):9.2f}   {min(speeds):.0f} {max(speeds):.0f}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default=ROOT / "build/release/heed-bench")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=BENCH", help="heed-bench of another build")
    parser.add_argument("--python", default=sys.executable, help="a Python with torch, for reference.py")
    parser.add_argument("--systems", default="transformer,luong_general,bahdanau,none")
    parser.add_argument("--precisions", default="fp32,bf16", help="of heed, auto among them; default: fp32,bf16")
    parser.add_argument("--references", default="fp32", help="precisions of reference.py, '': none; default: fp32")
    parser.add_argument("--compiled", action="store_true", help="also reference.py with torch.compile, in fp32")
    parser.add_argument("--peers", default="", help="of peers.py: joeynmt,opennmt,eole,sockeye,marian; default: none")
    parser.add_argument("--peer-python",
                        help="a Python with the peers, or /somewhere/{peer}/bin/python; default: --python")
    parser.add_argument("--peer-precisions", default="fp32,bf16", help="of peers.py; default: fp32,bf16")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--updates", type=int, default=10)
    parser.add_argument("--threads", type=int, default=2)
    args = parser.parse_args()

    builds = [("heed", args.bench), *(build.split("=", 1) for build in args.beside)]
    runners = [Heed(args, precision, bench, name) for precision in args.precisions.split(",") for name, bench in builds]
    runners += [reference(args, precision) for precision in filter(None, args.references.split(","))]
    runners += [compiled(args)] if args.compiled else []
    runners += [trainer(args, name, precision) for name in filter(None, args.peers.split(","))
                for precision in args.peer_precisions.split(",")]
    for peer in args.peer:
        name, command = peer.split("=", 1)
        runners.append(Command(name, lambda system, command=command: shlex.split(command)))

    for system in args.systems.split(","):
        measured, running = {}, list(runners)
        for round_number in range(args.rounds):
            for runner in list(running):
                print(f"{system}, round {round_number + 1} of {args.rounds}: {runner.name}", file=sys.stderr)
                try:
                    measured.setdefault(runner.name, []).append(runner.measure(system))
                except (RuntimeError, OSError) as error:
                    print(f"{runner.name} skipped: {error}", file=sys.stderr)
                    running.remove(runner)
        print(table(system, measured), flush=True)


if __name__ == "__main__":
    main()
