"""The parts of gpu.py's sitting that train and use whole models, and those for several GPUs."""
import json
import re
import time

from gpu_steps import computed, doctor_lines, goal, read_csv, settings, shrunk, spent_on, train
from sitting import Row, Step

# The goals, on one H100 (docs/gpu.md).
MINUTE, BEST = 41, 43  # BLEU of test2016
SECONDS_MINUTE, SECONDS_BEST = 60, 180
SENTENCES = 20_000  # a second: the model in a minute, beam 5
SAME = 0.99  # of the translations of a CPU in fp32; the others may be of the same score


# --- a model from raw text


def bleu(summary):
    """The BLEU of the test set, in sacrebleu's words: "BLEU 41.50 (BP 0.990, ...)"."""
    return next(float(score.split()[1]) for score in summary["test"] if score.startswith("BLEU "))


def from_text(at, name, what, config, least, seconds, changes):
    def read(summary, done):
        score = bleu(summary)
        yield Row(what, f"{config}, {done.seconds:.0f} s",
                  f"BLEU {score:.2f} after {summary['updates']:,} updates; {summary['tokens_per_second']:,.0f} tokens/s",
                  f"{goal(score, least)}; at most {seconds} s: " + ("met" if done.seconds <= seconds else "MISSED"))
    return train(at, name, what, config, changes | shrunk(at), read, f"configs/{config}.yaml",
                 limit=seconds + 15, least=4 if at.small else seconds)


def minute(at):
    yield from_text(at, "minute", "a model in a minute", "multi30k_minute", MINUTE, SECONDS_MINUTE, {})


def best(at):
    yield from_text(at, "best", "a model in three minutes", "multi30k_best", BEST, SECONDS_BEST,
                    {"training.max_minutes": 2.6, "decoding.batch_size": 256})


# --- translating


def lines_to_translate(at):
    """More lines than the largest batch, in one file."""
    path = at.folder / "lines.de"
    text = "".join((at.data / f"{name}.de").read_text(encoding="utf-8")
                   for name in ("test2016", "valid", "test2017", "test2017_mscoco"))
    lines = text.splitlines(keepends=True)
    path.write_text("".join(lines[:20] if at.small else lines), encoding="utf-8")
    return path


def bench_translate(at, model, beam, batches, setting, read, *more, lines=100_000):
    """The speed of translating one file, by batch; 0: what fits in memory."""
    folder = at.folder / re.sub(r"\W+", "-", f"translate-{setting}")
    return Step("translating", setting, [
        "heed-bench", "translate", at.folder / model, "--source", at.folder / "lines.de", "--device", at.device,
        "--beam", beam, "--batch", ",".join(map(str, batches)), "--lines", lines, "--weights", "bf16", *more, "-o", folder],
        lambda _: read(folder), limit=60)


def search_speed(at, model, beam, batches, graphs="off"):
    kind = f"{model}, beam {beam}" + (", with graphs" if graphs == "auto" else "")

    def read(folder):
        for line in read_csv(folder / "translate.csv"):
            speed, batch = float(line["sentences_per_second"]), int(line["batch"])
            together = f"{batch:,} sentences at a time" if batch else "as many sentences at a time as fit"
            judged = model == "minute" and beam == 5 and batch == max(batches)
            yield Row("translating", f"{kind}, {together}",
                      f"{speed:,.0f} sentences/s, {float(line['pieces_per_second']):,.0f} pieces/s",
                      goal(speed, SENTENCES) if judged else "")

    return bench_translate(at, model, beam, batches, f"{kind}, bf16", read, "--repeats", 3, "--set", f"decoding.graphs={graphs}")


def search_profile(at, model, beam, batches):
    """Profiles a search in a command of its own, for watching costs time. The largest batch is whole."""
    return bench_translate(at, model, beam, batches, f"{model}, beam {beam}: operations", lambda folder: spent_on(
        folder, "translating", f"{model}, {{}}, {max(batches):,} lines"), "--repeats", 1, "--profile", lines=max(batches))


def translate(at, device, graphs="off"):
    name = f"lines.{device}"
    (at.folder / name).unlink(missing_ok=True)  # of an earlier sitting: heed translate writes over no file
    return Step("translating", f"fp32 on {device}", [
        "heed", "translate", at.folder / "minute", at.data / "test2016.de", "--device", device, "--set", "precision=fp32",
        "--set", f"decoding.graphs={graphs}", "-o", at.folder / name], lambda _: at.found.update({name: True}) or [], limit=40)


