#!/usr/bin/env python3
"""Runs on a machine with one or several GPUs what was never run there, and writes one Markdown table (docs/gpu.md).

  ./run gpu && python3 tests/benchmarks/gpu.py                # runs/gpu/report.md: please send it back
  python3 tests/benchmarks/gpu.py --only doctor,training      # a part of it
  python3 tests/benchmarks/gpu.py --gpus 4 --updates 50

It needs data/multi30k (python3 data_scripts/multi30k.py) or data/demo (python3 data_scripts/demo_corpus.py); the table
names the corpus. Each row is one command. One that fails is a row with the last line of its error, and the others run.
Exit code 1: there is no GPU, or a row failed or has other bits than it should.
"""
import argparse
import csv
import hashlib
import json
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PARTS = ("doctor", "training", "precisions", "ranks", "translating")
SYSTEMS = ("transformer", "luong_general", "bahdanau", "none")
PRECISIONS = ("fp32", "bf16", "fp16")
BATCHES = (4096, 32768)
LAUNCH_BOUND = 4  # an eightfold batch is that many times as fast: then it is not the GPU that takes the time
CORPORA = {
    "multi30k": ("tests/benchmarks/training.yaml", [], "data/multi30k/test2016.de"),
    "demo": ("tests/benchmarks/training.yaml", [
        "data.train.source=data/demo/train.src", "data.train.target=data/demo/train.tgt",
        "data.valid.source=data/demo/valid.src", "data.valid.target=data/demo/valid.tgt",
        "data.vocabulary.size=1000", "data.vocabulary.algorithm=bpe", "output=runs/benchmark-demo"], "data/demo/test.src"),
}
SHORT = {  # a training whose loss is compared
    "model.type": "transformer", "model.dropout": "0.1", "model.tie": "all", "training.learning_rate": "0.001",
    "training.schedule": "inverse_sqrt", "training.warmup": "50", "training.validate_bleu": "false",
    "training.log_every": "10", "deterministic": "true",
}


class Row:
    def __init__(self, what, setting, result, command, good=True):
        self.cells, self.good = [what, setting, result, f"`{command}`" if command else ""], good


def table(rows):
    """Rows of equal cells as Markdown."""
    lines = ["| what | setting | result | command |", "| --- | --- | --- | --- |"]
    for row in rows:
        cells = [str(cell).replace("\n", " ").replace("|", "\\|") for cell in row.cells]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def doctor_lines(text):
    """What `heed doctor` prints: {name: (whether it is well, value)}."""
    found = re.findall(r"^(ok|--) +(\S+) +(.*)$", text, flags=re.M)
    return {name: (mark == "ok", value) for mark, name, value in found}


def settings(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def settings_of(corpus):
    return [word for change in CORPORA[corpus][1] for word in ("--set", change)]


def shown_command(words, data):
    """Without what the head of the table says once: the settings of the corpus and of short trainings."""
    line = " " + shlex.join(words)
    for common in (settings(SHORT), data):
        line = line.replace(" " + shlex.join(common), "") if common else line
    return "heed" + line


def last_line(text):
    return (text.strip().splitlines() or ["it printed nothing"])[-1][:300]


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:12]


def launch_bound(speeds):
    """Which systems are no faster for having less to compute: {(system, precision, batch): tokens/s}."""
    for (system, precision, batch), speed in sorted(speeds.items()):
        large = speeds.get((system, precision, BATCHES[-1]))
        if batch == BATCHES[0] and large:
            ratio = large / speed
            says = "launches of kernels take the time" if ratio >= LAUNCH_BOUND else "the GPU is at work"
            yield Row("launch-bound?", f"{system}, {precision}",
                      f"batches of {BATCHES[-1]} are {ratio:.1f} x as fast as of {BATCHES[0]}: {says}", "")


def compared(speeds, digests):
    """How the ranks scale, and whether the weights are the same: {ranks: tokens/s}, {ranks: digest}."""
    first = min(digests)
    for ranks in sorted(digests):
        same = digests[ranks] == digests[first]
        scale = speeds[ranks] / speeds[first] * first / ranks
        yield Row("ranks", f"{ranks} of {max(digests)} GPUs",
                  f"{speeds[ranks]:.0f} tokens/s, {100 * scale:.0f} % of {first} rank times {ranks // first}; weights "
                  f"{digests[ranks]}: " + ("the same" if same else f"OTHER than with {first}"), "", same)


