"""Runs in an environment that has pymarian, and for "translate" fxtranslate. "student": makes of a .npz with an SSRU decoder the
file that Bergamot's Marian makes, which is on no package index: a .bin of intgemm8 with multipliers of activations. "values": the
numbers of a .bin as a .npz of fp32. "pairs": a shortlist as text. "translate", "bergamot": by fxtranslate, or by Bergamot's C++
engine, one line at a time."""

import importlib.util
import json
import struct
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import sentencepiece

VERSION, FILLED = 1, 256
FLOATS, BYTES, INTGEMM8 = 0x404, 0x101, 0x4101  # types of browsermt's marian-dev


def item(name, type_of, shape, data):
    return name.encode() + b"\0", type_of, shape, data + b"\0" * (-len(data) % FILLED)


def write_bin(path, items):
    out = struct.pack("<QQ", VERSION, len(items))
    out += b"".join(struct.pack("<4Q", len(name), kind, len(shape), len(data)) for name, kind, shape, data in items)
    out += b"".join(name for name, *_ in items)
    out += b"".join(struct.pack(f"<{len(shape)}i", *shape) for _, _, shape, _ in items)
    out += struct.pack("<Q", -(len(out) + 8) % FILLED) + b"\0" * (-(len(out) + 8) % FILLED)
    path.write_bytes(out + b"".join(data for *_, data in items))


def quantised(matrix):
    multiplier = np.float32(127 / np.abs(matrix).max())
    return np.clip(np.rint(matrix * multiplier), -127, 127).astype(np.int8), multiplier


def normed(x, weights, name):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * weights[name + "_ln_scale"] + weights[name + "_ln_bias"]


