"""The program that gpu.py runs: that of a build, or of a folder that `./run gpu-bundle` made."""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The folder of its libraries and its version, without loading it, which takes seconds.
TORCH = """\
import importlib.metadata, importlib.util, os
print(os.path.join(*importlib.util.find_spec('torch').submodule_search_locations, 'lib'))
try:
    print(importlib.metadata.version('torch'))
except importlib.metadata.PackageNotFoundError:
    print('')
"""


def default():
    """The program of this bundle, or outside of a bundle that of the build."""
    return ROOT if (ROOT / "bin/heed").is_file() else ROOT / "build/release"


class Programs:
    """`place` is the program heed or a folder that has it; `python` has the torch that a bundle uses, and runs reference.py."""

    def __init__(self, place, python=sys.executable):
        self.python, place = str(python), pathlib.Path(place)
        self.heed = next((path for path in (place / "bin/heed", place / "heed", place) if path.is_file()), None)
        if not self.heed:
            raise FileNotFoundError(f"there is no program heed in {place}; ./run gpu builds it")
        self.heed = self.heed.resolve()
        self.bench, self.test_devices = (self.heed.with_name(name) for name in ("heed-bench", "test_devices"))
        self.environment = dict(os.environ)
        libraries = self.heed.parents[1] / "lib"
        if self.heed.parent.name == "bin" and libraries.is_dir():
            self.environment["LD_LIBRARY_PATH"] = f"{libraries}:{self.libtorch()}"

    def libtorch(self):
        found = subprocess.run([self.python, "-c", TORCH], capture_output=True, text=True, check=False)
        if found.returncode:
            raise FileNotFoundError(f"{self.python} has no torch, whose libraries the program needs; --python names another")
        folder, version = found.stdout.split("\n")[:2]
        series = self.heed.parents[1] / "TORCH"
        needed = series.read_text(encoding="utf-8").strip() if series.is_file() else ""
        if needed and version and not version.startswith(f"{needed}."):
            raise FileNotFoundError(f"{self.python} has torch {version}, and the program needs {needed}; --python names another")
        return folder

    def find_sacrebleu(self, folder):
        """Tells heed of the sacrebleu of `python`, where none is on the PATH; a script in `folder` where it is a module alone."""
        if "HEED_SACREBLEU" in self.environment or shutil.which("sacrebleu"):
            return
        program = pathlib.Path(self.python).with_name("sacrebleu")
        if not program.is_file():
            if subprocess.run([self.python, "-c", "import sacrebleu"], capture_output=True, check=False).returncode:
                return  # heed looks in other places, too
            program = (pathlib.Path(folder) / "sacrebleu").resolve()
            program.write_text(f'#!/bin/sh\nexec "{self.python}" -m sacrebleu "$@"\n', encoding="utf-8")
            program.chmod(0o755)
        self.environment["HEED_SACREBLEU"] = str(program)

    def start(self, command):
        """Words and environment of a command whose first word is heed, heed-bench, test_devices or reference."""
        name, *words = map(str, command)
        if name == "reference":
            return [self.python, str(ROOT / "tests/benchmarks/reference.py"), *words], None
        return [str(self.heed.with_name(name)), *words], self.environment
