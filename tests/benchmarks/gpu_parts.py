"""The parts of gpu.py's sitting, in order of value; here those that measure single updates, in gpu_models.py the others."""
import json
import re

import gpu_models
from gpu_steps import bench, computed, goal, kernels, read_csv, spent_on, train
from sitting import Part, Row, Step

# The goals, on one H100 (docs/gpu.md).
# Target tokens a second, bf16, large batches.
SPEED = {"W1": 1_000_000, "big": 220_000, "base": 450_000, "luong_general": 200_000, "bahdanau": 200_000, "none": None}
RATIO = 1.5  # to the plain PyTorch loop
SMALL_BATCHES = 0.85  # of the speed in large ones
KEPT = 0.9  # of the speed, with the same bits in each run
LOSS = {"fp32": 0.01, "tf32": 0.02, "bf16": 0.05, "fp16": 0.05}  # by which the loss may differ from the CPU's


# --- doctor: is the machine right, and every operator, and every precision


def failing_operators(text):
    """The lines of test_devices about operators that failed."""
    names = [line.split()[0] + " " + line.split()[1] for line in text.splitlines() if re.search(r"  FAILED: ", line)]
    return f"{len(names)} operators failed: {', '.join(names)}" if names else ""


def read_operators(done):
    lines = [line for line in done.said.splitlines() if line.strip()]
    yield Row("operators", "every fast path against fp64", lines[-1])


def loss_row(at, device, precision):
    name, setting = f"loss-{device}-{precision}", f"{device}, {precision}"

    def read(summary, _):
        loss, judge = summary["validation_loss"], at.found.get("summary-loss-cpu-fp32", summary)["validation_loss"]
        near = abs(loss - judge) <= LOSS[precision]
        yield Row("loss", setting, f"{loss:.4f} after {summary['updates']} updates",
                  f"{judge:.4f} +- {LOSS[precision]}: " + ("met" if near else "MISSED"), good=near)

    return train(at, name, "loss", setting, {"device": device, "precision": precision, "model.dropout": 0}, read, limit=40,
                 optional="unknown value 'tf32'|needs a GPU")


def doctor(at):
    yield computed(lambda: [Row("doctor", at.device, "; ".join(
        f"{name} {value}" for name, (_, value) in at.doctor.items()), command="heed doctor")])
    if at.has_test_devices:
        yield Step("operators", "every fast path against fp64", ["test_devices", "--device", at.device], read_operators,
                   limit=45, why=failing_operators)
    yield loss_row(at, "cpu", "fp32")
    for precision in ("fp32", "bf16", "tf32", "fp16"):
        if at.device != "cpu" or precision != "fp32":
            yield loss_row(at, at.device, precision)


# --- training: speed beside the plain PyTorch loop


def system(at, shape, batch):
    """The system of `config`, and how long it is measured. A graph is recorded for each shape of batches, of which an epoch has
    a hundred small ones."""
    large = batch == at.batches[0]
    numbers = {"updates": 10, "warmup": 30} if large and shape == "big" else {} if large else {"updates": 100, "warmup": 200}
    return {"systems": shape if large else f"{shape}_small_batches", **numbers}


def speed(at, shape, batch):
    large = batch == at.batches[0]

    def read(folder):
        line, = read_csv(folder / "training.csv")
        found = at.found["heed", shape, batch] = float(line["tokens_per_s"])
        least = SPEED[shape] if large else None
        yield Row("training", f"{shape}, {line['precision']}, batches of {batch:,}",
                  f"{found:,.0f} tokens/s, waiting {line['waiting_%']} %", goal(found, least) if least else "")
    return bench(at, shape, "training", f"{shape}, bf16, {'large' if large else 'small'} batches", read,
                 **system(at, shape, batch))


def reference(at, shape, batches, *more):
    """reference.py: found as the fastest that it was, compiled or not."""
    model, size = (shape, "small") if shape in ("luong_general", "bahdanau", "none") else ("transformer", {
        "W1": "small"}.get(shape, "small" if at.small else shape))
    name = "PyTorch, compiled" if "--compile" in more else "PyTorch"
    updates, warmup = (2, 1) if at.small else (8, 12) if shape in ("base", "big") else (20, 30)

    def read(done):
        for line in filter(lambda line: line.startswith("{"), done.said.splitlines()):
            numbers = json.loads(line)
            key = ("reference", shape, numbers["batch_tokens"])
            speed = numbers["target_tokens_per_second"]
            at.found[key] = max(speed, at.found.get(key, 0))
            yield Row("training", f"{name}: {shape}, bf16, batches of {numbers['batch_tokens']:,}",
                      f"{speed:,.0f} tokens/s, {numbers['peak_memory_mib']:,} MiB")

    return Step("training", f"{name}: {shape}, bf16", [
        "reference", "--ids", at.data.parent / "gpu/ids.json.gz", "--device", at.device, "--precision", "bf16",
        "--model", model, "--shape", size, "--batch-tokens", ",".join(map(str, batches)),
        "--updates", updates, "--warmup", warmup, *more], read, limit=100 if more else 40, least=20 if more else 8, partial=True)


def ratios(at, shape, batches):
    """The ratios of the speeds, as far as both were measured."""
    def rows():
        for batch in batches:
            ours, theirs = at.found.get(("heed", shape, batch)), at.found.get(("reference", shape, batch))
            if ours and theirs:
                yield Row("training", f"{shape}: heed / PyTorch, batches of {batch:,}", f"{ours / theirs:.2f} x",
                          goal(ours / theirs, RATIO))
    return computed(rows)