class Student:
    """Marian's post-norm Transformer with an SSRU decoder, in fp32. It keeps the largest activation of each product."""

    def __init__(self, weights, heads):
        self.weights, self.heads, self.largest = weights, heads, {}

    def see(self, name, x):
        self.largest[name] = max(self.largest.get(name, 0), float(np.abs(x).max()))

    def product(self, name, x):
        self.see(name, x)
        front, _, letters = name.rpartition("_W")
        return x @ self.weights[name] + self.weights.get(f"{front}_b{letters}", 0)

    def attention(self, name, x, memory):
        q, k, v = (self.product(f"{name}_W{letter}", y) for letter, y in (("q", x), ("k", memory), ("v", memory)))
        width = q.shape[1] // self.heads
        out = []
        for at in range(0, q.shape[1], width):
            scores = q[:, at : at + width] @ k[:, at : at + width].T / np.sqrt(width)
            scores = np.exp(scores - scores.max(1, keepdims=True))
            out.append(scores / scores.sum(1, keepdims=True) @ v[:, at : at + width])
        return normed(x + self.product(f"{name}_Wo", np.concatenate(out, 1)), self.weights, f"{name}_Wo")

    def feed_forward(self, name, x):
        inner = np.maximum(self.product(f"{name}_W1", x), 0)
        return normed(x + self.product(f"{name}_W2", inner), self.weights, f"{name}_ffn")

    def embedded(self, ids):
        width = self.weights["Wemb"].shape[1]
        vectors = np.array([np.zeros(width) if i is None else self.weights["Wemb"][i] for i in ids]) * np.sqrt(width)
        steps = np.arange(width // 2) / (width // 2 - 1)
        angles = np.arange(len(ids))[:, None] * 10000.0**-steps
        return vectors + np.concatenate([np.sin(angles), np.cos(angles)], 1)

    def recurrence(self, name, x):
        candidate, forget = self.product(f"{name}_W", x), 1 / (1 + np.exp(-self.product(f"{name}_Wf", x)))
        state, states = 0, []
        for c, f in zip(candidate, forget):
            state = f * state + (1 - f) * c
            states.append(state)
        return normed(x + np.maximum(states, 0), self.weights, f"{name}_ffn")

    def read(self, source, target):
        layers = {side: sum(f"{side}_l{i}_ffn_W1" in self.weights for i in range(1, 99)) for side in ("encoder", "decoder")}
        x = self.embedded(source)
        for i in range(1, layers["encoder"] + 1):
            x = self.feed_forward(f"encoder_l{i}_ffn", self.attention(f"encoder_l{i}_self", x, x))
        memory, x = x, self.embedded([None, *target[:-1]])
        for i in range(1, layers["decoder"] + 1):
            x = self.recurrence(f"decoder_l{i}_rnn", x)
            x = self.feed_forward(f"decoder_l{i}_ffn", self.attention(f"decoder_l{i}_context", x, memory))
        for name in ("Wemb", "none"):  # without a shortlist, and with one
            self.see(name, x)


def student(ask):
    """Writes `bin`, and as `plain` a .npz with the fp32 values of its numbers."""
    arrays = dict(np.load(ask["model"]))
    options = bytes(arrays.pop("special:model.yml"))
    heads = int(options.decode().partition("transformer-heads:")[2].split()[0])
    network = Student({name: array.astype(np.float64) for name, array in arrays.items()}, heads)
    network.weights = {name: array[0] if array.shape[0] == 1 else array for name, array in network.weights.items()}
    pieces = sentencepiece.SentencePieceProcessor(model_file=ask["vocabulary"])
    for pair in zip(ask["sources"], ask["targets"], strict=True):
        network.read(*(pieces.encode(line) + [pieces.eos_id()] for line in pair))
    items, plain = [], {}
    for name, array in arrays.items():
        if name not in network.largest:
            items.append(item(name, FLOATS, array.shape, array.astype("<f4").tobytes()))
            plain[name] = array
            continue
        numbers, multiplier = quantised(array)
        stored = numbers if name == "Wemb" else numbers.T
        items.append(item(name, INTGEMM8, array.shape, stored.tobytes() + struct.pack("<f", multiplier)))
        plain[name] = numbers.astype(np.float32) / multiplier
    for name, largest in network.largest.items():
        items.append(item(f"{name}_QuantMultA", FLOATS, (1, 1), struct.pack("<f", 127 / largest)))
    items.append(item("special:model.yml", BYTES, (len(options),), options))
    write_bin(Path(ask["bin"]), items)
    np.savez(ask["plain"], **plain, **{"special:model.yml": np.frombuffer(options, np.int8)})


def values(ask):
    """Writes `plain`, a .npz with the fp32 values of the numbers of `bin`."""
    data, out = Path(ask["bin"]).read_bytes(), {}
    count = struct.unpack_from("<Q", data, 8)[0]
    heads = [struct.unpack_from("<4Q", data, 16 + 32 * i) for i in range(count)]
    at = 16 + 32 * count
    names, shapes = [], []
    for length, *_ in heads:
        names.append(data[at : at + length - 1].decode())
        at += length
    for _, _, dimensions, _ in heads:
        shapes.append(struct.unpack_from(f"<{dimensions}i", data, at))
        at += 4 * dimensions
    at += 8 + struct.unpack_from("<Q", data, at)[0]
    for name, shape, (_, kind, _, size) in zip(names, shapes, heads, strict=True):
        whole = int(np.prod(shape))
        if kind in (FLOATS, BYTES):
            out[name] = np.frombuffer(data, np.float32 if kind == FLOATS else np.int8, whole, at).reshape(shape)
        else:
            numbers = np.frombuffer(data, np.int8, whole, at).astype(np.float32) / struct.unpack_from("<f", data, at + whole)[0]
            out[name] = numbers.reshape(shape) if "Wemb" in name else numbers.reshape(shape[::-1]).T
        at += size
    np.savez(ask["plain"], **{name: np.ascontiguousarray(array) for name, array in out.items()})


def pairs(ask):
    """Writes `text`: lines "target source probability" of all pieces that stand in a pair of lines."""
    pieces = sentencepiece.SentencePieceProcessor(model_file=ask["vocabulary"])
    together, alone = Counter(), Counter()
    for pair in zip(ask["sources"], ask["targets"], strict=True):
        source, target = ({*pieces.encode(line, out_type=str), "</s>"} for line in pair)
        alone.update(source)
        together.update((a, b) for a in source for b in target)
    lines = [f"{b} {a} {count / alone[a]:.6f}\n" for (a, b), count in together.items()]
    Path(ask["text"]).write_text("".join(lines), encoding="utf-8")


def translate(ask):
    from fxtranslate import Translator

    files = [Path(ask[name]).read_bytes() for name in ("model", "source", "target")]
    shortlist = Path(ask["shortlist"]).read_bytes() if ask.get("shortlist") else None
    translator = Translator(*files, shortlist=shortlist)
    return [translator.translate(line) for line in ask["lines"]]


SEARCH = """
beam-size: 1
normalize: 1.0
word-penalty: 0
max-length-break: 128
mini-batch-words: 1024
workspace: 128
max-length-factor: 2.0
skip-cost: true
cpu-threads: 0
quiet: true
quiet-translation: true
gemm-precision: int8shiftAlphaAll
alignment: soft
"""  # that of Firefox and of translateLocally


def bergamot(ask):
    # The package itself asks the network for models.
    found = next(Path(sys.prefix).glob("lib/python*/site-packages/**/_bergamot*.so"))
    spec = importlib.util.spec_from_file_location("_bergamot", found)
    engine = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(engine)
    files = {"models": [ask["model"]], "vocabs": [ask["source"], ask["target"]]}
    if ask.get("shortlist"):
        files["shortlist"] = [ask["shortlist"], False]
    service = engine.Service(engine.ServiceConfig(numWorkers=1, logLevel="off"))
    model = service.modelFromConfig(SEARCH + "".join(f"{key}: {json.dumps(value)}\n" for key, value in files.items()))
    options = engine.ResponseOptions()
    return [service.translate(model, engine.VectorString([line]), options)[0].target.text for line in ask["lines"]]


DO = {"student": student, "values": values, "pairs": pairs, "translate": translate, "bergamot": bergamot}
request = json.load(sys.stdin)
print(json.dumps(DO[request["do"]](request)))
