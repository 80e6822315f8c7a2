"""CTranslate2 of any age: converts a Marian model as it is, or changed as other converters' models are, and computes with its own
file. Runs in ctranslate2's environment; asked by program_ctranslate2.py."""

import json
import sys
from pathlib import Path

import ctranslate2
import numpy
import sentencepiece
from ctranslate2.converters import OpusMTConverter
from ctranslate2.specs.model_spec import OPTIONAL


def sides_of(spec):
    return spec.encoder, spec.decoder


def vectors_of(side):
    """Where a side has its word vectors: encoders may have several of them."""
    return side.embeddings[0] if isinstance(side.embeddings, list) else side.embeddings


def short_table(spec):
    for side in sides_of(spec):
        side.position_encodings.encodings = side.position_encodings.encodings[:96]


def marian_positions(spec):
    """Those that Marian itself computes, which its converter takes for other ones."""
    width = vectors_of(spec.decoder).weight.shape[1]
    angles = numpy.outer(numpy.arange(96), 10000.0 ** (-numpy.arange(width // 2) / (width // 2 - 1)))
    for side in sides_of(spec):
        side.position_encodings.encodings = numpy.concatenate([numpy.sin(angles), numpy.cos(angles)], 1).astype(numpy.float32)


def no_table(spec):
    """As the converter of OpenNMT-tf leaves it."""
    for side in sides_of(spec):
        side.position_encodings.encodings = OPTIONAL


def factor(spec, number):
    """As the converters of fairseq and transformers say it."""
    short_table(spec)
    for side in sides_of(spec):
        side.scale_embeddings = float(number)


def no_end(spec):
    """As the converter of OpenNMT-py says it."""
    short_table(spec)
    settings(spec, "source_eos", False)


def begins_with_the_end(spec):
    """As the converter of fairseq says it."""
    short_table(spec)
    spec.decoder.start_from_zero_embedding = False
    if hasattr(spec, "with_target_bos"):
        spec.with_target_bos = False
    else:
        spec.config.decoder_start_token = spec.config.eos_token


def settings(spec, name, value):
    if hasattr(spec, f"with_{name}"):  # before 3.0
        setattr(spec, f"with_{name}", value)
    else:
        setattr(spec.config, f"add_{name}", value)


VARIANTS = {
    "": lambda spec: None,
    "short-table": short_table,
    "marian-positions": marian_positions,
    "no-table": no_table,
    "factor-root": lambda spec: factor(spec, numpy.sqrt(vectors_of(spec.decoder).weight.shape[1])),
    "factor-other": lambda spec: factor(spec, 4.5),
    "no-end": no_end,
    "begins-with-the-end": begins_with_the_end,
}


def with_one_zero(opus, folder):
    """Marian 1.12 fills its options up with zeros, and the converters read those of before, which end with one."""
    trimmed = folder / "opus"
    trimmed.mkdir()
    for path in Path(opus).iterdir():
        if path.suffix != ".npz":
            (trimmed / path.name).write_bytes(path.read_bytes())
            continue
        with numpy.load(path) as file:
            arrays = {name: file[name] for name in file.files}
        options = arrays["special:model.yml"].tobytes().rstrip(b"\0") + b"\0"
        numpy.savez(trimmed / path.name, **{**arrays, "special:model.yml": numpy.frombuffer(options, numpy.int8)})
    return trimmed


def make(folder, opus, variant, quantization):
    class Converter(OpusMTConverter):
        def _load(self):
            spec = super()._load()
            VARIANTS[variant](spec)
            return spec

    Converter(str(with_one_zero(opus, folder))).convert(str(folder / "model"), quantization=quantization or None)
    for side in ("source", "target"):
        (folder / "model" / f"{side}.spm").write_bytes((Path(opus) / f"{side}.spm").read_bytes())


def opened(folder):
    sides = [sentencepiece.SentencePieceProcessor(model_file=str(folder / "model" / f"{side}.spm")) for side in ("source", "target")]
    exact = {"float", "float32"} & ctranslate2.get_supported_compute_types("cpu")  # the same, by its name of then and now
    model = ctranslate2.Translator(str(folder / "model"), device="cpu", compute_type=min(exact), intra_threads=1)
    return model, sides


def translate(folder, lines, beam):
    model, (source, target) = opened(folder)
    search = {"beam_size": beam, "length_penalty": 0, "min_decoding_length": 0}
    for line in lines:
        pieces = source.encode(line, out_type=str)
        found = model.translate_batch([pieces], max_decoding_length=3 * len(pieces) + 10, **search)
        yield target.decode(found[0].hypotheses[0])


def score(folder, sources, targets):
    model, sides = opened(folder)
    cut = [[side.encode(line, out_type=str) for line in lines] for side, lines in zip(sides, (sources, targets))]
    return [sum(one.log_probs) for one in model.score_batch(*cut)]


ACTIONS = {"make": make, "translate": lambda *given, **named: list(translate(*given, **named)), "score": score}
request = json.load(sys.stdin)
action = ACTIONS[request.pop("action")]
print(json.dumps(action(Path(request.pop("folder")), **request)))