def small_batches(at, shape):
    def rows():
        large, small = (at.found.get(("heed", shape, batch)) for batch in at.batches)
        if large and small:
            yield Row("training", f"{shape}: small / large batches", f"{small / large:.2f}", goal(small / large, SMALL_BATCHES))
    return computed(rows)


def training(at):
    for shape in SPEED:
        for batch in at.batches:
            yield speed(at, shape, batch)
        yield small_batches(at, shape)
        yield reference(at, shape, at.batches)
        yield ratios(at, shape, at.batches)


def compiled(at):
    for shape in ("W1",) if at.small else ("W1", "big", "base"):
        yield reference(at, shape, at.batches[:1], "--compile")
        yield ratios(at, shape, at.batches[:1])


# --- time: which operations and kernels take it, and what graphs save


def profile(at, shape, *sizes, warmup=40):
    """Profiles of large batches, and with `sizes` of others."""
    return bench(at, shape, "time", f"{shape}: operations", lambda folder: spent_on(folder, "time", "{}, an update"),
                 "--profile", systems=",".join((shape, *sizes)), updates=5, warmup=warmup)


def launches(at, shape):
    """The cost of the host's launches."""
    def read(folder):
        for line, batch in zip(read_csv(folder / "training.csv"), at.batches):
            speed_, recorded = float(line["tokens_per_s"]), at.found.get(("heed", shape, batch))
            yield Row("time", f"{shape} without graphs, batches of {batch:,}", f"{speed_:,.0f} tokens/s" + (
                f", {speed_ / recorded:.2f} x with them" if recorded else ""))
    return bench(at, shape, "time", f"{shape} without graphs", read, "--set", "training.graphs=off")


def spent(at):
    for shape in ("W1", "luong_general", "bahdanau"):
        yield profile(at, shape, f"{shape}_small_batches")
    yield profile(at, "big", warmup=20)
    for shape in ("W1", "luong_general"):
        yield launches(at, shape)


# --- bits: the same in each run


def same(at, setting, first, second):
    def rows():
        one, two = at.found.get(f"digest-{first}"), at.found.get(f"digest-{second}")
        if one and two:
            yield Row("bits", setting, f"{one}, {two}", "the same: " + ("met" if one == two else "MISSED"), good=one == two)
    return computed(rows)


def cost(at):
    def read(folder):
        speed = float(read_csv(folder / "training.csv")[0]["tokens_per_s"])
        plain = at.found.get(("heed", "W1", at.batches[0]))
        yield Row("bits", "W1, deterministic", f"{speed:,.0f} tokens/s" + (
            f", {speed / plain:.2f} of the speed without" if plain else ""), goal(speed / plain, KEPT) if plain else "")
    return bench(at, "W1", "bits", "W1, deterministic", read, "--set", "deterministic=true", systems="W1")


def bits(at):
    exact = {"deterministic": "true"}
    half = {"training.updates": at.updates // 2, "training.save_every": at.updates // 2, "output": at.folder / "bits-resumed"}
    for name in ("bits-1", "bits-1-again"):
        yield train(at, name, "bits", name, exact)
    yield same(at, "two runs", "bits-1", "bits-1-again")
    yield cost(at)
    yield train(at, "bits-half", "bits", "the first half", exact | half)
    yield train(at, "bits-resumed", "bits", "the second half", exact, options=("--resume",))
    yield same(at, "one run, and one that was resumed", "bits-1", "bits-resumed")
    for parts in (2, 4):
        for name in (f"bits-{parts}", f"bits-{parts}-again"):
            yield train(at, name, "bits", name, exact | {"training.micro_batches": parts})
        yield same(at, f"two runs, batches in {parts} parts", f"bits-{parts}", f"bits-{parts}-again")


def parts_of(at):
    """The parts in order of value. The rest is named in the report where the time is over."""
    def needs(path, command):
        return lambda: "" if path.is_file() else f"there is no {path}; {command} makes it"

    corpus = needs(at.data.parent / "iwslt14/train.de", "python3 data_scripts/iwslt14.py")
    several = lambda: "" if at.gpus > 1 else "there is one GPU"  # noqa: E731
    return [
        Part("doctor", 60, "Is the machine right, and every operator and precision?", lambda: doctor(at)),
        Part("training", 210, "How fast is training, beside a plain PyTorch loop?", lambda: training(at)),
        Part("minute", 75, "How good is a model from raw text in a minute?", lambda: gpu_models.minute(at)),
        Part("translating", 120, "How fast is the search, and does it find what a CPU finds?", lambda: gpu_models.translating(at)),
        Part("bits", 40, "Has each run the same bits, and what does that cost?", lambda: bits(at)),
        Part("time", 120, "Which operations take the time of an update, and what do graphs save?", lambda: spent(at)),
        Part("ranks", 120, "How do several GPUs scale?", lambda: gpu_models.ranks(at), missing=several),
        Part("best", 195, "How good is a model from raw text in three minutes?", lambda: gpu_models.best(at)),
        Part("compiled", 200, "How fast is the PyTorch loop with torch.compile?", lambda: compiled(at)),
        Part("talks", 540, "How good is a model of talks?", lambda: gpu_models.talks(at), later=True, missing=corpus),
        Part("figure2", 540, "How do systems with and without attention read long sentences?", lambda: gpu_models.figure2(at),
             later=True, missing=corpus),
    ]