class Report:
    def __init__(self, args):
        self.args, self.rows = args, []
        self.config, _, self.source = CORPORA[args.corpus]
        self.changed = settings_of(args.corpus)
        self.folder = pathlib.Path(args.output)

    def heed(self, *words, row=None):
        """Runs heed; its standard output, or None after a row that says what went wrong."""
        command = [str(self.args.heed), *(str(word) for word in words)]
        shown = shown_command(command[1:], self.changed)
        print("==>", shown, file=sys.stderr, flush=True)
        problem = None
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False,
                                  timeout=60 * self.args.minutes)
            if done.returncode:
                problem = f"exit code {done.returncode}: {last_line(done.stderr or done.stdout)}"
        except subprocess.TimeoutExpired:
            problem = f"not done after {self.args.minutes} minutes"
        if problem:
            if row:
                self.rows.append(Row(*row, "FAILED: " + problem, shown, False))
            return None, shown
        return done.stdout, shown

    def say(self, *cells, good=True):
        self.rows.append(Row(*cells, good=good))
        print("    " + str(cells[2]), file=sys.stderr, flush=True)

    def counts(self):
        """1, 2, 4, ... and all of the GPUs."""
        return sorted({1 << i for i in range(8) if 1 << i <= self.args.gpus} | {self.args.gpus})

    def doctor(self):
        for ranks in self.counts()[1:]:
            text, command = self.heed("doctor", "--ranks", ranks, row=("doctor", f"{ranks} ranks"))
            if text:
                found = doctor_lines(text)
                self.say("doctor", f"{ranks} ranks", "; ".join(value for _, value in found.values()), command,
                         good="cuda" in found["ranks"][1] and all(good for good, _ in found.values()))
        if self.args.gpus == 1:
            self.say("doctor", "ranks", "one GPU: NCCL cannot be tried", "")

    def training(self):
        speeds = {}
        for precision in PRECISIONS:
            for batch in BATCHES:
                folder = self.folder / f"bench-{precision}-{batch}"
                text, command = self.heed(
                    "bench", "train", self.config, *self.changed, "--systems", ",".join(SYSTEMS),
                    "--updates", self.args.updates, "--set", "device=cuda",
                    "--set", f"precision={precision}", "--set", f"training.batch_size={batch}",
                    "--set", "training.micro_batches=1", "-o", folder,
                    row=("training", f"{precision}, batches of {batch}"))
                if text is None:
                    continue
                with open(ROOT / folder / "training.csv", encoding="utf-8") as file:
                    for line in csv.DictReader(file):
                        speeds[line["system"], precision, batch] = float(line["tokens_per_s"])
                        self.say("training", f"{line['system']}, {line['precision']}, batches of {batch}",
                                 f"{line['tokens_per_s']} tokens/s, waiting {line['waiting_%']} %, forward "
                                 f"{line['forward_%']} %, backward {line['backward_%']} %, optimizer "
                                 f"{line['optimizer_%']} %", command)
        self.rows += launch_bound(speeds)

    def train(self, name, what, setting, changes, *options):
        """A short training: its summary and the digest of its weights; None where it failed."""
        folder = self.folder / name
        values = {"output": folder, "training.updates": self.args.updates,
                  "training.validate_every": self.args.updates, "training.save_every": self.args.updates}
        text, command = self.heed("train", self.config, *self.changed, *settings(SHORT), *settings(values | changes),
                                  "--overwrite", *options, row=(what, setting))
        if text is None:
            return None
        summary = json.loads((ROOT / folder / "summary.json").read_text(encoding="utf-8"))
        return summary, digest(ROOT / folder / "model.safetensors"), command

    def precisions(self):
        for device, precision in [("cpu", "fp32"), *(("cuda", name) for name in PRECISIONS)]:
            done = self.train(f"loss-{device}-{precision}", "validation loss", f"{device}, {precision}",
                              {"device": device, "precision": precision})
            if done:
                self.say("validation loss", f"{device}, {precision}",
                         f"{done[0]['validation_loss']:.4f} after {done[0]['updates']} updates", done[2])
        done = [self.train(f"again-{i}", "the same bits again", "cuda", {"device": "cuda"}) for i in (1, 2)]
        if all(done):
            same = done[0][1] == done[1][1]
            self.say("the same bits again", "cuda", f"{done[0][1]}, {done[1][1]}: " + ("yes" if same else "NO"), done[1][2],
                     good=same)

    def ranks(self):
        speeds, digests = {}, {}
        batches = max(8, self.args.gpus)
        for ranks in self.counts():
            done = self.train(f"ranks-{ranks}", "ranks", f"{ranks} ranks",
                              {"device": "cuda", "training.accumulate": batches}, "--ranks", ranks)
            if done:
                speeds[ranks], digests[ranks] = done[0]["tokens_per_second"], done[1]
                self.say("ranks", f"{ranks} ranks", f"{done[0]['tokens_per_second']:.0f} tokens/s", done[2])
        if digests:
            self.rows += compared(speeds, digests)

    def translating(self):
        model = self.folder / "translating"
        if not self.train("translating", "translating", "the model", {"device": "cuda"}):
            return
        folder = self.folder / "bench-translate"
        text, command = self.heed(
            "bench", "translate", model, "--source", self.source, "--device", "cuda", "--batch", "1,32,256",
            "--beam", 5, "--lines", 200, "--repeats", 3, "-o", folder, row=("translating", "beam 5"))
        if text is None:
            return
        with open(ROOT / folder / "translate.csv", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                self.say("translating", f"batch {line['batch']}, beam {line['beam']}",
                         f"{line['sentences_per_second']} sentences/s of a model that is hardly trained", command)


def output_of(command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def gpus_of(listed, visible):
    """How many GPUs a process sees, by `nvidia-smi -L` and CUDA_VISIBLE_DEVICES."""
    if visible is not None:
        return len([one for one in visible.split(",") if one.strip()])
    return len(re.findall(r"^GPU \d+:", listed, flags=re.M))


def head(doctor, args):
    """The lines above the table: what everything was run on."""
    gpus = output_of(["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"])
    commit = output_of(["git", "rev-parse", "--short", "HEAD"]) or "unknown"
    lines = [f"heed {doctor['heed'][1]}, commit {commit}, LibTorch {doctor['LibTorch'][1]}, {time.strftime('%Y-%m-%d')}",
             f"GPUs: {'; '.join(gpus.splitlines()) or doctor['GPU'][1]}",
             f"host: {doctor['CPU'][1]}, {platform.machine()}, Linux {platform.release()}",
             f"corpus: {args.corpus}; {args.updates} updates",
             f"all commands with a corpus have besides: `{shlex.join(settings_of(args.corpus)) or 'nothing'}`",
             f"all trainings have besides: `{shlex.join(settings(SHORT))}`"]
    return "# heed on a GPU\n\n" + "\n".join(f"- {line}" for line in lines) + "\n\n"


def has_corpus(name):
    """A download that failed leaves an empty folder."""
    return (ROOT / CORPORA[name][2]).is_file()


def choose_corpus(args):
    there = [name for name in CORPORA if has_corpus(name)]
    if args.corpus is None and there:
        args.corpus = there[0]
    if args.corpus not in there:
        sys.exit("gpu.py: no corpus; run python3 data_scripts/multi30k.py, or without a network "
                 "python3 data_scripts/demo_corpus.py")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heed", type=pathlib.Path, default=ROOT / "build/release/heed")
    parser.add_argument("--only", default=",".join(PARTS), help="of " + ",".join(PARTS))
    parser.add_argument("--gpus", type=int, default=0, help="so many of them (default: all)")
    parser.add_argument("--updates", type=int, default=30)
    parser.add_argument("--minutes", type=int, default=15, help="after which a command is given up")
    parser.add_argument("--corpus", choices=CORPORA)
    parser.add_argument("--output", default="runs/gpu")
    args = parser.parse_args()
    parts = args.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"--only: there is no {', '.join(sorted(unknown))}")
    try:
        shown = subprocess.run([args.heed, "doctor"], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError as error:
        sys.exit(f"gpu.py: {args.heed}: {error.strerror}; ./run gpu builds it")
    doctor = doctor_lines(shown.stdout)
    if not doctor.get("GPU", (False,))[0]:
        reason = doctor["GPU"][1] if "GPU" in doctor else last_line(shown.stderr)
        warned = [line for line in shown.stderr.splitlines() if "GPU" in line]
        sys.exit("\n".join([f"gpu.py: there is no GPU to measure: heed doctor says: {reason}", *warned]))
    choose_corpus(args)
    args.gpus = args.gpus or gpus_of(output_of(["nvidia-smi", "-L"]), os.environ.get("CUDA_VISIBLE_DEVICES")) or 1
    report = Report(args)
    (ROOT / args.output).mkdir(parents=True, exist_ok=True)
    path = ROOT / args.output / "report.md"
    for part in PARTS:
        if part in parts:
            getattr(report, part)()
            path.write_text(head(doctor, args) + table(report.rows), encoding="utf-8")  # whatever comes after
    print(path.read_text(encoding="utf-8"))
    print(f"written to {path}", file=sys.stderr)
    sys.exit(0 if all(row.good for row in report.rows) else 1)


if __name__ == "__main__":
    main()
