#!/usr/bin/env python3
"""Trains another trainer for some minutes and translates with its weights of several moments. quality.py runs it.

  python3 tests/benchmarks/peer_quality.py joeynmt|opennmt --data data/multi30k --test test2016 --languages de,en \
      --vocabulary joint.spm --minutes 5,10,15,30,60 --output FOLDER

FOLDER gets MINUTES.hypothesis, and standard output a JSON line of the updates made at these minutes. The clock starts
with the first update; neither validation nor translation counts. peers.py tells how the trainers are installed and
which batches each gets. What quality needs beside that, from each trainer's own examples:

  joeynmt   a fresh order of its corpus in each epoch, warm-up and then the inverse square root of the update
  opennmt   warm-up and then the inverse square root, Glorot's initial weights, a running average of the weights

Both search with a beam of 5. joeynmt has the length penalty of its examples; opennmt has that of --length-penalty.
"""
import argparse
import contextlib
import json
import os
import pathlib
import random
import signal
import sys
import tempfile
import time

import peers


class Moments:
    """Weights at some minutes of a training; the trainer's object when it has ended."""

    def __init__(self, minutes, save):
        self.left, self.save, self.start, self.updates, self.saved = list(minutes), save, None, 0, {}

    def watch(self, trainer, method, target_tokens):
        """Watches as peers.Meter.watch() does: `target_tokens` is called before each update, for it may set the precision."""
        update = getattr(trainer, method)

        def watched(trainer, batch, *rest, **named):
            self.trainer = trainer
            self.start = self.start or time.perf_counter()
            if time.perf_counter() - self.start >= 60 * self.left[0]:
                paused = time.perf_counter()
                self.saved[self.left[0]] = (self.save(trainer, self.updates), self.updates)
                self.start += time.perf_counter() - paused
                self.left.pop(0)
                if not self.left:
                    raise peers.Finished
            self.updates += 1
            target_tokens(trainer, batch)
            return update(trainer, batch, *rest, **named)

        setattr(trainer, method, watched)


class Kept:
    """The outputs of a projection at earlier steps of a search, in one row for each hypothesis.

    `grows`: each step adds a position (self-attention); otherwise the source's positions are projected once.
    """

    def __init__(self, projection, grows):
        self.projection, self.grows, self.project, self.rows = projection, grows, projection.forward, None
        projection.forward = self

    def __call__(self, states):
        import torch

        if self.rows is None:
            self.rows = self.project(states)
        elif self.grows:
            self.rows = torch.cat([self.rows, self.project(states)], 1)
        return self.rows

    def remove(self):
        del self.projection.forward


@contextlib.contextmanager
def step_by_step(model):
    """Within it, one search of JoeyNMT's Transformer computes the last position of each hypothesis alone.

    JoeyNMT computes all positions of all hypotheses again at each step. The keys and values of the earlier ones are
    kept here, and found again by the sentence and the beginning of a hypothesis: its search is the same, and ends
    many times as soon.
    """
    decoder = model.decoder
    kept = [Kept(projection, grows) for layer in decoder.layers
            for attention, grows in ((layer.trg_trg_att, True), (layer.src_trg_att, False))
            for projection in (attention.k_layer, attention.v_layer)]
    seen = {"rows": {}}

    def read(_, inputs):
        seen["prefixes"] = inputs[0]

    def begin_step(_, inputs, named):
        prefixes, rows = seen["prefixes"], seen["rows"]
        sentences = [state.numpy().tobytes() for state in named["encoder_output"][:, 0]]
        if rows:
            before = zip(sentences, prefixes[:, :-1].tolist())
            order = prefixes.new_tensor([rows[sentence, tuple(prefix)] for sentence, prefix in before])
            for projection in kept:
                # Hypotheses of a sentence share its source, so these rows change where a sentence is finished.
                if projection.grows or len(order) != len(projection.rows):
                    projection.rows = projection.rows.index_select(0, order)
        seen["rows"] = {(sentence, tuple(prefix)): row
                        for row, (sentence, prefix) in enumerate(zip(sentences, prefixes.tolist()))}
        return inputs, {**named, "trg_embed": named["trg_embed"][:, -1:]}

    def position(encoding, inputs, _):
        step = seen["prefixes"].size(1)
        return inputs[0] + encoding.pe[:, step - 1:step]

    hooks = [model.trg_embed.register_forward_pre_hook(read), decoder.pe.register_forward_hook(position),
             decoder.register_forward_pre_hook(begin_step, with_kwargs=True), *kept]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


