"""The tiny task of the campaign: a corpus of twenty words that turns sentences around, and the configurations."""
import os
import pathlib
import random

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HEED = pathlib.Path(os.environ.get("HEED_BINARY", ROOT / "build/release/heed"))
SCORER = HERE / "scorer.sh"

WORDS = "a b c d e f g h i j , ab ba cd dc ef fe gh hg ij".split()
CORPORA = {"train": (600, 1), "more": (120, 2), "valid": (20, 3), "test": (25, 4)}  # pairs, seed

UPDATES, SAVE_EVERY, VALIDATE_EVERY = 48, 5, 8

BAHDANAU = "{type: rnn, embedding_size: 16, hidden_size: 24, attention: bahdanau, dropout: 0.1}"
LUONG = "{type: rnn, cell: lstm, embedding_size: 16, hidden_size: 24, attention: luong_general, dropout: 0.1}"
SMALLEST = "{type: rnn, embedding_size: 8, hidden_size: 8, attention: none, dropout: 0.1}"
TRANSFORMER = ("{type: transformer, width: 16, feed_forward: 32, heads: 2, encoder_layers: 1, decoder_layers: 1, "
               "dropout: 0.1, tie: all}")
SEPARATE = ("{type: transformer, width: 16, feed_forward: 32, heads: 2, encoder_layers: 1, decoder_layers: 1, "
            "positions: rotary, dropout: 0.1, tie: decoder}")

# Everything that a checkpoint has to carry is in play somewhere. A configuration is what it lays over DEFAULTS.
DEFAULTS = {
    "precision": "fp32", "threads": 1, "weights": None, "vocabulary": "kind: joint, size: 32, algorithm: bpe",
    "data": "", "model": BAHDANAU,
    "training": {"batch_size": 400, "learning_rate": 0.005, "warmup": 10, "label_smoothing": 0.1, "updates": UPDATES,
                 "save_every": SAVE_EVERY, "validate_every": VALIDATE_EVERY, "log_every": 1, "validate_bleu": "true"},
}
CONFIGS = {
    "rnn": {},
    "rnn_plateau_weighted": {"model": LUONG, "weights": (0.5, 2),
                             "training": {"schedule": "plateau", "learning_rate": 0.1, "warmup": 2}},
    "rnn_bf16_ema_sampling": {"precision": "bf16", "data": "subword_sampling: 0.3", "training": {"ema": 0.9}},
    "transformer_best_accumulate": {"model": TRANSFORMER, "threads": 2,
                                    "training": {"keep_best": 2, "keep_last": 2, "accumulate": 2}},
    "transformer_bf16_bleu": {"model": TRANSFORMER, "precision": "bf16", "data": "subword_sampling: 0.3",
                              "vocabulary": "kind: joint, size: 32, algorithm: unigram",
                              "training": {"ema": 0.9, "keep_best": 2,
                                           "early_stopping": "{metric: bleu, patience: 0}"}},
    "transformer_epochs_cosine": {"model": SEPARATE, "weights": (1, 1.5), "vocabulary": "kind: separate, size: 32",
                                  "training": {"optimizer": "adamw", "weight_decay": 0.01, "schedule": "cosine",
                                               "epochs": 5, "updates": 1000, "validate_bleu": "false"}},
    # `heed bottleneck` chooses the types and the attentions.
    "family": {"model": "{width: 16, feed_forward: 32, heads: 2, encoder_layers: 1, decoder_layers: 1, "
                        "embedding_size: 16, hidden_size: 24, dropout: 0.1}",
               "training": {"keep_best": 2, "accumulate": 2}},
    # For the failures of the world: few files, written a few times.
    "smallest": {"model": SMALLEST, "training": {"updates": 4, "save_every": 2, "validate_every": 3, "keep_best": 2}},
}


def write_whole(path, text):
    """So that several processes may write the same at once."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def write_pairs(folder, name, count, seed):
    draw = random.Random(seed)
    sentences = [draw.choices(WORDS, k=draw.randint(2, 6)) for _ in range(count)]
    write_whole(folder / f"{name}.src", "".join(" ".join(words) + "\n" for words in sentences))
    write_whole(folder / f"{name}.tgt", "".join(" ".join(words[::-1]) + "\n" for words in sentences))


def write_corpora(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, (count, seed) in CORPORA.items():
        if not (folder / f"{name}.tgt").exists():
            write_pairs(folder, name, count, seed)
    return folder


def config_text(name, corpora, output, **training):
    """The YAML of a configuration; `training` lays keys of that section over it."""
    chosen = {**DEFAULTS, **CONFIGS[name]}
    keys = {**DEFAULTS["training"], **CONFIGS[name].get("training", {}), **training}

    def pair(which, weight=""):
        return f"{{source: {corpora}/{which}.src, target: {corpora}/{which}.tgt{weight}}}"

    train = pair("train")
    if chosen["weights"]:
        first, second = chosen["weights"]
        train = f"[{pair('train', f', weight: {first}')}, {pair('more', f', weight: {second}')}]"
    return f"""name: {name}
output: {output}
seed: 7
device: cpu
precision: {chosen["precision"]}
threads: {chosen["threads"]}
data:
  train: {train}
  valid: {pair("valid")}
  test: {pair("test")}
  vocabulary: {{{chosen["vocabulary"]}}}
  {chosen["data"]}
model: {chosen["model"]}
training: {{{", ".join(f"{key}: {value}" for key, value in keys.items())}}}
decoding: {{beam_size: 2}}
evaluation: {{length_buckets: [3], bootstrap: 100}}
"""
