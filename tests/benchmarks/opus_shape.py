"""A model of the shape of OPUS-MT's, and lines for it: random weights, made-up words, a piece for each word.

    .venv/bin/python3 tests/benchmarks/opus_shape.py FOLDER [--pieces 60000] [--width 512] [--layers 6]

Writes FOLDER/model, a folder as `heed train` writes it, FOLDER/lines.source for translating.py --length 30, and what
opus_training.py reads. Speed does not depend on what the weights are, as long as translations have a fixed length.
"""
import argparse
import json
import pathlib
import random
import struct
import subprocess

LETTERS = "abcdefghijklmnopqrst"
SPECIAL = [("<pad>", 3), ("<unk>", 2), ("<s>", 3), ("</s>", 3)]  # names and types
FIRST_WORD = len(SPECIAL) + 1 + len(LETTERS)


def number(value):
    """A varint of Protocol Buffers."""
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(key, value):
    if isinstance(value, int):
        return number(key << 3) + number(value)
    if isinstance(value, float):
        return number(key << 3 | 5) + struct.pack("<f", value)
    return number(key << 3 | 2) + number(len(value)) + value


def word(index):
    """Words of four letters and more: every combination is one."""
    letters = ""
    while index or len(letters) < 4:
        index, letter = divmod(index, len(LETTERS))
        letters += LETTERS[letter]
    return letters


def vocabulary(pieces):
    """A SentencePiece model: special pieces, letters, then whole words, the likeliest first."""
    letters = ["\u2581", *LETTERS]
    words = ["\u2581" + word(i) for i in range(pieces - FIRST_WORD)]
    listed = [(name, 0.0, kind) for name, kind in SPECIAL]
    listed += [(letter, -20.0, 1) for letter in letters]
    listed += [(name, -10 - i / pieces, 1) for i, name in enumerate(words)]
    model = b"".join(field(1, field(1, name.encode()) + field(2, score) + field(3, kind)) for name, score, kind in listed)
    trainer = field(3, 1) + field(4, pieces)  # unigram
    for key, value in zip((40, 41, 42, 43), (1, 2, 3, 0)):  # unk, bos, eos, pad
        trainer += field(key, value)
    return model + field(2, trainer) + field(3, field(1, b"identity"))


def lines(count, pieces, seed, shortest=10, longest=30):
    """Each line as its words' numbers."""
    draw = random.Random(seed)
    return [[draw.randrange(pieces - FIRST_WORD) for _ in range(draw.randint(shortest, longest))] for _ in range(count)]


def text(numbered):
    return "".join(" ".join(map(word, line)) + "\n" for line in numbered)


def settings(args, folder):
    """The settings of OPUS-MT's Transformers, for one update."""
    kept = {
        "output": folder / "model", "precision": "fp32", "device": "cpu", "data.max_length": 200,
        "data.vocabulary.kind": "joint", "data.vocabulary.source": folder / "joint.spm", "data.vocabulary.size": args.pieces,
        "model.type": "transformer", "model.width": args.width, "model.feed_forward": 4 * args.width, "model.heads": 8,
        "model.encoder_layers": args.layers, "model.decoder_layers": args.layers, "model.norm": "post",
        "model.activation": "silu", "model.tie": "all",
        "training.updates": 1, "training.batch_size": 512,
    }
    for kind in ("train", "valid"):
        kept |= {f"data.{kind}.{side}": folder / f"{kind}.{side}" for side in ("source", "target")}
    return [word for key, value in kept.items() for word in ("--set", f"{key}={value}")]


def make(args):
    folder = pathlib.Path(args.folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "joint.spm").write_bytes(vocabulary(args.pieces))
    (folder / "lines.source").write_text(text(lines(1000, args.pieces, seed=1)), encoding="utf-8")
    for seed, name in enumerate(("train.source", "train.target", "valid.source", "valid.target"), 2):
        made = lines(1000 if name.startswith("train") else 2, args.pieces, seed, shortest=24, longest=24)
        (folder / name).write_text(text(made), encoding="utf-8")
        ids = [[FIRST_WORD + number for number in line] + [3] for line in made]  # eos
        (folder / f"{name}.json").write_text(json.dumps(ids), encoding="utf-8")
    (folder / "shape.json").write_text(json.dumps(vars(args)), encoding="utf-8")
    (folder / "empty.yaml").write_text("name: opus_shape\n", encoding="utf-8")
    command = [args.heed, "--quiet", "train", folder / "empty.yaml", "--overwrite", *settings(args, folder)]
    subprocess.run(command, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--pieces", type=int, default=60_000)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    make(parser.parse_args())


if __name__ == "__main__":
    main()