def same_translations(at):
    def rows():
        if "lines.cpu" in at.found and f"lines.{at.device}" in at.found:
            ours, theirs = ((at.folder / f"lines.{device}").read_text(encoding="utf-8").splitlines()
                            for device in (at.device, "cpu"))
            equal = sum(one == two for one, two in zip(ours, theirs))
            good = equal >= SAME * len(theirs)
            yield Row("translating", f"fp32 on {at.device} and on a CPU", f"{equal} of {len(theirs)} lines are the same",
                      f">= {SAME:.0%}: " + ("met" if good else "MISSED"), good=good)
    return computed(rows)


def translating(at):
    lines_to_translate(at)
    if not (at.folder / "minute/model.safetensors").is_file():
        yield train(at, "minute", "translating", "a model for it", {"training.max_minutes": 0.3} | shrunk(at),
                    config="configs/multi30k_minute.yaml")
    batches = (4, 8) if at.small else (32, 512, 2048)
    yield search_speed(at, "minute", 5, (*batches, 0))
    yield search_speed(at, "minute", 5, batches, "auto")
    yield search_speed(at, "minute", 1, (8,) if at.small else (2048,))
    yield translate(at, at.device, "auto")
    if at.device != "cpu":
        yield translate(at, "cpu")
    yield same_translations(at)
    updates = at.updates if at.small else 600
    yield train(at, "luong_general", "translating", "luong_general, a model for it", {
        "model.type": "rnn", "model.attention": "luong_general", "model.tie": "none", "training.updates": updates,
        "training.validate_every": updates, "training.save_every": updates})
    yield search_speed(at, "luong_general", 5, (8,) if at.small else (512,))
    yield search_profile(at, "minute", 5, batches)


# --- several GPUs, and longer trainings


def rank_counts(gpus):
    """1, 2, 4, ... and all of them."""
    return sorted({1 << i for i in range(10) if 1 << i <= gpus} | {gpus})


def scaling(at):
    def rows():
        done = {n: at.found[f"summary-ranks-{n}"]["tokens_per_second"] for n in rank_counts(at.gpus)
                if f"summary-ranks-{n}" in at.found}
        first = min(done, default=1)
        for n, speed in done.items():
            one, all_ = at.found[f"digest-ranks-{n}"], at.found[f"digest-ranks-{first}"]
            share = speed / done[first] * first / n
            yield Row("ranks", f"{n} of {at.gpus} GPUs", f"{speed:,.0f} tokens/s, {share:.0%} of {first} rank times "
                      f"{n // first}; weights {one}", "the same weights: " + ("met" if one == all_ else "MISSED"),
                      good=one == all_)
    return computed(rows)


def ranks(at):
    for n in rank_counts(at.gpus)[1:]:
        yield Step("ranks", f"{n} ranks", ["heed", "doctor", "--ranks", n], lambda done, n=n: [Row(
            "ranks", f"{n} ranks", "; ".join(value for _, value in doctor_lines(done.said).values()))], limit=40)
    parts = max(8, at.gpus)
    for n in rank_counts(at.gpus):
        yield train(at, f"ranks-{n}", "ranks", f"{n} ranks", {"training.accumulate": parts, "deterministic": "true"},
                    options=("--overwrite", "--ranks", n))
    yield scaling(at)


def family(at, what, config, minutes, *options):
    """heed bottleneck: the test score of each of its systems that was done in time."""
    folder = at.folder / what

    def read(done):
        begin = time.time() - done.seconds - 1
        for path in sorted(folder.glob("*/summary.json")):
            if path.stat().st_mtime >= begin:  # the others are of an earlier sitting
                summary = json.loads(path.read_text(encoding="utf-8"))
                yield Row(what, path.parent.name, f"BLEU {bleu(summary):.2f} after {summary['updates']:,} "
                          f"updates in {summary['minutes']:.1f} minutes; lowest validation loss {summary['validation_loss']:.3f}")

    changes = {"output": folder, "device": at.device, "threads": 0, "training.max_minutes": minutes,
               "decoding.batch_size": 256} | shrunk(at)
    if at.small:  # a CPU has no time for the talks
        changes |= {f"data.{kind}.{side}": at.data / f"{name}.{suffix}" for kind, name in (("valid", "valid"), ("test", "test2016"))
                    for side, suffix in (("source", "de"), ("target", "en"))}
    yield Step(what, config, ["heed", "bottleneck", f"configs/{config}.yaml", *settings(changes), "--overwrite", *options],
               read, limit=1200, partial=True)


def talks(at):
    yield from family(at, "talks", "iwslt14_small", 7.5, "--systems", "transformer_simcut")


def figure2(at):
    yield from family(at, "figure2", "figure2", 1.9, "--systems", "none_30,none_50,bahdanau_30,bahdanau_50", "--jobs", 1)
