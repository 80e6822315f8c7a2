#!/usr/bin/env python3
"""Trains one model with every number of threads and ranks: all must end with the same bits.

    python3 tests/campaign/bits.py            every kind of model, fp32 and bf16, 200 updates; half an hour
    python3 tests/campaign/bits.py --quick    the quick one of ctest
    python3 tests/campaign/bits.py --only concat

Each model is trained by 1, 2 and 4 threads, by 1 to 4 ranks, by 2 ranks of 2 threads, and by 3 ranks whose run 2
threads take over half-way.
"""
import argparse
import hashlib
import pathlib
import shutil
import sys

import process
import table
import toy

PARTS = 4  # of each batch
TOGETHER = ((1, 1), (2, 1), (4, 1), (2, 2), (3, 3), (4, 4), (4, 2))  # threads of all ranks, ranks
RESUMED = ((3, 3), (2, 1))

RNN = "{{type: rnn, embedding_size: 16, hidden_size: 24, attention: {}, dropout: 0.1{}}}"
MODELS = {attention: RNN.format(attention, "") for attention in
          ("none", "bahdanau", "luong_dot", "luong_general", "luong_concat", "luong_location")}
MODELS["luong_feeding"] = RNN.format("luong_general", ", cell: lstm, input_feeding: true")
MODELS["luong_local"] = RNN.format("luong_general", ", window: local_p")
MODELS["transformer"] = toy.TRANSFORMER
MODELS["transformer_separate"] = toy.SEPARATE


class Case:
    """A model in a precision."""

    def __init__(self, work, model, precision, updates):
        self.model, self.precision, self.updates = model, precision, updates
        self.corpora = toy.write_corpora(work / "corpora")
        self.folder = work / f"bits-{model}-{precision}"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def train(self, name, threads, ranks, updates, *more):
        """The model's sha256."""
        config, run = self.folder / f"{name}.yaml", self.folder / name
        text = toy.config_text("rnn", self.corpora, run, micro_batches=PARTS, updates=self.updates, ema=0.9,
                               validate_every=self.updates // 2, save_every=self.updates // 2)
        text = text.replace(f"model: {toy.BAHDANAU}", f"model: {MODELS[self.model]}")
        config.write_text(text, encoding="utf-8")
        arguments = ["train", config, "--set", f"threads={threads}", "--set", f"precision={self.precision}",
                     "--set", f"training.updates={updates}", *more]
        if ranks > 1:
            arguments += ["--ranks", ranks]
        heed = process.Heed(arguments, self.folder / f"{name}.console")
        status = heed.wait()
        if status != 0:
            raise RuntimeError(f"exit status {status}: {heed.text().splitlines()[-2:]}")
        return hashlib.sha256((run / "model.safetensors").read_bytes()).hexdigest()

    def sums(self):
        """The checksums of all trainings, by how they were made."""
        made = {}
        for threads, ranks in TOGETHER:
            made[f"{threads} threads, {ranks} ranks"] = self.train(f"{threads}-{ranks}", threads, ranks, self.updates)
        (threads, ranks), (then, later) = RESUMED
        self.train("resumed", threads, ranks, self.updates // 2)
        made[f"{ranks} ranks, then {then} threads"] = self.train("resumed", then, later, self.updates, "--resume")
        return made


def campaign(quick, work, only="", say=print):
    """Returns Results whose rows are precisions; a case is a model."""
    results = table.Results("bits")
    models = [model for model in MODELS if only in model and (not quick or model == "luong_local")]
    for model in models:
        for precision in ("bf16",) if quick else ("fp32", "bf16"):
            try:
                made = Case(work, model, precision, 20 if quick else 200).sums()
                odd = [name for name, value in made.items() if value != made["1 threads, 1 ranks"]]
                complaints = [f"{model}: other bits by {', '.join(odd)}"] if odd else []
            except Exception as error:  # a case that breaks is a finding, too
                complaints = [f"{model}: {error}"]
            results.add(f"a model by all threads and ranks, {precision}", complaints)
            say(f"{model}, {precision}: " + ("; ".join(complaints) or "the same bits"))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="", help="models whose name has this text in it")
    parser.add_argument("--work", type=pathlib.Path, default=toy.ROOT / "build/campaign")
    args = parser.parse_args()
    results = campaign(args.quick, args.work.resolve(), args.only, say=lambda text: print(text, flush=True))
    return table.end(results.rows(), results.complaints)


if __name__ == "__main__":
    sys.exit(main())
