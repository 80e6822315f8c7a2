"""The steps that gpu.py's parts are made of: where they run, and commands that several of them have.

The first word of a command is a program: heed, heed-bench, test_devices, or reference for reference.py.
"""
import csv
import dataclasses
import hashlib
import json
import pathlib
import re

from sitting import Row, Step


@dataclasses.dataclass
class Setting:
    """The settings of where and how the parts run. `doctor` has doctor_lines(); `found` what one part tells another."""
    device: str
    folder: pathlib.Path  # of outputs
    data: pathlib.Path
    config: str
    gpus: int = 1
    small: bool = False  # the rehearsal: sizes that a CPU has time for
    has_test_devices: bool = True
    doctor: dict = dataclasses.field(default_factory=dict)
    found: dict = dataclasses.field(default_factory=dict)

    @property
    def batches(self):
        return (256, 64) if self.small else (32768, 4096)

    @property
    def updates(self):
        """The updates of `config`."""
        return 4 if self.small else 30


def goal(value, least, met=None):
    """`least` beside what was measured."""
    met = value >= least if met is None else met
    return f">= {least:,}: " + ("met" if met else f"{value / least:.2f} of it")


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:12]


def settings(values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def shrunk(at):
    """Over a configuration of configs/: what makes a rehearsal of it short."""
    return {"model.width": 32, "model.feed_forward": 64, "model.encoder_layers": 1, "model.decoder_layers": 1,
            "model.hidden_size": 48, "training.batch_size": 256, "training.max_minutes": 0.05, "decoding.max_length_ratio": 1,
            "decoding.beam_size": 2} if at.small else {}


def train(at, name, what, setting, changes, read=None, config=None, options=("--overwrite",), **limits):
    """A short training; its summary is found as summary-NAME, the digest of its weights as digest-NAME."""
    values = {"output": at.folder / name, "device": at.device} | changes
    folder = values["output"]

    def keep(done):
        at.found[f"summary-{name}"] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        at.found[f"digest-{name}"] = digest(folder / "model.safetensors")
        return read(at.found[f"summary-{name}"], done) if read else []

    return Step(what, setting, ["heed", "train", config or at.config, *settings(values), *options], keep, **limits)


def computed(rows):
    """Rows of what was found before; no command."""
    return Step("", "", None, lambda _: rows())


def doctor_lines(text):
    """The lines that `heed doctor` prints: {name: (whether it is well, value)}."""
    found = re.findall(r"^(ok|--) +(\S+) +(.*)$", text, flags=re.M)
    return {name: (mark == "ok", value) for mark, name, value in found}


def read_csv(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def bench(at, shape, what, setting, read, *more, systems=None, updates=20, warmup=40):
    """A GPU loads a kernel when it is first launched: without so long a warm-up the updates that are measured still wait for
    that."""
    folder = at.folder / ("bench-" + re.sub(r"\W+", "-", f"{shape}-{setting}"))
    return Step(what, setting, [
        "heed-bench", "train", at.config, "--systems", systems or f"{shape},{shape}_small_batches",
        "--updates", 2 if at.small else updates, "--warmup", 1 if at.small else warmup, "--set", f"device={at.device}", *more,
        "-o", folder], lambda done: read(folder), limit=90)


def operations(folder, what, form):
    """The dearest operations on the host, of each system that --profile saw. `form` makes a row's setting of its name."""
    lines = read_csv(folder / "operations.csv")
    for system in dict.fromkeys(line["system"] for line in lines):
        own = [line for line in lines if line["system"] == system]
        yield Row(what, form.format(system) + ": operations", "; ".join(
            f"{line['operation']} (" + ", ".join(f"{key} {value}" for key, value in line.items()
                                                 if key not in ("system", "operation")) + ")" for line in own[:6]))


def kernels(folder, what, form):
    """Launches, busy and idle time of a GPU, and its dearest kernels, in an update or one translation of all lines."""
    path = folder / "kernels.csv"
    lines = read_csv(path) if path.exists() else []
    for system in dict.fromkeys(line["system"] for line in lines):
        own = {line["kernel"]: line for line in lines if line["system"] == system}
        everything, idle = own.pop("all"), own.pop("none")
        dearest = "; ".join(f"{name[:60]} ({line['calls_per_update']} x, {line['ms_per_update']} ms)"
                            for name, line in list(own.items())[:6])
        yield Row(what, form.format(system) + ": kernels",
                  f"{everything['calls_per_update']} launches, {everything['ms_per_update']} ms; "
                  f"none runs for {idle['ms_per_update']} ms ({idle['%']} %): {dearest}")


def spent_on(folder, what, form="{}"):
    yield from operations(folder, what, form)
    yield from kernels(folder, what, form)
