"""heed beside CTranslate2: the same weights, the same sentences, the same search, taking turns.

    .venv/bin/python3 tests/benchmarks/translating.py MODEL SOURCE [--repeats 5] [--weights fp32,int8]

MODEL is a Transformer that `heed train` wrote; it is exported into a temporary folder. One run of
each engine follows the other, so that a busy machine slows both; numbers are medians of the runs,
and the last column that of the ratios of neighbours. Both time the search alone, after a warm-up.
For CTranslate2 workers of one thread each are tried, and one worker of all threads; for "best" both
engines try batches of several sizes first. What was fastest then takes part in the turns.

With --length all translations have that many pieces, for models whose weights are random (opus_shape.py).
"""

import argparse
import csv
import io
import os
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import ctranslate2
    import sentencepiece
except ImportError as missing:
    print(f"skipped: {missing}; pip install ctranslate2 sentencepiece")
    sys.exit(0)

SETTINGS = [  # weights of heed, of CTranslate2, sentences at once (0: each engine's best)
    ("fp32", "float32", 1),
    ("fp32", "float32", 32),
    ("fp32", "float32", 0),
    ("bf16", "int8", 1),
    ("bf16", "int8", 32),
    ("int8", "int8", 1),
    ("int8", "int8", 32),
    ("int8", "int8", 0),
]
LARGE = {"examples": (32, 64, 128), "tokens": (1024, 4096)}  # what is tried for "best"


def heed_speed(args, weights, batch):
    command = [args.bench, "--quiet", "translate", args.model, "--source", args.source]
    command += ["--batch", str(batch), "--weights", weights, "--beam", str(args.beam)]
    command += ["--threads", str(args.threads), "--repeats", "1", "--lines", str(args.lines)]
    command += ["--device", "cpu", "--set", "decoding.length_penalty=average"]
    if args.length:  # the least length is in pieces, the longest counts eos, too
        command += ["--set", f"decoding.min_length={args.length - 1}", "--set", "decoding.max_length_ratio=0.1"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, "-o", folder], check=True, capture_output=True)
        with open(os.path.join(folder, "translate.csv"), encoding="utf-8") as table:
            return float(next(csv.DictReader(io.StringIO(table.read())))["sentences_per_second"])


class Peer:
    def __init__(self, args, folder, sources):
        self.args, self.folder, self.sources, self.engines = args, folder, sources, {}

    def engine(self, kind, workers):
        if (kind, workers) not in self.engines:
            self.engines[kind, workers] = ctranslate2.Translator(
                self.folder,
                device="cpu",
                compute_type=kind,
                inter_threads=workers,
                intra_threads=max(1, self.args.threads // workers),
            )
        return self.engines[kind, workers]

    def run(self, kind, workers, unit, batch):
        engine = self.engine(kind, workers)
        options = {"beam_size": self.args.beam, "length_penalty": 1, "max_decoding_length": 100}
        options |= {"max_batch_size": batch, "batch_type": unit}
        if self.args.length:
            options |= {"min_decoding_length": self.args.length, "max_decoding_length": self.args.length}
        engine.translate_batch(self.sources[:2], **options)
        start = time.perf_counter()
        engine.translate_batch(self.sources, **options)
        return len(self.sources) / (time.perf_counter() - start)

    def fastest(self, kind, batch):
        """Workers, unit and size of a batch, of those that `batch` (0: any) allows."""
        sizes = [("examples", batch)] if batch else [(unit, n) for unit in LARGE for n in LARGE[unit]]
        settings = [(n, *size) for n in sorted({1, self.args.threads}) for size in sizes]
        return max(settings, key=lambda setting: self.run(kind, *setting))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model")
    parser.add_argument("source")
    parser.add_argument("--heed", default="build/release/heed")
    parser.add_argument("--bench", default="build/release/heed-bench")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--beam", type=int, default=5)
    parser.add_argument("--weights", default="fp32,bf16,int8", help="of heed")
    parser.add_argument("--lines", type=int, default=1000)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--batches", default="1,32,0", help="sentences at once; 0: each engine's best")
    parser.add_argument("--length", type=int, default=0, help="of each translation, in pieces; 0: as the models end them")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        exported = os.path.join(folder, "model")
        command = [args.heed, "--quiet", "export", args.model, "-o", exported]
        subprocess.run(command, check=True)
        joint = os.path.join(exported, "joint.spm")
        vocabulary = joint if os.path.exists(joint) else os.path.join(exported, "source.spm")
        cut = sentencepiece.SentencePieceProcessor(model_file=vocabulary)
        with open(args.source, encoding="utf-8") as lines:
            texts = [line.strip() for line in lines][: args.lines]
        peer = Peer(args, exported, [cut.encode(text, out_type=str) for text in texts])
        print(f"{len(texts)} sentences, beam {args.beam}, {args.threads} threads, sentences/s")
        print(f"{'heed':>6} {'CTranslate2':>12} {'batch':>6} {'heed':>8} {'peer':>8} {'ratio':>6}")
        batches = [int(batch) for batch in args.batches.split(",")]
        for ours, theirs, batch in SETTINGS:
            if ours not in args.weights.split(",") or batch not in batches:
                continue
            size = batch or max(LARGE["examples"], key=lambda n: heed_speed(args, ours, n))
            setting = peer.fastest(theirs, batch)
            pairs = [
                (heed_speed(args, ours, size), peer.run(theirs, *setting))
                for _ in range(args.repeats)
            ]
            mine, other = (statistics.median(side) for side in zip(*pairs))
            ratio = statistics.median(a / b for a, b in pairs)
            print(
                f"{ours:>6} {theirs:>12} {batch or 'best':>6} {mine:8.1f} {other:8.1f} {ratio:6.2f}"
                f"   heed: {size} a batch; CTranslate2: {setting[2]} {setting[1]}, workers: {setting[0]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
