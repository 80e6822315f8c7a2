"""Training a model of OPUS-MT's shape: heed beside the MarianMTModel of transformers, taking turns.

    python3 tests/benchmarks/opus_shape.py FOLDER
    python3 tests/benchmarks/opus_training.py FOLDER --python PYTHON_WITH_TRANSFORMERS [--rounds 3] [--updates 4]

heed goes on with FOLDER/model (`training.from`). The peer has the same shape, random weights, the same pieces and as many
lines in a batch; all lines are equally long, so that neither pads. It trains as transformers' Trainer does: label smoothing by
its LabelSmoother, clipped gradients, fused AdamW; bf16 is autocast's. Numbers are medians of target tokens a second.
"""
import argparse
import csv
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def heed(args, precision):
    folder = pathlib.Path(args.folder)
    with tempfile.TemporaryDirectory() as out:
        command = [args.bench, "--quiet", "train", folder / "model/config.yaml", "--updates", args.updates,
                   "--threads", args.threads, "-o", out]
        for key, value in {"precision": precision, "training.batch_size": args.batch_tokens,
                           "training.from": folder / "model"}.items():
            command += ["--set", f"{key}={value}"]
        subprocess.run([str(word) for word in command], check=True, capture_output=True)
        with open(pathlib.Path(out) / "training.csv", encoding="utf-8") as table:
            return float(next(csv.DictReader(table))["tokens_per_s"])


def transformers(args, precision):
    command = [args.python, __file__, args.folder, "--only", precision, "--updates", args.updates, "--threads", args.threads,
               "--batch-tokens", args.batch_tokens]
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])["target_tokens_per_second"]


def train(args):
    """One measurement of transformers, printed as JSON."""
    import torch
    from transformers import MarianConfig, MarianMTModel
    from transformers.trainer_pt_utils import LabelSmoother

    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    folder = pathlib.Path(args.folder)
    settings = json.loads((folder / "shape.json").read_text(encoding="utf-8"))
    sides = [json.loads((folder / f"train.{side}.json").read_text(encoding="utf-8")) for side in ("source", "target")]
    config = MarianConfig(
        vocab_size=settings["pieces"], d_model=settings["width"], encoder_ffn_dim=4 * settings["width"],
        decoder_ffn_dim=4 * settings["width"], encoder_layers=settings["layers"], decoder_layers=settings["layers"],
        encoder_attention_heads=8, decoder_attention_heads=8, activation_function="swish", scale_embedding=True, dropout=0.1,
        pad_token_id=0, eos_token_id=3, decoder_start_token_id=0, max_position_embeddings=512)
    model = MarianMTModel(config).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, weight_decay=0.0, fused=True)
    smoother = LabelSmoother(0.1)
    source, target = (torch.tensor(side) for side in sides)
    lines = args.batch_tokens // target.size(1)

    def update(number):
        begin = number * lines % (len(source) - lines + 1)
        labels = target[begin:begin + lines]
        shifted = torch.cat([torch.zeros_like(labels[:, :1]), labels[:, :-1]], 1)
        ids = source[begin:begin + lines]
        with torch.autocast("cpu", torch.bfloat16, enabled=args.only == "bf16"):
            output = model(input_ids=ids, attention_mask=torch.ones_like(ids), decoder_input_ids=shifted, use_cache=False)
            loss = smoother(output, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return labels.numel()

    update(0)
    begin = time.perf_counter()
    tokens = sum(update(number) for number in range(1, args.updates + 1))
    print(json.dumps({"target_tokens_per_second": tokens / (time.perf_counter() - begin)}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("--python", default=sys.executable, help="one with torch and transformers")
    parser.add_argument("--precisions", default="fp32,bf16")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=4)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch-tokens", type=int, default=2048)
    parser.add_argument("--only", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.only:
        return train(args)
    print(f"{'precision':>10} {'heed':>8} {'transformers':>13} {'ratio':>6}")
    for precision in args.precisions.split(","):
        pairs = [(heed(args, precision), transformers(args, precision)) for _ in range(args.rounds)]
        ours, theirs = (statistics.median(side) for side in zip(*pairs))
        print(f"{precision:>10} {ours:8.0f} {theirs:13.0f} {statistics.median(a / b for a, b in pairs):6.2f}", flush=True)
    return None


if __name__ == "__main__":
    main()