class JoeyNMT:
    batch_tokens, epochs = 2048, 60
    recipe = {"scheduling": "warmupinversesquareroot", "learning_rate": 0.001, "learning_rate_warmup": 400,
              "learning_rate_min": 1e-8, "adam_betas": [0.9, 0.98]}

    def save(self, trainer, updates):
        import torch

        path = f"{self.folder}/{updates}.weights"
        torch.save(trainer.model.state_dict(), path)
        return path

    def translate(self, trainer, path, lines):
        import torch
        from joeynmt.batch import Batch
        from joeynmt.search import search

        model = trainer.model
        model.load_state_dict(torch.load(path))
        model.eval()
        order = sorted(range(len(lines)), key=lambda i: -len(lines[i]))  # as recurrent encoders need them
        found = {}
        for begin in range(0, len(order), 50):
            part = order[begin:begin + 50]
            ids, lengths, _ = model.src_vocab.sentences_to_ids([lines[i] for i in part], bos=False, eos=True)
            batch = Batch(torch.tensor(ids), torch.tensor(lengths), None, None, None, torch.arange(len(part)),
                          torch.device("cpu"), model.pad_index, model.eos_index, is_train=False)
            with step_by_step(model):
                output = search(model, batch, max_output_length=-1, beam_size=5, beam_alpha=1.0)[0]
            found.update(zip(part, model.trg_vocab.arrays_to_sentences(output)))
        return [found[i] for i in range(len(lines))]


class OpenNMT:
    batch_tokens, epochs = 2048, 1
    recipe = {"decay_method": "noam", "learning_rate": 0.6, "warmup_steps": 400, "adam_beta2": 0.998,
              "param_init": 0.0, "param_init_glorot": True, "average_decay": 0.002, "keep_checkpoint": 100}

    def save(self, trainer, updates):
        trainer.model_saver.save(updates, moving_average=trainer.moving_average)
        return f"{trainer.model_saver.base_path}_step_{updates}.pt"

    def translate(self, trainer, path, lines):
        from onmt.bin import translate

        source, output = f"{self.folder}/test.source", f"{self.folder}/test.output"
        pathlib.Path(source).write_text("".join(" ".join(line) + "\n" for line in lines), encoding="utf-8")
        translate.translate(translate._get_parser().parse_args(
            ["-model", path, "-src", source, "-output", output, "-beam_size", "5", "-batch_size", "50",
             "-precision", "fp32", "-length_penalty", self.length_penalty]))
        return [line.split() for line in pathlib.Path(output).read_text(encoding="utf-8").splitlines()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=["joeynmt", "opennmt"])
    parser.add_argument("--data", type=pathlib.Path, required=True, help="a folder with train and the test set")
    parser.add_argument("--test", required=True, help="name of the test set")
    parser.add_argument("--languages", default="de,en", help="endings of the files; default: de,en")
    parser.add_argument("--vocabulary", required=True, help="joint SentencePiece model")
    parser.add_argument("--minutes", default="5,10,15,30,60")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--model", default="transformer", choices=["transformer", "luong_general", "bahdanau"])
    parser.add_argument("--precision", default="bf16", choices=["fp32", "bf16"])
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--length-penalty", default="avg", choices=["none", "avg", "wu"],
                        help="of opennmt; default: its own, avg")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    is_installed, name, train = peers.PEERS[args.peer]
    if not is_installed(name):
        sys.exit(f"{args.peer} is not installed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and the temporary folder is removed
    # OpenNMT-py reads its own weights with objects in them, which newer versions of torch refuse.
    os.environ |= {"OMP_NUM_THREADS": str(args.threads), "CUDA_VISIBLE_DEVICES": "",
                   "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD": "1"}
    random.seed(args.seed)
    source, target = args.languages.split(",")
    args.source, args.target = (str(args.data / f"train.{side}") for side in (source, target))
    peer = {"joeynmt": JoeyNMT, "opennmt": OpenNMT}[args.peer]()
    args.batch_tokens, args.epochs, args.recipe = peer.batch_tokens, peer.epochs, peer.recipe
    peer.length_penalty = args.length_penalty
    moments = Moments([float(minute) for minute in args.minutes.split(",")], peer.save)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        peer.folder = folder
        try:
            train(args, peers.Pieces(args, pathlib.Path(folder)), moments)
        except peers.Finished:
            pass
        import sentencepiece

        model = sentencepiece.SentencePieceProcessor(model_file=args.vocabulary)
        with open(args.data / f"{args.test}.{source}", encoding="utf-8") as file:
            lines = model.encode([line.strip() for line in file], out_type=str)
        args.output.mkdir(parents=True, exist_ok=True)
        for minutes, (path, _) in moments.saved.items():
            pieces = peer.translate(moments.trainer, path, lines)
            text = "".join(model.decode(list(line)) + "\n" for line in pieces)
            (args.output / f"{minutes:g}.hypothesis").write_text(text, encoding="utf-8")
    print(json.dumps({f"{minutes:g}": updates for minutes, (_, updates) in moments.saved.items()}))


if __name__ == "__main__":
    main()
