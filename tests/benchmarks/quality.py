#!/usr/bin/env python3
"""BLEU on a test set against minutes of training, of heed and of other trainers, one after the other.

  python3 tests/benchmarks/quality.py --peers joeynmt,opennmt --peer-python /tmp/peers/bin/python -o runs/quality
  python3 tests/benchmarks/quality.py --data data/iwslt14 --test test --lowercase --set model.dropout=0.05 -o runs/talks

All train on the same lines with the same pieces, shape and threads, each with its own recipe (heed's: quality.yaml). The
clocks stop while the test set is translated. heed's minutes count its validations; the peers do not validate, and their
clocks stop while they save (peer_quality.py).
Writes quality.csv, quality.svg (with matplotlib), and each trainer's translations. Rows of other trainers that an earlier
call wrote to the same folder stay.
"""
import argparse
import csv
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIG = ROOT / "tests/benchmarks/quality.yaml"
COLUMNS = {"trainer": str, "minutes": float, "update": int, "bleu": float}


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, **options):
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=True, text=True, **options)


def train_heed(args, folder):
    """One training that pauses at each moment, where the model that a user would have then translates the test set."""
    source, target = (f".{language}" for language in args.languages.split(","))
    pairs = {name: f"{{source: {args.data / name}{source}, target: {args.data / name}{target}}}"
             for name in ("train", "valid")}
    train = [args.heed, "train", CONFIG, "--set", f"output={folder}",
             "--set", f"data.train={pairs['train']}", "--set", f"data.valid={pairs['valid']}",
             "--set", f"data.vocabulary.source={args.vocabulary}",
             "--set", f"evaluation.lowercase={str(args.lowercase).lower()}", "--set", f"threads={args.threads}",
             "--set", f"seed={args.seed}"]
    for setting in args.set:
        train += ["--set", setting]
    rows = []
    for minutes in args.minutes:
        run([*train, "--set", f"training.max_minutes={minutes:g}", *(["--resume"] if rows else [])])
        updates = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["updates"]
        hypothesis = folder / f"{minutes:g}.hypothesis"
        run([args.heed, "translate", folder, f"{args.data / args.test}{source}", "--set", f"threads={args.threads}",
             "-o", hypothesis])
        rows.append((updates, bleu(args, hypothesis)))
    return rows


def train_peer(args, name, folder):
    command = [*shlex.split(args.peer_python), ROOT / "tests/benchmarks/peer_quality.py", name, "--data", args.data,
               "--test", args.test, "--languages", args.languages, "--vocabulary", args.vocabulary,
               "--minutes", ",".join(f"{minutes:g}" for minutes in args.minutes), "--precision", args.peer_precision,
               "--dropout", args.peer_dropout, "--length-penalty", args.peer_length_penalty,
               "--threads", args.threads, "--seed", args.seed, "--output", folder]
    output = run(command, capture_output=True)
    updates = json.loads(output.stdout.strip().splitlines()[-1])
    return [(updates[f"{minutes:g}"], bleu(args, folder / f"{minutes:g}.hypothesis"))
            for minutes in args.minutes]


def bleu(args, hypothesis):
    """sacrebleu's score, by heed, so that all have the same signature."""
    command = [args.heed, "evaluate", "--hypothesis", hypothesis, "--reference",
               f"{args.data / args.test}.{args.languages.split(',')[1]}"]
    if args.lowercase:
        command += ["--set", "evaluation.lowercase=true"]
    output = run(command, capture_output=True)
    return float(next(line for line in output.stdout.splitlines() if line.startswith("BLEU")).split()[1])


def earlier(table):
    """The rows that an earlier call wrote, so that trainers can be measured on different days."""
    if not table.exists():
        return []
    with open(table, encoding="utf-8", newline="") as file:
        return [{column: kind(row[column]) for column, kind in COLUMNS.items()}
                for row in csv.DictReader(file)]


def keep(table, rows):
    with open(table, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)


def draw(rows, path):
    try:
        from matplotlib import pyplot
    except ImportError:
        say("no picture: matplotlib is not installed")
        return
    _, axes = pyplot.subplots(figsize=(7, 4))
    for name in dict.fromkeys(row["trainer"] for row in rows):
        own = [row for row in rows if row["trainer"] == name]
        axes.plot([row["minutes"] for row in own], [row["bleu"] for row in own], marker="o", label=name)
    axes.set(xlabel="minutes of training", ylabel="BLEU on the test set")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
    pyplot.rcParams["svg.fonttype"] = "none"
    pyplot.savefig(path, bbox_inches="tight", metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", default=ROOT / "build/release/heed")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("data/multi30k"))
    parser.add_argument("--test", default="test2016", help="name of the test set in --data")
    parser.add_argument("--languages", default="de,en")
    parser.add_argument("--vocabulary", type=pathlib.Path, help="joint SentencePiece model; default: 8,000 pieces")
    parser.add_argument("--minutes", default="5,10,15,30,60")
    parser.add_argument("--trainers", default="heed", help="heed, or empty for the peers alone")
    parser.add_argument("--peers", default="", help="of peer_quality.py: joeynmt,opennmt; default: none")
    parser.add_argument("--peer-python", default=sys.executable, help="a Python with the peers")
    parser.add_argument("--peer-precision", default="bf16", choices=["fp32", "bf16"])
    parser.add_argument("--peer-dropout", type=float, default=0.1)
    parser.add_argument("--peer-length-penalty", default="avg", choices=["none", "avg", "wu"],
                        help="of opennmt; default: its own, avg")
    parser.add_argument("--lowercase", action="store_true", help="score without regard to case")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of heed's configuration")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("runs/quality"))
    args = parser.parse_args()
    args.minutes = sorted(float(minutes) for minutes in args.minutes.split(","))
    args.output = (ROOT / args.output).resolve()
    args.output.mkdir(parents=True, exist_ok=True)
    if not args.vocabulary:
        args.vocabulary = args.output / "joint.spm"
        if not args.vocabulary.exists():
            sides = [f"{args.data / 'train'}.{language}" for language in args.languages.split(",")]
            run([args.heed, "vocab", *sides, "--size", "8000", "-o", args.vocabulary])

    table = args.output / "quality.csv"
    trainers = [("heed", train_heed)] if args.trainers else []
    trainers += [(name, lambda args, folder, name=name: train_peer(args, name, folder))
                 for name in filter(None, args.peers.split(","))]
    rows = earlier(table)
    for name, train in trainers:
        say(f"{name}: {args.minutes[-1]:g} minutes")
        try:
            measured = train(args, args.output / name)
        except subprocess.CalledProcessError as error:
            say(f"{name} skipped: {((error.stderr or '').strip().splitlines() or [str(error)])[-1]}")
            continue
        rows = [row for row in rows if row["trainer"] != name]
        for minutes, (update, score) in zip(args.minutes, measured):
            rows.append({"trainer": name, "minutes": minutes, "update": update, "bleu": score})
            print(f"{name:10}{minutes:6g} minutes  update {update:6}  BLEU {score:.2f}", flush=True)
        keep(table, rows)
    draw(rows, args.output / "quality.svg")


if __name__ == "__main__":
    main()
