#!/usr/bin/env python3
"""One sitting at a machine with a GPU: every question about heed there in ten minutes, and one Markdown table (docs/gpu.md).

  python3 tests/benchmarks/gpu.py --minutes 9                       # of a build, after ./run gpu: runs/gpu/report.md
  python3 tests/benchmarks/gpu.py --minutes 9 --heed FOLDER         # of what ./run gpu-bundle made
  python3 tests/benchmarks/gpu.py --only best,compiled --minutes 7  # these parts
  python3 tests/benchmarks/gpu.py --device cpu --minutes 30         # a rehearsal: every command, as small as it can be

Parts come in order of value, each with a limit; the table is written after each row, and says what was left out. It needs
data/multi30k (python3 data_scripts/multi30k.py), for the PyTorch loop a Python with torch, and its first run, or --prepare,
one with sentencepiece. A command that fails is a row with the last line of its error; all that it printed is in logs/ beside
the report. Exit code 1: there is no GPU, a command failed, or a loss, a translation or bits are others than they should be.
A missed goal of speed is only said.
"""
import argparse
import os
import pathlib
import platform
import re
import shlex
import subprocess
import sys
import time

import gpu_parts
import gpu_program
import gpu_steps
import sitting
from gpu_program import ROOT


def output_of(command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def gpus_of(listed, visible):
    """The number of GPUs that a process sees, by `nvidia-smi -L` and CUDA_VISIBLE_DEVICES."""
    if visible is not None:
        return len([one for one in visible.split(",") if one.strip()])
    return len(re.findall(r"^GPU \d+:", listed, flags=re.M))


def commit(heed):
    """The commit of the program's bundle, which has no repository, or of this checkout."""
    file = heed.parents[1] / "COMMIT"
    return file.read_text(encoding="utf-8").strip() if file.is_file() else \
        output_of(["git", "describe", "--always", "--dirty"]) or "unknown"


def head(at, heed):
    """The lines above the table: what everything was run on."""
    cards = output_of(["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"])
    value = {name: text for name, (_, text) in at.doctor.items()}
    lines = [f"heed {value.get('heed')}, commit {commit(heed)}, LibTorch {value.get('LibTorch')}, "
             f"{time.strftime('%Y-%m-%d %H:%M')}",
             f"GPUs (name, memory, driver): {'; '.join(cards.splitlines()) or value.get('GPU')}",
             f"host: {value.get('CPU')}, {platform.machine()}, Linux {platform.release()}"]
    if at.small:
        lines.append("A REHEARSAL on a CPU: every number is of tiny models, and says nothing")
    return "# heed on a GPU\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"


def shown(command):
    """The command as one would type it in the folder of the checkout."""
    text = shlex.join(str(word) for word in command).replace(f"{ROOT}/", "")
    return re.sub("^reference ", "python3 tests/benchmarks/reference.py ", text)


def prepare(programs, data):
    """Makes what heed and reference.py read in common, in data/gpu: the vocabulary, and the ids of its pieces."""
    source, target = data / "train.de", data / "train.en"
    if not source.is_file():
        sys.exit("gpu.py: there is no data/multi30k; python3 data_scripts/multi30k.py makes it")
    folder = data.parent / "gpu"
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary, ids = folder / "joint.spm", folder / "ids.json.gz"
    makers = ((vocabulary, ["heed", "vocab", source, target, "--size", 8000, "-o", vocabulary]),
              (ids, ["reference", "--source", source, "--target", target, "--vocabulary", vocabulary, "--save-ids", ids]))
    for file, maker in makers:
        if not file.is_file():
            command, environment = programs.start(maker)
            try:
                sitting.run(command, 300, folder / f"{file.name}.log", ROOT, environment)
            except sitting.Ended as problem:
                print(f"gpu.py: {file} cannot be made: {problem}", file=sys.stderr)


def doctor_of(programs):
    try:
        done = subprocess.run([programs.heed, "doctor"], cwd=ROOT, capture_output=True, text=True, check=False,
                              env=programs.environment, timeout=180)
    except (OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"gpu.py: heed doctor: {error}")
    return gpu_steps.doctor_lines(done.stdout), done.stderr


def require_gpu(doctor, said):
    if not doctor.get("GPU", (False,))[0]:
        reason = doctor["GPU"][1] if "GPU" in doctor else sitting.last_line(said)
        warned = [line for line in said.splitlines() if "GPU" in line]
        sys.exit("\n".join([f"gpu.py: there is no GPU to measure: heed doctor says: {reason}", *warned]))


def chosen(parts, only):
    """The parts that are named, in their order; without names all that are not for later."""
    if only is None:
        return [part for part in parts if not part.later]
    names = only.split(",")
    if unknown := set(names) - {part.name for part in parts}:
        sys.exit(f"gpu.py: --only: there is no {', '.join(sorted(unknown))}; there are "
                 f"{', '.join(part.name for part in parts)}")
    return [part for part in parts if part.name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heed", type=pathlib.Path, default=gpu_program.default(),
                        help="the program, the folder of its build, or a bundle")
    parser.add_argument("--minutes", type=float, default=9, help="for all parts together")
    parser.add_argument("--only", help="parts, separated by commas")
    parser.add_argument("--gpus", type=int, default=0, help="so many of them (default: all)")
    parser.add_argument("--device", default="cuda", help="cuda, cuda:N, or cpu for a rehearsal")
    parser.add_argument("--python", default=sys.executable, help="one with torch, for reference.py and a bundle")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("runs/gpu"))
    parser.add_argument("--prepare", action="store_true", help="only make what all commands read (data/gpu)")
    args = parser.parse_args()
    begin = time.monotonic()  # the first command, which loads CUDA's libraries from the disk, counts, too
    try:
        programs = gpu_program.Programs(args.heed, args.python)
    except FileNotFoundError as problem:
        sys.exit(f"gpu.py: {problem}")
    small, data = args.device == "cpu", ROOT / "data/multi30k"
    if args.prepare:
        prepare(programs, data)
        return
    at = gpu_steps.Setting(
        device=args.device, folder=ROOT / args.output, data=data, small=small,
        config=f"tests/benchmarks/{'gpu_small' if small else 'gpu'}.yaml", has_test_devices=programs.test_devices.is_file(),
        gpus=args.gpus or gpus_of(output_of(["nvidia-smi", "-L"]), os.environ.get("CUDA_VISIBLE_DEVICES")) or 1)
    parts = chosen(gpu_parts.parts_of(at), args.only)
    at.folder.mkdir(parents=True, exist_ok=True)
    programs.find_sacrebleu(at.folder)
    at.doctor, said = doctor_of(programs)
    if not small:
        require_gpu(at.doctor, said)
    if not programs.bench.is_file():
        sys.exit(f"gpu.py: there is no program {programs.bench}; it is built with the tests: cmake --preset release "
                 "-DHEED_TESTS=ON && cmake --build --preset release --target bundle")
    prepare(programs, data)
    one = sitting.Sitting(at.folder / "report.md", 60 * args.minutes, head(at, programs.heed), programs.start, shown, ROOT, begin=begin,
                          patience=4 if small else 1)
    one.run(parts)
    print(one.report())
    print(f"written to {one.path}", file=sys.stderr)
    sys.exit(0 if one.good else 1)


if __name__ == "__main__":
    main()
