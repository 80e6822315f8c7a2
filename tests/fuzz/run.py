#!/usr/bin/env python3
"""Builds the preset `fuzz` and runs every target in turn; ends with a table of what was found.

    tests/fuzz/run.py --minutes 60                      all targets, four minutes each
    tests/fuzz/run.py --minutes 5 --targets yaml zstd   only these

With GCC a driver of our own makes the inputs, with clang (16 or newer) libFuzzer:

    tests/fuzz/run.py --minutes 60 --compiler clang++-16

Inputs that show a fault are left in build/fuzz/findings. Once it is cured, such an input goes into
tests/fuzz/regressions/TARGET, where ctest runs it again."""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / "tests/fuzz"
BUILD = ROOT / "build/fuzz"
FINDINGS = BUILD / "findings"
MOST_FINDINGS = 20  # of one target: then it is known to be broken


def targets():
    """Name of each target and the program that has it."""
    names = {path.stem: "fuzz_text" for path in (HOME / "targets").glob("*.cpp")}
    names |= {path.stem: "fuzz_torch" for path in (HOME / "targets/torch").glob("*.cpp")}
    return dict(sorted(names.items()))


def build(compiler, programs):
    """Returns whether the programs are libFuzzer's."""
    configure = ["cmake", "--preset", "fuzz"]
    if compiler:
        configure.append(f"-DCMAKE_CXX_COMPILER={compiler}")
    subprocess.run(configure, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    cache = (BUILD / "CMakeCache.txt").read_text()
    clang = re.search(r"^CMAKE_CXX_COMPILER:.*clang", cache, flags=re.M) is not None
    wanted = ["fuzz"] if clang else sorted(programs)
    subprocess.run(["cmake", "--build", BUILD, "--target", *wanted], cwd=ROOT, check=True)
    return clang


def environment():
    # A header that lies about sizes must not be believed: more than 2 GiB at once is a finding.
    limits = "max_allocation_size_mb=2048:hard_rss_limit_mb=4096:detect_stack_use_after_return=0"
    return {**os.environ, "ASAN_OPTIONS": limits, "UBSAN_OPTIONS": "print_stacktrace=1",
            "OMP_NUM_THREADS": "1"}


def command(name, program, libfuzzer, seconds, seed):
    if not libfuzzer:
        return [BUILD / program, name, "--seconds", str(seconds), "--seed", str(seed),
                "--findings", FINDINGS]
    corpus = BUILD / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    given = [folder / name for folder in (HOME / "seeds", HOME / "regressions")]
    words = HOME / f"dictionaries/{name}.txt"
    return [BUILD / f"libfuzzer_{name}", corpus, *filter(pathlib.Path.exists, given),
            f"-max_total_time={seconds}", f"-seed={seed}", "-timeout=10", "-rss_limit_mb=4096",
            "-print_final_stats=1", f"-artifact_prefix={FINDINGS}/{name}-{seed}-",
            *([f"-dict={words}"] if words.exists() else [])]


def executions(output):
    numbers = re.findall(r": (\d+) executions|number_of_executed_units: (\d+)", output)
    return sum(int(ours or theirs) for ours, theirs in numbers)


def fuzz(name, program, libfuzzer, minutes):
    """Executions and findings of one target; after a finding it goes on with another seed."""
    end, runs, findings, seed = time.monotonic() + 60 * minutes, 0, 0, 1
    while findings < MOST_FINDINGS and (left := round(end - time.monotonic())) > 0:
        log = FINDINGS / f"{name}-{seed}.log"
        with open(log, "wb") as file:
            done = subprocess.run(command(name, program, libfuzzer, left, seed), stdout=file,
                                  stderr=subprocess.STDOUT, env=environment())
        output = log.read_text(errors="replace")
        runs += executions(output)
        if done.returncode == 0:
            log.unlink()
        else:
            findings += 1
            print(f"{name}: a finding; see {log.relative_to(ROOT)}", flush=True)
        seed += 1
    return runs, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--minutes", type=float, default=60, help="of all targets together")
    parser.add_argument("--targets", nargs="+", help="only these")
    parser.add_argument("--compiler", help="a clang++ of version 16 or newer, for libFuzzer")
    arguments = parser.parse_args()
    known = targets()
    unknown = set(arguments.targets or ()) - set(known)
    if unknown:
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    chosen = {name: known[name] for name in arguments.targets or known}
    libfuzzer = build(arguments.compiler, set(chosen.values()))
    FINDINGS.mkdir(exist_ok=True)
    rows = []
    for name, program in chosen.items():
        start = time.monotonic()
        runs, findings = fuzz(name, program, libfuzzer, arguments.minutes / len(chosen))
        rows.append((name, f"{runs:,}", str(findings), f"{(time.monotonic() - start) / 60:.1f}"))
        print(f"{name}: {rows[-1][1]} executions, {findings} findings", flush=True)
    print("\n| target | executions | findings | minutes |\n| --- | --- | --- | --- |")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.exit(1 if any(row[2] != "0" for row in rows) else 0)


if __name__ == "__main__":
    main()
