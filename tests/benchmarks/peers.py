#!/usr/bin/env python3
"""Training speed of another trainer on the corpus, pieces and shapes of reference.py; one JSON line.

  python3 tests/benchmarks/peers.py joeynmt|opennmt|eole|sockeye|marian --source train.de --target train.en \
      --vocabulary joint.spm --model transformer|luong_general|bahdanau|none --precision fp32|bf16

The trainers were written for older or other libraries; in a Python with torch, numpy and sentencepiece:

  pip install --no-deps joeynmt==2.3.0 OpenNMT-py==3.5.1 eole==0.6.4 sockeye==3.1.34
  pip install configargparse importlib_metadata matplotlib packaging portalocker pydantic pyonmttok \
      pyyaml rapidfuzz sacrebleu safetensors subword-nmt tensorboard tokenizers tqdm

pip then complains of versions that do not fit; all four run with torch 2.11 and numpy 2.4. Marian is a program of its
own, found on the PATH (built with cmake -DCOMPILE_CUDA=OFF -DUSE_FBGEMM=OFF, and MKL: pip install mkl-static
mkl-include). A trainer that is not installed, or has no such model, ends the program with a word.

A run counts target pieces and one end of sentence each, without padding, after --warmup updates. Sizes and dropout are
those of reference.py; every trainer makes batches of --batch-tokens by its own rule, with Adam, label smoothing 0.1
and gradients clipped to norm 1. What still differs: recurrent peers read out at the decoder's width, 512.
bahdanau is attention by a small network with the attended state fed to the next step; Eole has no such feeding
and attends after all steps. none starts the decoder from the encoder's last state and shows it no more.
JoeyNMT has no none, Sockeye no recurrent models. Of Marian's only the one with attention by a small network, whose
decoder has a larger cell.

Each peer's fastest way: JoeyNMT cannot sort, so the corpus is written in the order of well-filled batches; Sockeye's
buckets are two pieces wide; OpenNMT-py and Eole sort the whole corpus at once. bf16 is mixed precision: Eole's
own, JoeyNMT's with the type it lacks, and that of OpenNMT-py and Sockeye with the CPU's autocast in CUDA's place.
Marian trains in fp32 on a CPU, one copy of the model for each thread.
"""
import argparse
import contextlib
import functools
import importlib.util
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types

NEVER = 1_000_000_000
OPENNMT_ATTENTION = {"luong_general": "general", "bahdanau": "mlp", "none": None}


class Finished(BaseException):
    """Ends a peer's training from inside of it."""


class Meter:
    """Target tokens and seconds from the beginning of one update to the beginning of a later one."""

    def __init__(self, warmup, updates):
        self.warmup, self.updates = warmup, updates
        self.begun = self.tokens = self.seconds = 0

    def update_begins(self, target_tokens):
        if self.begun == self.warmup:
            self.start = time.perf_counter()
        if self.begun == self.warmup + self.updates:
            self.seconds = time.perf_counter() - self.start
            raise Finished
        if self.begun >= self.warmup:
            self.tokens += int(target_tokens)
        self.begun += 1

    def watch(self, trainer, method, target_tokens):
        """Lets a trainer's method, which begins an update with a batch, tell the meter of it."""
        update = getattr(trainer, method)

        def watched(self, batch, *rest, **named):
            meter.update_begins(target_tokens(self, batch))
            return update(self, batch, *rest, **named)

        meter = self
        setattr(trainer, method, watched)


