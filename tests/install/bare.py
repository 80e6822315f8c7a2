#!/usr/bin/env python3
"""Tries what `./run wheel`, `./run tarball` and `./run gpu-bundle` made where nothing else is: the package in a new virtual
environment, the others in a root folder that has glibc, libstdc++, sha256sum and nothing more, the bundle also with a shell
and a Python that has the torch of the build, CUDA's libraries and sacrebleu. All: heed doctor, ten updates, a translation.

    python3 tests/install/bare.py --wheel build/release/dist/heed-*.whl        # fetches 0.6 GB from PyPI
    sudo python3 tests/install/bare.py --tarball build/release/dist/heed-*.tar.gz
    sudo python3 tests/install/bare.py --bundle FOLDER --python /some/environment/bin/python3
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv

import toy

# The packages that docs/install.md names for machines without a GPU, of the default LibTorch.
TORCH = ("torch==2.11.0", "nvidia-cuda-runtime==13.0.96", "nvidia-cuda-cupti==13.0.85")
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/bin", "LANG": "C.UTF-8"}


def run(command, status=0, **options):
    print("  $", " ".join(map(str, command)), flush=True)
    done = subprocess.run(list(map(str, command)), text=True, **options)
    if done.returncode != status:
        sys.exit(f"status {done.returncode}\n{done.stderr or ''}")
    return done


def use(start, folder, healthy=True, **options):
    """Doctor, ten updates and a translation, each command after `start`, with the toy's files in `folder`."""
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
    """The libraries that the loader takes for it from elsewhere than the folders `own`, the loader itself included."""
    listed = subprocess.run(["ldd", file], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout
    paths = re.findall(r"^\s(?:.+ => )?(/.+) \(0x", listed, flags=re.M)
    return [pathlib.Path(path) for path in paths
            if not any(pathlib.Path(path).resolve().is_relative_to(each.resolve()) for each in own)]


def make_root(folder, files, own, shared=()):
    """Files with the libraries that they need, those in the folders `own` apart, at their places in a root folder; the folders
    `shared` are seen in it. Returns the words that start a command there."""
    for file in {*files, *(path for file in (*files, *(library for each in own for library in each.rglob("*.so*")))
                           for path in system_libraries(file, own))}:
        copy = folder / str(file).lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    for name in ("tmp", "proc", "dev", *(str(path).lstrip("/") for path in shared)):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # The loader finds the program's folder by /proc, and LibTorch opens /dev/urandom. The mounts go with the namespace.
    mounts = [f"mount --bind {shlex.quote(str(path))} \"$0\"{shlex.quote(str(path))}" for path in ("/dev", *shared)]
    enter = " && ".join(['mount -t proc proc "$0/proc"', *mounts, 'exec chroot "$0" "$@"'])
    return ["unshare", "--mount", "sh", "-c", enter, folder]


def try_tarball(tarball, folder):
    run(["tar", "-xf", tarball, "-C", folder])
    (program,) = folder.glob("heed-*/bin/heed")
    own = program.parents[1].resolve()
    start = make_root(folder, [pathlib.Path("/usr/bin/sha256sum")], [own])
    use([*start, "/" + str(program.relative_to(folder))], folder, healthy=False, env=ENVIRONMENT)  # no sacrebleu: no Python


def try_bundle(bundle, python, folder):
    shutil.copytree(bundle, folder / "bundle")
    say = "import sys, sysconfig; print(sysconfig.get_path('platlib'), *{sys.prefix, sys.base_prefix})"
    site, *prefixes = map(pathlib.Path, run([python, "-c", say], capture_output=True).stdout.split())
    tools = [pathlib.Path(name) for name in ("/bin/sh", "/usr/bin/dirname", "/usr/bin/env", "/usr/bin/sha256sum")]
    own = [folder / "bundle", *(site / name for name in ("torch/lib", "nvidia", "lxml", "numpy")),
           *(path for prefix in prefixes for path in prefix.glob("lib/python3*/lib-dynload"))]
    start = make_root(folder, tools, own, prefixes)
    options = {"env": ENVIRONMENT | {"PYTHON": str(python)}}
    heed = [*start, "/bundle/heed"]
    use(heed, folder, healthy=False, **options)
    said = run([*heed, "train", "toy.yaml", "--overwrite", "--set", "device=cuda"], 2, capture_output=True, **options).stderr
    if "no GPU is visible" not in said:  # which is asked of CUDA's libraries once they are loaded
        sys.exit(f"CUDA's libraries do not load: {said}")
    script = [*start, python, "/bundle/tests/benchmarks/gpu.py", "--device", "cpu", "--minutes", "1.5", "--only", "doctor"]
    run(script, **options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--tarball", type=pathlib.Path)
    parser.add_argument("--bundle", type=pathlib.Path)
    parser.add_argument("--python", type=pathlib.Path, default=sys.executable, help="for --bundle: the Python with torch")
    args = parser.parse_args()
    if (args.tarball or args.bundle) and os.geteuid() != 0:
        sys.exit("chroot needs root: put sudo before the command")
    def try_bundle_with_python(bundle, folder):
        try_bundle(bundle, args.python, folder)

    for attempt, file in ((try_wheel, args.wheel), (try_tarball, args.tarball), (try_bundle_with_python, args.bundle)):
        if file is None:
            continue
        with tempfile.TemporaryDirectory(prefix="heed bare ") as folder:
            print(file.name, flush=True)
            attempt(file.resolve(), pathlib.Path(folder))
            print("  works", flush=True)


if __name__ == "__main__":
    main()
