"""A tiny model, trained in a second, and what `heed attention` makes of it."""
import collections
import csv
import os
import pathlib
import random
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEED = os.environ.get("HEED_BINARY", str(ROOT / "build/release/heed"))
BENCH = os.environ.get("HEED_BENCH", str(ROOT / "build/release/heed-bench"))

WORDS = """
a der Hund läuft übermorgen Straßenbahn quick fox , . животное переулок мама 我们 喜欢 漂亮的 城市
مرحبا بالعالم كيف شارع שלום नमस्ते สวัสดี 한국어 日本語 😀 👨‍👩‍👧 🇩🇪 👍🏽 é
""".split()

# The words of scripts with blanks: in a text without, each character is a word.
SPACED = [word for word in WORDS if not any("\u0e00" <= letter <= "\u0eff" or "\u3040" <= letter <= "\u9fff" for letter in word)]

TWELVE = "der Hund läuft , 😀 животное 我们 喜欢 مرحبا 👨‍👩‍👧 नमस्ते .".split()
RIGHT_TO_LEFT = "مرحبا كيف 🇩🇪 Hund شارع בשלום بالعالم".split()
# Sentences 2 and 3 differ in one word, and in the number of their pieces.
TOUR = [line.split() for line in ("quick fox , der Hund", "der fox läuft a", "der fox läuft Straßenbahn", "läuft a")]
UNKNOWN = "der Ωμέγα ж".split()  # no letter of the second is in the vocabulary
# A text that would be markup, script or its end if it were not text.
HOSTILE = ("</script><b>x</b> <!-- &quot; ]]> --> javascript:run() \"'><img/src=x/onerror=run()> "
           "<svg/onload=run()> @data@ ${run()} \\u003c </title><script>run()</script>").split()
LAYERS, HEADS = 2, 3


# Scores in place of sacrebleu's, which takes most of the time of an evaluation to start.
SCORER = ROOT / "tests/campaign/scorer.sh"


def try_heed(*arguments, folder, program=HEED):
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": "", "HEED_SACREBLEU": str(SCORER)}
    return subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True,
                          text=True, timeout=120)


def heed(*arguments, folder, program=HEED):
    run = try_heed(*arguments, folder=folder, program=program)
    if run.returncode != 0:
        raise RuntimeError(f"{program} {' '.join(arguments)}\n{run.stderr}")
    return run.stdout


def write_lines(path, sentences):
    path.write_text("".join(" ".join(words) + "\n" for words in sentences), encoding="utf-8")


def write_pairs(folder, name, sentences):
    write_lines(folder / f"{name}.src", sentences)
    write_lines(folder / f"{name}.tgt", [words[::-1] for words in sentences])


def write_corpora(folder):
    """Writes folder/toy.yaml, whose run learns to turn sentences around, and its corpora."""
    for name, count, seed in (("train", 800, 1), ("valid", 10, 2)):
        draw = random.Random(seed)
        write_pairs(folder, name, [draw.choices(WORDS, k=draw.randint(2, 9)) for _ in range(count)])
    (folder / "toy.yaml").write_text(f"""
name: toy
output: {folder / "model"}
device: cpu
precision: fp32
threads: 1
data:
  train: {{source: train.src, target: train.tgt}}
  valid: {{source: valid.src, target: valid.tgt}}
  vocabulary: {{kind: joint, size: 150, algorithm: bpe}}
model: {{type: transformer, width: 24, feed_forward: 32, heads: {HEADS}, encoder_layers: {LAYERS},
        decoder_layers: {LAYERS}, tie: all}}
training: {{batch_size: 400, updates: 120, validate_every: 120, validate_bleu: false, warmup: 10,
           learning_rate: 0.01, schedule: cosine}}
""")


def train(folder):
    """Trains folder/model."""
    write_corpora(folder)
    heed("train", "toy.yaml", folder=folder)


def train_other(folder):
    """Trains folder/other for a shorter time with other weights at the beginning."""
    heed("train", "toy.yaml", "--set", f"output={folder / 'other'}", "--set", "seed=2", "--set",
         "training.updates=40", folder=folder)


def hundred():
    return random.Random(7).choices(SPACED, k=99)  # and </s>


