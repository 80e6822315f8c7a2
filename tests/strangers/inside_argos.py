"""Argos Translate: packs a model as its packages are, installs the package and translates with it. Runs in argostranslate's
environment; asked by program_argos.py. Its sentence splitters want to download models, and each line is a sentence here: a splitter
of this file takes their place."""

import json
import os
import sys
import types
import zipfile
from pathlib import Path

request = json.load(sys.stdin)
folder = Path(request.pop("folder"))
os.environ.update({name: str(folder / "home") for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")})
os.environ.update({"ARGOS_COMPUTE_TYPE": "float32", "ARGOS_DEVICE_TYPE": "cpu"})


class OneSentence:
    def __init__(self, *_, **__):
        pass

    def sentences(self, text):
        return [text]


minisbd = types.ModuleType("minisbd")
minisbd.SBDetect, minisbd.models = OneSentence, types.SimpleNamespace(cache_dir="", list_models=lambda: ["en"])
sys.modules.update({"minisbd": minisbd, "stanza": types.ModuleType("stanza")})

import ctranslate2  # noqa: E402
import numpy  # noqa: E402
import sentencepiece  # noqa: E402
from argostranslate import package, settings, translate  # noqa: E402
from ctranslate2.converters import MarianConverter  # noqa: E402


def pack(marian, end):
    """`marian`: a folder with a model.npz and one SentencePiece file, whose ids are the model's. `end`: whether sources have </s>.
    OpenNMT-py's models, which packages hold, were trained without."""

    class Converter(MarianConverter):
        def _load(self):
            spec = super()._load()
            for side in (spec.encoder, spec.decoder):
                side.position_encodings.encodings = side.position_encodings.encodings[:96]
            spec.config.add_source_eos = end
            return spec

    (segments,) = Path(marian).glob("*.spm")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(segments))
    named = [f"{json.dumps(pieces.id_to_piece(i), ensure_ascii=False)}: {i}\n" for i in range(pieces.get_piece_size())]
    (folder / "vocab.yml").write_text("".join(named), encoding="utf-8")
    with numpy.load(Path(marian) / "model.npz") as file:
        arrays = {name: file[name] for name in file.files}
    # Marian 1.12 fills its options up with zeros, and the converter reads those of before, which end with one.
    options = arrays["special:model.yml"].tobytes().rstrip(b"\0") + b"\0"
    numpy.savez(folder / "one_zero.npz", **{**arrays, "special:model.yml": numpy.frombuffer(options, numpy.int8)})
    Converter(str(folder / "one_zero.npz"), [str(folder / "vocab.yml")] * 2).convert(str(folder / "converted"))
    described = {
        "package_version": "1.0", "argos_version": "1.11.0", "from_code": "de", "from_name": "German", "to_code": "en",
        "to_name": "English",
    }  # fmt: skip
    with zipfile.ZipFile(folder / "de_en.argosmodel", "w") as archive:
        archive.writestr("translate-de_en-1_0/metadata.json", json.dumps(described))
        archive.write(segments, "translate-de_en-1_0/sentencepiece.model")
        for path in sorted((folder / "converted").iterdir()):
            archive.write(path, f"translate-de_en-1_0/model/{path.name}")
    package.install_from_path(folder / "de_en.argosmodel")


def install(package_file):
    package.install_from_path(package_file)


def translated(lines, beam):
    settings.beam_size = beam
    languages = {language.code: language for language in translate.get_installed_languages()}
    translation = languages["de"].get_translation(languages["en"])
    return [translation.translate(line) for line in lines]


def score(sources, targets):
    (installed,) = package.get_installed_packages()
    model = ctranslate2.Translator(str(installed.package_path / "model"), device="cpu", compute_type="float32")
    cut = [[installed.tokenizer.encode(line) for line in lines] for lines in (sources, targets)]
    return [sum(one.log_probs) for one in model.score_batch(*cut)]


ACTIONS = {"pack": pack, "install": install, "translate": translated, "score": score}
print(json.dumps(ACTIONS[request.pop("action")](**request)))
