"""Environments of Python, one for each version of a program, and never heed's own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# Prints which of the given pins are not installed.
MISSING = """
import importlib.metadata, sys
for pin in sys.argv[1:]:
    name, _, version = pin.partition("==")
    try:
        if importlib.metadata.version(name) != version:
            print(pin)
    except importlib.metadata.PackageNotFoundError:
        print(pin)
"""


class Unavailable(Exception):
    """This machine cannot have the environment; the text says why."""


def version_of(python):
    try:
        command = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def python_of(version):
    """A Python of the version: on PATH, or one of pyenv's, whether it is chosen there or not."""
    if not version:
        return sys.executable
    roots = [Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))]
    found = [sys.executable, shutil.which(f"python{version}")]
    found += [path for root in roots for path in sorted(root.glob(f"versions/{version}.*/bin/python"))]
    for python in found:
        if python and version_of(python) == version:
            return str(python)
    raise Unavailable(f"there is no python{version} on PATH, nor in {roots[0]}/versions")


def missing(python, pins):
    done = subprocess.run([python, "-c", MISSING, *pins], capture_output=True, text=True, timeout=60)
    return done.stdout.split() if done.returncode == 0 else list(pins)


def pip(python, *arguments):
    command = [python, "-m", "pip", "install", "--disable-pip-version-check", "--quiet", *arguments]
    if subprocess.run(command, stdout=sys.stderr).returncode != 0:
        raise Unavailable(f"pip could not install: {' '.join(arguments)}")


def environment(program, folder, say=lambda line: None):
    """The Python of a program's environment, which is made or completed where it has not all packages of the program. Throws
    Unavailable."""
    home = folder / program.folder
    python = home / "bin/python"
    wanted = program.bare + program.packages
    if python.exists() and not missing(python, wanted):
        return str(python)
    say(f"{program.name} {program.version}: packages for {home}: {' '.join(wanted)}")
    if not version_of(python):
        done = subprocess.run([python_of(program.python), "-m", "venv", "--clear", home], stdout=sys.stderr)
        if done.returncode != 0:
            raise Unavailable(f"python -m venv {home} failed")
    if program.bare:
        pip(python, "--no-deps", *program.bare)
    pip(python, *program.packages)
    if left := missing(python, wanted):
        raise Unavailable(f"{home} still has not {' '.join(left)}")
    return str(python)
