"""LibreTranslate with a model of heed: `heed export` converts it for CTranslate2, and here it becomes an installed package of Argos
Translate, whose library LibreTranslate translates with. Nothing is downloaded:

- An installation with fewer than two packages asks the network for others when it starts. A second package without languages makes
  it two.
- Its usual splitter of sentences, MiniSBD, fetches a network for each language. ARGOS_CHUNK_TYPE=SPACY takes spaCy in its place,
  whose rules need no file but those of spacy.blank("xx"), and take less time. Only the package of spaCy is needed; it, too, is
  looked for before a download, in a cache that must not be empty.

LibreTranslate is a Python of its own: pip install libretranslate==1.9.6 spacy libretranslatepy==2.1.4
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

BEAM, ALPHA = 4, 0.2  # the search of Argos Translate 1.11 and 1.12: beams, and the exponent of its length penalty
SPACY_CODE = "import spacy, sys; spacy.blank('xx').to_disk(sys.argv[1])"
VERSIONS_CODE = ("import importlib.metadata as m, json; print(json.dumps({p: m.version(p) for p in "
                 "('libretranslate', 'argos-translate-lt', 'ctranslate2', 'waitress', 'spacy', 'libretranslatepy')}))")
MEMORY_CODE = """
import json
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
import numpy, onnxruntime, requests
before = resident()
import spacy
spacy.blank("xx")
print(resident() - before)
"""
CLIENT_CODE = """
import json, sys
from libretranslatepy import LibreTranslateAPI
asked = json.load(sys.stdin)
api = LibreTranslateAPI(asked["url"])
print(json.dumps([api.translate(line, asked["source"], asked["target"]) for line in asked["lines"]]))
"""


def metadata(source, target):
    """metadata.json of a package that translates."""
    return {"package_version": "1.0", "argos_version": "1.11.0", "from_code": source, "from_name": source, "to_code": target,
            "to_name": target, "type": "translate"}


def make_package(exported, folder, source, target):
    """Writes the package `folder` from the folder that `heed export` wrote. The package has one SentencePiece file, so the model
    must have one vocabulary for both languages."""
    exported, folder = pathlib.Path(exported), pathlib.Path(folder)
    pieces = sorted(exported.glob("*.spm"))
    if len(pieces) != 1:
        raise SystemExit(f"{exported} has {len(pieces)} SentencePiece files, and a package of Argos Translate one; take a model with "
                         "data.vocabulary.kind: joint")
    (folder / "model").mkdir(parents=True)
    for path in exported.iterdir():
        if path.suffix != ".spm" and not path.name.startswith("."):
            shutil.copy(path, folder / "model")
    shutil.copy(pieces[0], folder / "sentencepiece.model")
    (folder / "metadata.json").write_text(json.dumps(metadata(source, target)), encoding="utf-8")


def make_home(python, exported, home, source, target):
    """Writes a home folder with the package, which is installed by lying there, and what lets LibreTranslate start without a
    network."""
    home = pathlib.Path(home)
    packages = home / ".local/share/argos-translate/packages"
    package = packages / f"translate-{source}_{target}-1_0"
    make_package(exported, package, source, target)
    subprocess.run([python, "-c", SPACY_CODE, str(package / "spacy")], check=True)
    (packages / "nothing").mkdir()
    (packages / "nothing/metadata.json").write_text(json.dumps({"type": "nothing"}), encoding="utf-8")
    cached = home / ".cache/argos-translate/spacy/senter/model"
    cached.parent.mkdir(parents=True)
    cached.touch()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def versions(python):
    return json.loads(subprocess.run([python, "-c", VERSIONS_CODE], check=True, capture_output=True, text=True).stdout)


def memory_of_spacy(python):
    """MiB that spaCy takes in a process that has the libraries which LibreTranslate loads anyhow."""
    pages = subprocess.run([python, "-W", "ignore", "-c", MEMORY_CODE], check=True, capture_output=True, text=True).stdout
    return int(pages) * os.sysconf("SC_PAGESIZE") / 2**20


def ask_with_library(python, url, lines, source, target):
    """Translations of lines by LibreTranslate's own client, libretranslatepy."""
    asked = json.dumps({"url": url, "lines": lines, "source": source, "target": target})
    return json.loads(subprocess.run([python, "-c", CLIENT_CODE], check=True, input=asked, capture_output=True, text=True).stdout)


class LibreTranslate:
    """A running server, with its own defaults except for those above, and computing in int8, as with the packages that are
    published. `variables` are added to its environment: ARGOS_INTER_THREADS, LT_THREADS, ..."""

    def __init__(self, python, exported, source, target, variables=()):
        self.folder = tempfile.TemporaryDirectory()
        home = pathlib.Path(self.folder.name)
        make_home(python, exported, home, source, target)
        self.address = ("127.0.0.1", free_port())
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("ARGOS_", "LT_", "XDG_"))}
        environment = {**kept, "HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache"), "ARGOS_CHUNK_TYPE": "SPACY",
                       "ARGOS_COMPUTE_TYPE": "int8", **dict(variables)}
        command = [python, "-c", "from libretranslate.main import main; main()", "--host", self.address[0], "--port",
                   str(self.address[1])]
        self.log = open(home / "log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(command, cwd=home, env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        self.number = self.process.pid

    def wait(self, seconds=120):
        """Returns once it answers; ends the program where it does not."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"http://{self.address[0]}:{self.address[1]}/languages", timeout=5).read()
                return
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        self.log.seek(0)
        sys.exit("LibreTranslate did not start:\n" + self.log.read()[-2000:])

    def __enter__(self):
        self.wait()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()
