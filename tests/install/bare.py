#!/usr/bin/env python3
"""Tries what `./run wheel` and `./run tarball` made where nothing else is: the package in a new virtual environment, the
archive in a root folder that has glibc, libstdc++, sha256sum and nothing more. Both: heed doctor, ten updates, a translation.

    python3 tests/install/bare.py --wheel build/release/dist/heed-*.whl        # fetches 0.6 GB from PyPI
    sudo python3 tests/install/bare.py --tarball build/release/dist/heed-*.tar.gz
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import venv

import toy

# As docs/install.md says for machines without a GPU.
TORCH = ("torch==2.11.0", "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def run(command, status=0, **options):
    print("  $", " ".join(map(str, command)), flush=True)
    done = subprocess.run(list(map(str, command)), text=True, **options)
    if done.returncode != status:
        sys.exit(f"status {done.returncode}\n{done.stderr or ''}")
    return done


def use(start, folder, healthy=True, **options):
    """Doctor, ten updates and a translation, each command behind `start`, with the toy's files in `folder`."""
    settings = toy.write(folder)
    run([*start, "doctor"], 0 if healthy else 1, **options)
    run([*start, "--quiet", "train", settings], **options)
    lines = run([*start, "translate", "runs/toy", toy.SOURCE], capture_output=True, **options).stdout.splitlines()
    if len(lines) != toy.PAIRS:
        sys.exit(f"{len(lines)} translations of {toy.PAIRS} lines")


def try_wheel(wheel, folder):
    venv.create(folder / "environment", with_pip=True)
    pip = [folder / "environment/bin/pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--no-deps", wheel, *TORCH])
    run([*pip, "sacrebleu"])
    use([folder / "environment/bin/heed"], folder, cwd=folder, env=ENVIRONMENT)


def system_libraries(file, own):
    """What the loader takes for it from elsewhere than `own`, the loader itself included."""
    listed = subprocess.run(["ldd", file], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    paths = re.findall(r"^\s(?:.+ => )?(/.+) \(0x", listed, flags=re.M)
    return [pathlib.Path(path) for path in paths if not pathlib.Path(path).resolve().is_relative_to(own)]


def try_tarball(tarball, folder):
    run(["tar", "-xf", tarball, "-C", folder])
    (program,) = folder.glob("heed-*/bin/heed")
    own, checksums = program.parents[1].resolve(), pathlib.Path("/usr/bin/sha256sum")
    files = (program, checksums, *own.glob("lib/**/*.so*"))
    for file in {checksums, *(path for file in files for path in system_libraries(file, own))}:
        copy = folder / str(file).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    for name in ("tmp", "proc", "dev"):
        (folder / name).mkdir()
    # The loader finds the program's folder by /proc, and LibTorch opens /dev/urandom. The mounts go with the namespace.
    enter = 'mount -t proc proc "$0/proc" && mount --bind /dev "$0/dev" && exec chroot "$0" "$@"'
    start = ["unshare", "--mount", "sh", "-c", enter, folder, "/" + str(program.relative_to(folder))]
    use(start, folder, healthy=False, env=ENVIRONMENT)  # no sacrebleu, which needs Python


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--tarball", type=pathlib.Path)
    args = parser.parse_args()
    if args.tarball and os.geteuid() != 0:
        sys.exit("chroot needs root: put sudo before the command")
    for attempt, file in ((try_wheel, args.wheel), (try_tarball, args.tarball)):
        if file is None:
            continue
        with tempfile.TemporaryDirectory(prefix="heed bare ") as folder:
            print(file.name, flush=True)
            attempt(file.resolve(), pathlib.Path(folder))
            print("  works", flush=True)


if __name__ == "__main__":
    main()