def look(folder):
    """Writes folder/look, words of all kinds, layers and heads, folder/pictures, folder/two, of two
    models, folder/one, of the second alone, folder/evidence, of several kinds, folder/pruned, of a model
    without the last head of its last layer, folder/tour, sentences that differ in a word, and folder/hostile."""
    write_pairs(folder, "look", [TWELVE, RIGHT_TO_LEFT, UNKNOWN, hundred()])
    forced = ("attention", "model", "--input", "look.src", "--target-file", "look.tgt", "--words")
    heed(*forced, "--kind", "cross,encoder,decoder", "--head", "all,mean", "--pictures", "none",
         "-o", "look", folder=folder)
    heed(*forced, "--head", "0,mean", "-o", "pictures", folder=folder)
    write_pairs(folder, "two", [TWELVE])
    heed("attention", "model", "--beside", "other", "--input", "two.src", "--target-file", "two.tgt",
         "--words", "--head", "all,mean", "--pictures", "none", "-o", "two", folder=folder)
    heed("attention", "other", "--input", "two.src", "--target-file", "two.tgt", "--words", "--head",
         "all,mean", "--pictures", "none", "-o", "one", folder=folder)
    heed("attention", "model", "--input", "two.src", "--target-file", "two.tgt", "--kind",
         "cross,rollout,saliency", "--head", "0,mean", "--pictures", "none", "-o", "evidence",
         folder=folder)
    heed("prune", "model", "--heads", f"cross.{LAYERS - 1}.{HEADS - 1}", "-o", "fewer", folder=folder)
    heed("attention", "fewer", "--input", "two.src", "--target-file", "two.tgt", "--head", "all",
         "--pictures", "none", "-o", "pruned", folder=folder)
    write_pairs(folder, "tour", TOUR)
    write_lines(folder / "tour.tgt", [words[::-1] for words in TOUR[:2]] + ["a läuft quick der".split(), ["a"]])
    heed("attention", "model", "--input", "tour.src", "--target-file", "tour.tgt", "--words", "--kind",
         "encoder,cross", "--head", "all,mean", "--pictures", "none", "-o", "tour", folder=folder)
    write_pairs(folder, "hostile", [HOSTILE])
    model = "<b>&amp;'\"model"
    (folder / model).symlink_to("model")
    heed("attention", model, "--input", "hostile.src", "--target-file", "hostile.tgt", "--words",
         "--head", "0,mean", "-o", "hostile", folder=folder)


def family(folder):
    """Writes folder/family, what `heed bottleneck` makes of four models, and folder/faithful-*.html. There are
    no test sentences of 41 to 50 words, and none of more than 60."""
    for name, counts, seed in (("long-train", [*range(1, 61)] * 3, 3), ("long-valid", [3, 9, 20], 4),
                               ("long-test", [5, 15, 25, 35, 55] * 4, 5)):
        draw = random.Random(seed)
        write_pairs(folder, name, [draw.choices(SPACED, k=count) for count in counts])
    (folder / "family.yaml").write_text(f"""
name: family
output: {folder / "family"}
device: cpu
precision: fp32
threads: 1
data:
  train: {{source: long-train.src, target: long-train.tgt}}
  valid: {{source: long-valid.src, target: long-valid.tgt}}
  test: {{source: long-test.src, target: long-test.tgt}}
  vocabulary: {{kind: joint, size: 150, algorithm: bpe}}
model: {{type: rnn, embedding_size: 16, hidden_size: 16, width: 16, feed_forward: 16, heads: 2, encoder_layers: 2,
        decoder_layers: 2, tie: decoder}}
training: {{batch_size: 400, updates: 12, log_every: 2, validate_every: 4, validate_bleu: false, warmup: 3,
           learning_rate: 0.01, schedule: cosine}}
decoding: {{beam_size: 1}}
evaluation: {{bootstrap: 50}}
systems:
  - name: none
  - name: bahdanau
  - {{name: luong_general, set: [model.attention=luong_general, model.input_feeding=true]}}
  - name: transformer
""")
    heed("bottleneck", "family.yaml", folder=folder)
    write_gold(folder)
    for model, gold in (("transformer", ["--gold", "short.align"]), ("bahdanau", []), ("none", [])):
        heed("faithful", f"family/{model}", "--source", "short.src", "--target", "short.tgt", "--draws", "2", "--integration-steps", "2",
             *gold, "-o", f"faithful-{model}.csv", "--html", f"faithful-{model}.html", folder=folder)


def write_gold(folder):
    """folder/short.*: the shortest sentences of the test set, whose target is the source backwards, and their links."""
    sources = [line.split() for line in (folder / "long-test.src").read_text(encoding="utf-8").splitlines()[:3]]
    write_pairs(folder, "short", sources)
    write_lines(folder / "short.align", [[f"{i}-{len(words) - 1 - i}" for i in range(len(words))] for words in sources])


Matrix = collections.namedtuple("Matrix", "targets sources weights")


def read_matrices(path):
    """(sentence, layer, head) -> Matrix, of the long form; layers and heads as the CSV has them."""
    tokens = collections.defaultdict(lambda: ({}, {}, {}))
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            target, source = int(row["target_position"]), int(row["source_position"])
            targets, sources, weights = tokens[int(row["sentence"]), row["layer"], row["head"]]
            targets[target], sources[source] = row["target_token"], row["source_token"]
            weights[target, source] = float(row["weight"])
    return {key: Matrix(list(targets.values()), list(sources.values()),
                        [[weights[t, s] for s in sources] for t in targets])
            for key, (targets, sources, weights) in tokens.items()}
