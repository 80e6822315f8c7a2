"""A checkout in which `run` fetches and builds nothing: what it starts for that is played by small scripts."""
import os
import pathlib
import re
import shutil
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The programs of an empty machine. With MISSING in the environment no Debian package is installed, with BROKEN none can be, and
# with STALE a list of packages cannot be fetched. CMAKE and PYTHON are versions.
PROGRAMS = {
    "bin/dpkg-query": '[ -z "$MISSING" ] && echo "install ok installed"',
    "bin/sudo": 'exec "$@"',
    "bin/apt-get": """\
echo "Reading package lists..."
case "$1" in
  update)
    echo "Get:1 http://mirror.example/debian bookworm InRelease [151 kB]"
    [ -z "$STALE" ] || exit 100 ;;
  install)
    [ -z "$BROKEN" ] || exit 100
    echo "Need to get 907 kB of archives."
    echo "Get:1 http://mirror.example/debian bookworm/main amd64 zsh amd64 5.9-4 [907 kB]"
    echo "Fetched 907 kB in 1s (1,234 kB/s)"
    echo "Setting up zsh (5.9-4) ..." ;;
esac""",
    # All components of the build at once, as the tests have staged them.
    "bin/cmake": """\
case "$1 $6" in
  "--version ") echo "cmake version ${CMAKE:-3.25.1}" ;;
  "--install program") exec cp -al "$STAGED/." "$4" ;;
esac""",
    # Its version, or pip, which writes down what it was called with.
    ".venv/bin/python3": """\
case "$1" in
  -c) echo "${PYTHON:-3.11}" ;;
  *)
    echo "$*" >> "${0%/bin/python3}/calls"
    echo "Collecting torch"
    echo "  Downloading torch-2.11.0-cp311-none-linux_x86_64.whl (123.4 MB)" ;;
esac""",
}
# heed, as far as `run demo` needs it: bottleneck trains one model, where there is none, and keeps the sums of what it was
# trained on as heed does.
TRAINER = """\
#!/usr/bin/env python3
import hashlib
import json
import pathlib
import sys

run = pathlib.Path("runs/demo/none")
if sys.argv[1] == "bottleneck" and not run.exists():
    run.mkdir(parents=True)
    files = [pathlib.Path("data/demo", name) for name in ("train.src", "train.tgt", "valid.src", "valid.tgt")]
    corpora = [{"path": str(file), "bytes": file.stat().st_size, "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
               for file in files]
    (run / "provenance.json").write_text(json.dumps({"corpora": corpora}, indent=2))
"""
# The output of sacrebleu, as heed asks it.
SCORES = '[{"name": "BLEU", "score": 100.0, "signature": "", "verbose_score": ""}, ' \
         '{"name": "chrF2", "score": 100.0, "signature": ""}]'


def write_wheel(folder, name, version):
    """A Python package that has nothing but a program of its name, which prints scores."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"def main():\n    print('{SCORES}')\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {name}:main\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: heed\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": f"{info}/RECORD,,\n",
    }
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)


def add_demo(folder):
    """Puts into a checkout what `run demo` starts: the generator of the corpus, which writes a small one, and a program."""
    shutil.copytree(ROOT / "data_scripts", folder / "data_scripts", ignore=shutil.ignore_patterns("__pycache__"))
    generator = folder / "data_scripts/demo_corpus.py"
    lines = generator.read_text(encoding="utf-8")
    generator.write_text(re.sub(r"default=\d{3,}", "default=20", lines), encoding="utf-8")  # lines of each file
    program = folder / "build/release/heed"
    program.write_text(TRAINER)
    program.chmod(0o755)


def make(folder, staged):
    """Makes the checkout in a folder that is not there yet; the environment for its `run`. `staged` is what install.sh made of
    the build, on the same file system."""
    for path in ("run", "CMakeLists.txt", "cmake/packaging/install.sh"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    (folder / "build/release").mkdir(parents=True)
    for path, lines in PROGRAMS.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(f"#!/bin/sh\n{lines}\n")
        (folder / path).chmod(0o755)
    wheels = folder / "wheels"
    wheels.mkdir()
    scoring = re.search(r"^SCORING=\((.*)\)$", (ROOT / "run").read_text(encoding="utf-8"), flags=re.M).group(1)
    for wanted in scoring.split():
        name, _, version = wanted.partition("==")
        write_wheel(wheels, name, version or "1.0")
    return {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/bash",
        "CUDA_VISIBLE_DEVICES": "",
        "STAGED": str(staged),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels.as_uri(),  # pip takes a blank for the end of a path
    }
