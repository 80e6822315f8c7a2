#!/usr/bin/env python3
"""Long runs of heed: resident memory stays flat, files and threads do not become more, and the speed stays the same.

    python3 tests/campaign/long_runs.py            1,000,000 lines, 20,000 updates, 500 validations
    python3 tests/campaign/long_runs.py --quick    20,000 lines, 600 updates, 20 validations; no check of the speed

The process is looked at a few hundred times on its way. What is held against each other are the second and the last
quarter of its work: the first one is for caches and pools to fill. Speed is work per second of the processor, which
other programs on the machine disturb less than the clock on the wall.
"""
import argparse
import os
import pathlib
import statistics
import shutil
import subprocess
import sys

import process
import references
import run_folder
import table
import toy

MORE_MEMORY, LESS_SPEED = 1.02, 0.95
LOOKS = 400


class Sample:
    """One look at a process that has done so much of its work."""

    def __init__(self, pid, done):
        self.done, folder = done, pathlib.Path(f"/proc/{pid}")
        status = dict(line.split(":", 1) for line in
                      (folder / "status").read_text(encoding="utf-8").splitlines() if ":" in line)
        self.resident, self.threads = int(status["VmRSS"].split()[0]), int(status["Threads"])
        self.files = len(os.listdir(folder / "fd"))
        stat = (folder / "stat").read_text(encoding="utf-8")
        user, system = stat[stat.rfind(")") + 2:].split()[11:13]
        self.seconds = (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Watch:
    """Samples of a process. look() is called as often as there is something new."""

    def __init__(self, pid, whole):
        self.pid, self.whole, self.samples = pid, whole, []

    def look(self, done):
        if done >= self.whole or (self.samples and done <= self.samples[-1].done):
            return
        try:
            self.samples.append(Sample(self.pid, done))
        except (OSError, KeyError, IndexError):  # it has ended
            pass

    def quarter(self, number):
        return [sample for sample in self.samples if (number - 1) / 4 <= sample.done / self.whole < number / 4]

    def complaints(self, speed):
        second, last = self.quarter(2), self.quarter(4)
        if min(len(second), len(last)) < 3:
            return [f"too few looks: {len(second)} and {len(last)} in the second and the last quarter"]
        found = []
        memory = [statistics.median(sample.resident for sample in quarter) for quarter in (second, last)]
        if memory[1] > MORE_MEMORY * memory[0]:
            found.append(f"resident memory grows: {memory[0]:,.0f} kB in the second quarter, "
                         f"{memory[1]:,.0f} in the last")
        # The least of a quarter: while a scorer runs there are its pipes, too. Fewer in the last are none lost: `heed
        # translate` closes its source when it has read the last line, and goes on.
        for what in ("files", "threads"):
            counts = [min(getattr(sample, what) for sample in quarter) for quarter in (second, last)]
            if counts[1] > counts[0]:
                found.append(f"{what}: {counts[0]} in the second quarter, {counts[1]} in the last")
        if speed:
            rates = [(quarter[-1].done - quarter[0].done) / (quarter[-1].seconds - quarter[0].seconds)
                     for quarter in (second, last)]
            if rates[1] < LESS_SPEED * rates[0]:
                found.append(f"slower: {rates[0]:,.1f} per second in the second quarter, {rates[1]:,.1f} in the last")
        return found

    def text(self):
        second, last = self.quarter(2), self.quarter(4)
        if not second or not last:
            return "no samples"
        middle = [statistics.median(sample.resident for sample in quarter) / 1024 for quarter in (second, last)]
        return f"{len(self.samples)} looks, {middle[0]:.1f} and {middle[1]:.1f} MiB resident"


def translate(lines, work, folder):
    """Lines through `heed translate`, counted as they come out."""
    model = references.training(work, "transformer_best_accumulate").run
    toy.write_pairs(folder, "long", lines, seed=5)
    command = [str(toy.HEED), "-q", "translate", str(model), str(folder / "long.src"), "--beam", "1", "--batch", "16"]
    with open(folder / "console", "wb") as console:
        child = subprocess.Popen(command, env=process.environment({"OMP_NUM_THREADS": 1}), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=console)
    watch, done, looked = Watch(child.pid, lines), 0, 0
    try:
        while piece := os.read(child.stdout.fileno(), 1 << 16):
            done += piece.count(b"\n")
            if done - looked >= lines // LOOKS:
                watch.look(done)
                looked = done
    finally:
        child.stdout.close()
        status = child.wait()
    complaints = [] if (status, done) == (0, lines) else [f"exit status {status}, {done} lines of {lines}"]
    return watch, complaints


def train(updates, validations, work, folder):
    """A training that is looked at whenever it has written a line of metrics."""
    corpora, run = toy.write_corpora(work / "corpora"), folder / "run"
    every = max(1, updates // validations) if validations else updates
    text = toy.config_text("rnn", corpora, run, updates=updates, validate_every=every,
                           log_every=max(1, updates // LOOKS), save_every=max(5, updates // 20),
                           early_stopping="{patience: 0}", validate_bleu="true" if validations else "false")
    (folder / "run.yaml").write_text(text, encoding="utf-8")
    heed = process.Heed(["-q", "train", folder / "run.yaml"], folder / "console")
    watch, size = Watch(heed.pid, updates), -1
    metrics = run / "metrics.jsonl"
    try:
        while heed.running():
            heed.until(lambda: metrics.exists() and metrics.stat().st_size != size, pause=0.005)
            if metrics.exists():
                size = metrics.stat().st_size
                watch.look(last_update(metrics))
    finally:
        status = heed.wait()
    seen = sum(event["event"] == "validation" for event in run_folder.events(run))
    complaints = process.complaints_about_error(heed.text(), status, expected=(0,))
    if validations and seen != validations:
        complaints.append(f"{seen} validations instead of {validations}")
    return watch, complaints


def last_update(metrics):
    """The update of the last whole line, without reading what is before."""
    with open(metrics, "rb") as file:
        file.seek(max(0, metrics.stat().st_size - 2048))
        tail = file.read().decode(errors="replace")
    found = [line.split('"update":')[1].split(",")[0] for line in tail[:tail.rfind("\n") + 1].splitlines()
             if '"event":"train"' in line and '"update":' in line]
    return int(found[-1]) if found else 0


def campaign(quick, work, only="", say=print):
    results = table.Results("long runs")
    lines, updates, validations = (20_000, 600, 20) if quick else (1_000_000, 20_000, 500)
    kinds = {
        f"{lines:,} lines translated": lambda folder: translate(lines, work, folder),
        f"{updates:,} updates": lambda folder: train(updates, 0, work, folder),
        f"{validations} validations": lambda folder: train(5 * validations, validations, work, folder),
    }
    for what, run in kinds.items():
        if only not in what:
            continue
        folder = work / f"long-{os.getpid()}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        watch, complaints = run(folder)
        complaints += watch.complaints(speed=not quick)
        results.add(what, complaints)
        say(f"{what}: {watch.text()}: " + ("; ".join(complaints) or "as promised"))
        shutil.rmtree(folder)
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="runs whose name has this text in it")
    parser.add_argument("--work", type=pathlib.Path, default=toy.ROOT / "build/campaign")
    args = parser.parse_args()
    results = campaign(args.quick, args.work.resolve(), args.only, say=lambda text: print(text, flush=True))
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
