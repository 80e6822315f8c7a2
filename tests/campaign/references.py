"""Runs that nothing disturbed. Each is made once for a heed and a configuration, and kept in the work folder."""
import fcntl
import hashlib
import json
import pathlib
import re
import shutil
import tempfile
import threading
import time

import process
import toy

_lock = threading.RLock()  # a command may be of another run that is kept


class Reference:
    """A finished run: where it is, how many seconds it took, and its counted calls on files of the run: (call, path)."""

    def __init__(self, folder):
        self.folder, self.run = folder, folder / "run"
        self.seconds = json.loads((folder / "seconds").read_text(encoding="utf-8"))
        self.calls = []
        for line in (folder / "calls").read_text(encoding="utf-8").splitlines():
            _, _, call, path = line.split(" ", 3)
            self.calls.append((call, re.sub(r"\.tmp\.\d+$", "", path.partition("/run")[2].lstrip("/"))))


def _hash(*pieces):
    return hashlib.sha256(b"".join(pieces)).hexdigest()[:16]


def _home(work):
    """References of this heed; those of an older one are removed."""
    home = work / "references" / _hash(*(path.read_bytes() for path in (toy.HEED, toy.SCORER, toy.HERE / "toy.py")))
    home.parent.mkdir(parents=True, exist_ok=True)
    with open(work / "references.lock", "w", encoding="utf-8") as lock:  # tests of one work folder run side by side
        fcntl.flock(lock, fcntl.LOCK_EX)
        home.mkdir(exist_ok=True)
        for other in home.parent.iterdir():
            if other != home:
                shutil.rmtree(other)
    return home


def make(work, name, text_of, command):
    """The kept run of `command(config)`, whose configuration is text_of(folder of the run)."""
    with _lock:
        home = _home(work)
        kept = home / f"{name}-{_hash(text_of('OUTPUT').encode())}"
        if kept.exists():
            return Reference(kept)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="making-", dir=home))
        (folder / "run.yaml").write_text(text_of(folder / "run"), encoding="utf-8")
        counted, arguments = process.disturbed([folder / "run"], folder / "calls"), command(folder / "run.yaml")
        begin = time.monotonic()
        status, said = process.run(arguments, folder / "console", counted)
        if status != 0:
            raise RuntimeError(f"{name}: a run that nothing disturbs ends with {status}:\n{said}")
        (folder / "seconds").write_text(json.dumps(time.monotonic() - begin), encoding="utf-8")
        try:
            folder.rename(kept)
        except OSError:  # another process was quicker
            shutil.rmtree(folder)
        return Reference(kept)


def training(work, name, **changes):
    corpora = toy.write_corpora(work / "corpora")
    return make(work, name, lambda run: toy.config_text(name, corpora, run, **changes),
                lambda config: ["train", config])