class Pieces:
    """Files of the corpus in pieces, with its first lines again as validation data; the list of all pieces."""

    def __init__(self, args, folder):
        import sentencepiece

        model = sentencepiece.SentencePieceProcessor(model_file=args.vocabulary)
        self.list = [model.id_to_piece(i) for i in range(model.vocab_size())]
        self.list = [piece for piece in self.list if piece not in ("<unk>", "<s>", "</s>", "<pad>")]
        sides = []
        for path in (args.source, args.target):
            with open(path, encoding="utf-8") as file:
                sides.append(model.encode([line.strip() for line in file], out_type=str))
        self.pairs, self.folder = list(zip(*sides)), folder
        self.write("train", self.pairs)
        self.write("valid", self.pairs[:100])

    def write(self, name, pairs):
        for side, pieces in zip(("source", "target"), zip(*pairs)):
            self.write_lines(f"{name}.{side}", map(" ".join, pieces))

    def write_lines(self, name, lines):
        (self.folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    def path(self, name):
        return str(self.folder / name)


def autocast_on_cpu():
    """Turns the CUDA autocast that a peer's mixed precision asks for into the CPU's."""
    import torch

    torch.cuda.amp.autocast = functools.partial(torch.autocast, "cpu", dtype=torch.bfloat16)


def train_joeynmt(args, pieces, meter):
    import torch
    from joeynmt import training

    def length(pair):
        return max(map(len, pair)) + 1

    def epoch():
        batches, batch = [], []
        for pair in sorted(random.sample(pieces.pairs, len(pieces.pairs)), key=length):
            batch.append(pair)
            if length(pair) * len(batch) >= args.batch_tokens:
                batches.append(batch)
                batch = []
        # JoeyNMT closes a batch where it is full, and would put the next epoch's pairs into the last one.
        while batch and length(batch[-1]) * len(batch) < args.batch_tokens:
            batch.insert(0, random.choice(pieces.pairs))
        batches.append(batch)
        random.shuffle(batches)
        return [pair for full in batches for pair in full]

    pieces.write("train", [pair for _ in range(args.epochs) for pair in epoch()])
    pieces.write_lines("vocabulary", pieces.list)

    if args.model == "transformer":
        dropout = {"dropout": args.dropout}
        half = {"type": "transformer", "num_layers": 3, "num_heads": 4, "hidden_size": 256, "ff_size": 1024,
                "layer_norm": "pre", "embeddings": {"embedding_dim": 256, "scale": True, **dropout}, **dropout}
        model = {"encoder": half, "decoder": half, "tied_embeddings": True, "tied_softmax": True}
    else:
        if args.model == "none":
            sys.exit("JoeyNMT has no model without attention")
        half = {"type": "recurrent", "rnn_type": "gru", "num_layers": 1,
                "embeddings": {"embedding_dim": 256, "dropout": 0.2}}
        model = {"encoder": {**half, "hidden_size": 256, "bidirectional": True},
                 "decoder": {**half, "hidden_size": 512, "hidden_dropout": 0.2, "init_hidden": "bridge",
                             "attention": "bahdanau" if args.model == "bahdanau" else "luong",
                             "input_feeding": args.model == "bahdanau"}}
    sides = {side: {"lang": name, "level": "word", "max_length": NEVER, "voc_file": pieces.path("vocabulary")}
             for side, name in (("src", "source"), ("trg", "target"))}
    special = {"unk_token": "<unk>", "unk_id": 0, "pad_token": "<pad>", "pad_id": 1,
               "bos_token": "<s>", "bos_id": 2, "eos_token": "</s>", "eos_id": 3}
    config = {
        "name": "peer", "model_dir": pieces.path("model"), "use_cuda": False, "random_seed": args.seed,
        "data": {"train": pieces.path("train"), "dev": pieces.path("valid"), "dataset_type": "plain",
                 "special_symbols": special, **sides},
        "testing": {}, "model": model,
        "training": {"optimizer": "adamw", "learning_rate": 0.0001, "scheduling": "exponential",
                     "normalization": "tokens", "label_smoothing": 0.1, "clip_grad_norm": 1.0,
                     "batch_type": "token", "batch_size": args.batch_tokens, "shuffle": False,
                     "updates": NEVER, "validation_freq": NEVER, "logging_freq": NEVER, **args.recipe}}

    def target_tokens(trainer, batch):
        if args.precision == "bf16":
            trainer.autocast = {"device_type": "cpu", "dtype": torch.bfloat16}
        return batch.ntokens

    meter.watch(training.TrainManager, "_train_step", target_tokens)
    os.mkdir(config["model_dir"])
    training.train(0, 0, config, skip_test=True)


def opennmt_corpus(pieces):
    return {"data": {corpus: {"path_src": pieces.path(f"{name}.source"), "path_tgt": pieces.path(f"{name}.target")}
                     for corpus, name in (("corpus", "train"), ("valid", "valid"))},
            "src_vocab": pieces.path("vocabulary"), "share_vocab": True}


def opennmt_training(args, pieces):
    return {"world_size": 1, "gpu_ranks": [], "num_workers": 0, "train_steps": NEVER, "valid_steps": NEVER,
            "save_checkpoint_steps": NEVER, "bucket_size": len(pieces.pairs), "batch_type": "tokens",
            "batch_size": args.batch_tokens, "batch_size_multiple": 1, "normalization": "tokens", "optim": "adam",
            "learning_rate": 0.0001, "max_grad_norm": 1.0, "label_smoothing": 0.1, "attention_dropout": [0.0],
            "dropout": [args.dropout if args.model == "transformer" else 0.2], **args.recipe}


def train_opennmt(args, pieces, meter):
    for name in ("ahocorasick", "fasttext", "spacy"):  # imported, not needed here
        sys.modules.setdefault(name, types.ModuleType(name))
    autocast_on_cpu()
    from onmt import trainer
    from onmt.bin import train

    if args.model == "transformer":
        model = {"encoder_type": "transformer", "decoder_type": "transformer", "enc_layers": 3, "dec_layers": 3,
                 "heads": 4, "hidden_size": 256, "transformer_ff": 1024, "position_encoding": True,
                 "share_embeddings": True, "share_decoder_embeddings": True}
    else:
        model = {"encoder_type": "brnn", "decoder_type": "rnn", "rnn_type": "GRU", "enc_layers": 1, "dec_layers": 1,
                 "hidden_size": 512, "bridge": True, "input_feed": int(args.model == "bahdanau"),
                 "global_attention": OPENNMT_ATTENTION[args.model] or "none"}
    config = {**opennmt_corpus(pieces), **opennmt_training(args, pieces), **model, "word_vec_size": 256,
              "seed": args.seed, "save_model": pieces.path("model"),
              "model_dtype": "fp16" if args.precision == "bf16" else "fp32"}
    pieces.write_lines("vocabulary", pieces.list)
    pieces.write_lines("config.yaml", [json.dumps(config)])
    meter.watch(trainer.Trainer, "_gradient_accumulation",
                lambda self, batches: batches[0]["tgt"][:, 1:, 0].ne(self.train_loss.padding_idx).sum())
    train.train(train._get_parser().parse_known_args(["-config", pieces.path("config.yaml")])[0])


def train_eole(args, pieces, meter):
    from eole import train_single, trainer
    from eole.config.run import TrainConfig

    embeddings = {"word_vec_size": 256}
    if args.model == "transformer":
        embeddings["position_encoding_type"] = "SinusoidalInterleaved"
        model = {"architecture": "transformer", "layers": 3, "heads": 4, "hidden_size": 256, "transformer_ff": 1024,
                 "share_embeddings": True, "share_decoder_embeddings": True}
    else:
        half = {"rnn_type": "GRU", "layers": 1, "hidden_size": 512}
        model = {"architecture": "rnn", "hidden_size": 512, "encoder": {**half, "encoder_type": "brnn"},
                 "decoder": {**half, "decoder_type": "rnn", "global_attention": OPENNMT_ATTENTION[args.model]}}
    config = {**opennmt_corpus(pieces), "seed": args.seed, "tgt_vocab": pieces.path("vocabulary"),
              "save_data": pieces.path("saved"),
              "src_vocab_size": NEVER, "tgt_vocab_size": NEVER, "vocab_size_multiple": 1,
              "training": {**opennmt_training(args, pieces), "compute_dtype": args.precision,
                           "model_path": pieces.path("model")},
              "model": {**model, "embeddings": embeddings}}
    pieces.write_lines("vocabulary", [f"{piece}\t1" for piece in pieces.list])
    meter.watch(trainer.Trainer, "_train_step",
                lambda self, batches: batches[0]["tgt"][:, 1:].ne(self.train_loss.padding_idx).sum())
    train_single.main(TrainConfig(**config), device_id=-1)


def train_sockeye(args, pieces, meter):
    if args.model != "transformer":
        sys.exit("Sockeye has no recurrent models")
    autocast_on_cpu()
    from sockeye import train, training

    options = f"""
        --source={pieces.path("train.source")} --validation-source={pieces.path("valid.source")}
        --target={pieces.path("train.target")} --validation-target={pieces.path("valid.target")}
        --output={pieces.path("model")} --use-cpu --quiet --shared-vocab --weight-tying-type=src_trg_softmax
        --num-layers=3:3 --transformer-model-size=256 --transformer-feed-forward-num-hidden=1024
        --transformer-attention-heads=4 --transformer-dropout-attention=0 --transformer-dropout-act=0.1
        --transformer-dropout-prepost=0.1 --label-smoothing=0.1 --optimizer=adam --initial-learning-rate=0.0001
        --gradient-clipping-type=norm --gradient-clipping-threshold=1 --batch-type=max-word
        --batch-size={args.batch_tokens} --batch-sentences-multiple-of=1 --bucket-width=2 --max-seq-len=200:200
        --max-updates={NEVER} --checkpoint-interval={NEVER} --decode-and-evaluate=0 --seed={args.seed}
        --env=OMP_NUM_THREADS={args.threads} {"--amp" if args.precision == "bf16" else ""}"""
    meter.watch(training.EarlyStoppingTrainer, "_step", lambda self, batch: batch.target_length.sum())
    sys.argv = ["sockeye", *options.split()]
    train.main()


def train_marian(args, pieces, meter):
    if args.precision != "fp32":
        sys.exit("Marian trains in fp32 on a CPU")
    if args.model == "transformer":
        model = """--type=transformer --enc-depth=3 --dec-depth=3 --dim-emb=256 --transformer-dim-ffn=1024
            --transformer-heads=4 --transformer-dropout=0.1 --tied-embeddings-all"""
    elif args.model == "bahdanau":
        model = """--type=s2s --enc-cell=gru --dec-cell=gru --dim-emb=256 --dim-rnn=512 --dropout-rnn=0.2"""
    else:
        sys.exit(f"Marian has no {args.model}")
    pieces.write_lines("vocabulary.yml", [f"{json.dumps(piece, ensure_ascii=False)}: {number}" for number, piece
                                          in enumerate(["</s>", "<unk>", *pieces.list])])
    options = f"""{model} --train-sets {pieces.path("train.source")} {pieces.path("train.target")}
        --vocabs {pieces.path("vocabulary.yml")} {pieces.path("vocabulary.yml")} --model={pieces.path("model.npz")}
        --optimizer=adam --learn-rate=0.0001 --label-smoothing=0.1 --clip-norm=1 --max-length=200
        --mini-batch={NEVER // 1000} --mini-batch-words={args.batch_tokens} --maxi-batch=1000 --maxi-batch-sort=trg
        --cpu-threads={args.threads} --sync-sgd --seed={args.seed} --workspace=1024 --disp-freq=1
        --after-batches={args.warmup + args.updates}"""
    log = subprocess.run(["marian", *options.split()], capture_output=True, text=True, check=False).stderr
    updates = re.findall(r"Time ([0-9.]+)s : ([0-9.]+) words/s", log)[args.warmup:]
    if len(updates) != args.updates:
        sys.exit("marian: " + (log.strip().splitlines() or ["printed nothing"])[-1])
    meter.seconds = sum(float(seconds) for seconds, _ in updates)
    meter.tokens = sum(float(seconds) * float(rate) for seconds, rate in updates)


def has_module(name):
    return importlib.util.find_spec(name) is not None


def has_program(name):
    return shutil.which(name) is not None


PEERS = {"joeynmt": (has_module, "joeynmt", train_joeynmt), "opennmt": (has_module, "onmt", train_opennmt),
         "eole": (has_module, "eole", train_eole), "sockeye": (has_module, "sockeye", train_sockeye),
         "marian": (has_program, "marian", train_marian)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    for name, text in (("source", "sentences"), ("target", "sentences"), ("vocabulary", "joint SentencePiece model")):
        parser.add_argument(f"--{name}", required=True, help=text)
    parser.add_argument("--model", default="transformer", choices=["transformer", "luong_general", "bahdanau", "none"])
    parser.add_argument("--precision", default="fp32", choices=["fp32", "bf16"])
    for name, value in (("batch-tokens", 4096), ("warmup", 3), ("updates", 10), ("threads", 2), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.set_defaults(dropout=0.1, recipe={}, epochs=1)
    args = parser.parse_args()

    is_installed, name, train = PEERS[args.peer]
    if not is_installed(name):
        sys.exit(f"{args.peer} is not installed")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and the temporary folder is removed
    os.environ |= {"OMP_NUM_THREADS": str(args.threads), "CUDA_VISIBLE_DEVICES": ""}
    random.seed(args.seed)
    meter = Meter(args.warmup, args.updates)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        try:
            train(args, Pieces(args, pathlib.Path(folder)), meter)
        except Finished:
            pass
        except ImportError as error:
            sys.exit(f"{args.peer} lacks a module: {error}")
    if not meter.seconds:
        sys.exit(f"{args.peer} ended before {args.warmup + args.updates} updates")
    print(json.dumps({
        "target_tokens_per_second": round(meter.tokens / meter.seconds),
        "peak_memory_mib": max(resource.getrusage(who).ru_maxrss
                               for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024}))


if __name__ == "__main__":
    main()
