"""Calls of heed's command line."""

import csv
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEED = os.environ.get("HEED_BINARY", str(ROOT / "build/release/heed"))


class Heed(Exception):
    """heed ended with an error; the text is what it said."""


def heed(*arguments, timeout=1800):
    command = [HEED, *map(str, arguments)]
    blind = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, encoding="utf-8", env=blind)
    if done.returncode != 0:
        raise Heed(f"heed {arguments[0]} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout


def lines_of(text):
    """The lines of what heed printed: by line feeds alone, whatever else str.splitlines() takes for the end of one."""
    return text.removesuffix("\n").split("\n") if text else []


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path


class Run:
    """A model that heed imported, in a folder of its own."""

    def __init__(self, model, folder, options=(), settings=()):
        self.folder = folder
        self.sets = [f"--set={setting}" for setting in settings]
        heed("import", model, "-o", folder / "run", *options)

    def translate(self, lines, beam):
        """By the search of the imported run, with another beam."""
        text = write_lines(self.folder / "lines", lines)
        beam_size = f"--set=decoding.beam_size={beam}"
        return lines_of(heed("translate", self.folder / "run", text, beam_size, *self.sets))

    def n_best(self, lines, beam):
        """Pairs of a line's number and a translation, and what the search ordered it by."""
        text = write_lines(self.folder / "lines", lines)
        beam_size = f"--set=decoding.beam_size={beam}"
        out = heed("translate", self.folder / "run", text, "--n-best", beam, beam_size, *self.sets)
        fields = [line.split(" ||| ") for line in lines_of(out)]
        return {(int(one[0]), one[1]): float(one[3]) for one in fields}

    def attention(self, sources, targets, layer, head):
        """For each pair the weights by (target position, source position)."""
        source, target = self.pair(sources, targets)
        which = ["--layer", layer, "--head", head]
        table = heed("attention", self.folder / "run", "--input", source, "--target-file", target, *which)
        out = [{} for _ in sources]
        for row in csv.DictReader(table.splitlines()):
            place = (int(row["target_position"]), int(row["source_position"]))
            out[int(row["sentence"]) - 1][place] = float(row["weight"])
        return out

    def pieces(self, lines, side):
        """The pieces of each line as a source or a target (`side`), with those that heed adds. An unknown one is its text."""
        source, target = self.pair(*((lines, ["a"] * len(lines)) if side == "source" else (["a"] * len(lines), lines)))
        table = heed("attention", self.folder / "run", "--input", source, "--target-file", target, "--layer", 0, "--head", 0)
        out = [{} for _ in lines]
        for row in csv.DictReader(table.splitlines()):
            out[int(row["sentence"]) - 1][int(row[f"{side}_position"])] = row[f"{side}_token"]
        return [[pieces[at] for at in sorted(pieces)] for pieces in out]

    def pair(self, sources, targets):
        return write_lines(self.folder / "sources", sources), write_lines(self.folder / "targets", targets)

    def score(self, sources, targets):
        out = heed("score", self.folder / "run", *self.pair(sources, targets), *self.sets)
        return [float(line.split("\t")[0]) for line in lines_of(out)]

    def align(self, sources, targets):
        source, target = self.pair(sources, targets)
        return lines_of(heed("align", self.folder / "run", "--source", source, "--target", target))
